"""Models whose replies are written down, and agents around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from smolagents import CodeAgent, LogLevel, Model, Tool, ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
)
from smolagents.monitoring import TokenUsage

Reply = ChatMessage | Exception | Callable[[str], ChatMessage]


class Scripted(Model):
    """Gives its replies one after another, the last one again and again, and keeps what it was shown."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__(model_id="scripted")
        self.replies = list(replies)
        self.shown: list[str] = []

    def _reply(self, messages: Sequence[ChatMessage]) -> ChatMessage:
        text = shown(messages)
        self.shown.append(text)
        reply = self.replies[min(len(self.shown), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return fresh(reply if isinstance(reply, ChatMessage) else reply(text))

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: Any = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        return self._reply(messages)


class Streaming(Scripted):
    """The same, in pieces; each piece tells the input tokens again."""

    def generate_stream(self, messages: list[ChatMessage], **kwargs: Any) -> Iterator[ChatMessageStreamDelta]:
        reply = self._reply(messages)
        text = reply.content if isinstance(reply.content, str) else ""
        for start in range(0, len(text), 5):
            yield ChatMessageStreamDelta(content=text[start : start + 5], token_usage=TokenUsage(7, 1))
        for index, call in enumerate(reply.tool_calls or ()):
            given = json.dumps(call.function.arguments)
            for name, piece in ((call.function.name, given[:6]), ("", given[6:])):
                function = ChatMessageToolCallFunction(arguments=piece, name=name)
                delta = ChatMessageToolCallStreamDelta(index, call.id, "function", function)
                yield ChatMessageStreamDelta(content="", tool_calls=[delta], token_usage=TokenUsage(7, 1))


class Stock(Tool):
    """Counts crates; keeps what it was asked."""

    name = "stock"
    description = "Counts crates in a hall."
    inputs = {"place": {"type": "string", "description": "The hall."}}  # noqa: RUF012  as smolagents wants it
    output_type = "string"

    def __init__(self, answer: Callable[[str], Any] = lambda place: f"12 crates in {place}") -> None:
        super().__init__()
        self.answer, self.asked = answer, []

    def forward(self, place: str) -> str:
        self.asked.append(place)
        return self.answer(place)


def shown(messages: Sequence[ChatMessage]) -> str:
    """The texts of a request."""
    found = []
    for message in messages:
        content = message.content if isinstance(message.content, list) else [{"text": message.content or ""}]
        found += [str(item.get("text", "")) for item in content]
    return "\n".join(found)


def fresh(message: ChatMessage) -> ChatMessage:
    """A copy: smolagents alters what models return."""
    calls = [
        ChatMessageToolCall(
            ChatMessageToolCallFunction(call.function.arguments, call.function.name), call.id, call.type
        )
        for call in message.tool_calls or ()
    ]
    return ChatMessage(message.role, message.content, calls or None, token_usage=message.token_usage)


def calls(*asked: tuple[Any, ...], says: str | None = None, usage: tuple[int, int] = (5, 3)) -> ChatMessage:
    """A reply that asks for tools: (name, arguments) or (name, arguments, id) each."""
    made = []
    for number, (name, arguments, *call_id) in enumerate(asked, 1):
        function = ChatMessageToolCallFunction(arguments=arguments, name=name)
        made.append(ChatMessageToolCall(function, call_id[0] if call_id else f"{name}_{number}", "function"))
    return ChatMessage(MessageRole.ASSISTANT, says, made, token_usage=TokenUsage(*usage))


def answer(value: Any, usage: tuple[int, int] = (5, 3)) -> ChatMessage:
    """A reply that gives the final answer."""
    return calls(("final_answer", {"answer": value}), usage=usage)


def says(text: str) -> ChatMessage:
    """A reply of words alone."""
    return ChatMessage(MessageRole.ASSISTANT, text, token_usage=TokenUsage(5, 3))


def writes(code: str, thought: str = "Thought: let me see.") -> ChatMessage:
    """What the model of a code agent writes."""
    return says(f"{thought}\n<code>\n{code}\n</code>")


_QUIET = {"verbosity_level": LogLevel.OFF}


def agent(name: str, *replies: Reply, tools: Sequence[Tool] = (), team: Sequence[Any] = (), **more: Any) -> Any:
    """An agent that calls tools."""
    model = more.pop("model", None) or Scripted(*replies)
    settings = {"name": name, "description": f"{name} knows.", "max_steps": 6, **_QUIET, **more}
    return ToolCallingAgent(list(tools), model, managed_agents=list(team), **settings)


def coder(name: str, *replies: Reply, tools: Sequence[Tool] = (), team: Sequence[Any] = (), **more: Any) -> Any:
    """An agent that writes code."""
    model = more.pop("model", None) or Scripted(*replies)
    settings = {"name": name, "description": f"{name} codes.", "max_steps": 6, **_QUIET, **more}
    return CodeAgent(list(tools), model, managed_agents=list(team), **settings)
