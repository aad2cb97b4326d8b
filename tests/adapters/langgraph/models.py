"""Chat models for tests: an answer is a function of the messages, and every call is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

Answer = Callable[[list[BaseMessage]], str | AIMessage]
_unseen: ContextVar[bool] = ContextVar("unseen", default=False)


@contextmanager
def unseen() -> Iterator[None]:
    """Calls in here are not written down."""
    token = _unseen.set(True)
    try:
        yield
    finally:
        _unseen.reset(token)


class Scripted(BaseChatModel):
    """Answers by `answer`; `seen` gets the texts of each call."""

    answer: Any
    seen: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        if self.seen is not None and not _unseen.get():
            self.seen.append([str(message.text) for message in messages])
        reply = self.answer(messages)
        message = reply if isinstance(reply, AIMessage) else AIMessage(reply)
        usage = {"input_tokens": len(messages), "output_tokens": 2, "total_tokens": len(messages) + 2}
        return message.model_copy(update={"usage_metadata": usage, "response_metadata": {"model_name": "scripted-1"}})

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])


class Streaming(Scripted):
    """Gives its answer word by word."""

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for word in str(self._reply(messages).text).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))


def says(text: str) -> Answer:
    """Always the same."""
    return lambda _: text


def repeats(prefix: str) -> Answer:
    """`prefix` and what was said last."""
    return lambda messages: f"{prefix} <{messages[-1].text}>"


def calls(name: str, call_id: str | None = None, **args: Any) -> AIMessage:
    """A message that asks for one tool."""
    return asks((name, args, call_id or f"call_{name}"))


def asks(*wanted: tuple[str, dict[str, Any], str], text: str = "") -> AIMessage:
    """A message that asks for tools."""
    return AIMessage(text, tool_calls=[{"name": name, "args": args, "id": call_id} for name, args, call_id in wanted])


def in_turn(*replies: str | AIMessage) -> Answer:
    """One reply after another, by how many messages of the assistant there are; the last one stays."""

    def answer(messages: list[BaseMessage]) -> str | AIMessage:
        spoken = sum(isinstance(message, AIMessage) for message in messages)
        reply = replies[min(spoken, len(replies) - 1)]
        return reply.model_copy(deep=True) if isinstance(reply, AIMessage) else reply

    return answer
