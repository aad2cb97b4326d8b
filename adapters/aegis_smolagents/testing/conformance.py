"""The conformance kit for smolagents: small systems of real agents whose models are scripted. Needs pytest."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from smolagents import FinalAnswerStep, LogLevel, Model, Tool, ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
)
from smolagents.monitoring import TokenUsage
from smolagents.utils import AgentGenerationError

from aegis_core.testing import AdapterConformance, Reply, Script, Way
from aegis_smolagents.system import Group

__all__ = ["ScriptedModel", "SmolagentsConformance", "StockTool"]

_TOOL = "stock"
_FINAL = "final_answer"


class ScriptedModel(Model):
    """The model of one agent of the kit's systems.

    It asks for each tool and each member of its team once, for all members at the same time, and then answers.

    Args:
        agent: path of the agent.
    """

    def __init__(self, script: Script, agent: str) -> None:
        super().__init__(model_id="scripted")
        self.script, self.agent = script, agent
        self.api_key, self.headers = script.api_key, {"Authorization": script.header}

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        del stop_sequences, response_format, kwargs
        texts = [item["text"] for message in messages for item in _items(message)]
        asked = "\n".join(text for text in texts if text.startswith("Calling tools:"))
        names = [tool.name for tool in tools_to_call_from or () if tool.name != _FINAL]
        wanted = [name for name in names if f"'name': '{name}'" not in asked]
        secrets = (self.api_key, *self.headers.values())
        reply = self.script.reply(self.agent, texts, tools=wanted, secrets=secrets)
        return _message(reply, [name for name in wanted if name != _TOOL])

    def generate_stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatMessageStreamDelta]:
        message = self.generate(*args, **kwargs)
        for index, call in enumerate(message.tool_calls or ()):
            whole = json.dumps(call.function.arguments)
            for piece in (whole[:9], whole[9:]):
                function = ChatMessageToolCallFunction(arguments=piece, name=call.function.name if not index else "")
                function.name = call.function.name
                delta = ChatMessageToolCallStreamDelta(index=index, id=call.id, type="function", function=function)
                yield ChatMessageStreamDelta(content="", tool_calls=[delta])
        yield ChatMessageStreamDelta(content="", token_usage=message.token_usage)


def _items(message: ChatMessage) -> Sequence[dict[str, Any]]:
    content = message.content
    return content if isinstance(content, list) else [{"type": "text", "text": content or ""}]


def _message(reply: Reply, members: Sequence[str]) -> ChatMessage:
    if reply.tool is None:
        asked = [(_FINAL, {"answer": reply.text}, f"answer_{reply.text[-9:-1]}")]
    elif reply.tool.name == _TOOL:
        asked = [(_TOOL, {"place": reply.tool.argument}, reply.tool.call_id)]
    else:
        wish = {"task": f"Count what is in {reply.tool.argument}."}
        asked = [(name, dict(wish), f"{reply.tool.call_id}{name}") for name in members]
    calls = [
        ChatMessageToolCall(ChatMessageToolCallFunction(arguments=given, name=name), id=call_id, type="function")
        for name, given, call_id in asked
    ]
    usage = TokenUsage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    return ChatMessage(MessageRole.ASSISTANT, content=None, tool_calls=calls, token_usage=usage)


class StockTool(Tool):
    """The tool of the kit."""

    name = _TOOL
    description = "Look up what is in stock in a place."
    inputs = {"place": {"type": "string", "description": "The place."}}  # noqa: RUF012  as smolagents wants it
    output_type = "string"

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    def forward(self, place: str) -> str:
        """Use the scripted tool."""
        return self._script.tool(_TOOL, place)


def _agent(script: Script, path: str, *members: Any, tools: Sequence[Tool] = ()) -> ToolCallingAgent:
    name = path.rpartition("/")[2]
    return ToolCallingAgent(
        list(tools),
        ScriptedModel(script, path),
        managed_agents=list(members),
        name=name,
        description=f"{name} counts crates.",
        verbosity_level=LogLevel.OFF,
        max_steps=6,
    )


def _chain(way: Way, *agents: Any) -> Group:
    """Agents one after another: each is told what the one before said, and remembers."""
    members = tuple(dict.fromkeys(agents))

    def work(task: str) -> Any:
        told: Any = task
        for agent in agents:
            told = agent.run(str(told), reset=False)
        return told

    def stream(task: str) -> Iterator[Any]:
        told: Any = task
        for agent in agents:
            with _left_alone(agent.run(str(told), stream=True, reset=False)) as events:
                for event in events:
                    told = event.output if isinstance(event, FinalAnswerStep) else told
                    yield event

    entry: Callable[..., Any] = stream if way == "stream" else work
    return Group(entry, *members)


@contextlib.contextmanager
def _left_alone(events: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Closes a stream of smolagents, which yields once more when it is closed: a `RuntimeError` in Python."""
    try:
        yield events
    finally:
        with contextlib.suppress(RuntimeError):
            events.close()  # type: ignore[attr-defined]  # it is a generator


class SmolagentsConformance(AdapterConformance):
    """Agents that plain code runs, with tools, and with teams of their own."""

    name = "smolagents"
    ways = ("sync", "stream")
    framework_modules = ("smolagents",)
    distributions = ("smolagents",)
    reports_usage = True

    def run(self, app: Any, task: str, way: Way) -> Any:
        del way
        return app.run(task)

    def plain(self, result: Any) -> Any:
        if not isinstance(result, list):
            return type(result), str(result)
        return [(type(event).__name__, _words(event)) for event in result if type(event).__name__ != "ToolOutput"]

    def conversation(self, script: Script, way: Way) -> Any:
        writer, critic = (_agent(script, name) for name in ("Writer", "Critic"))
        return _chain(way, writer, critic, writer)

    def tool_use(self, script: Script, way: Way) -> Any:
        clerk = _agent(script, "Clerk", tools=[StockTool(script)])
        return _chain(way, clerk, _agent(script, "Writer"))

    def side_by_side(self, script: Script, way: Way) -> Any:
        team = [_agent(script, f"Joiner/{name}") for name in ("Left", "Right")]
        return _chain(way, _agent(script, "Planner"), _agent(script, "Joiner", *team))

    def nested(self, script: Script, way: Way) -> Any:
        office = _agent(script, "Office", _agent(script, "Office/Clerk"))
        return _chain(way, _agent(script, "Lead"), office, _agent(script, "Editor"))

    def retrying(self, script: Script, way: Way) -> Any:
        del way
        writer, critic = (_agent(script, name) for name in ("Writer", "Critic"))

        def work(task: str) -> Any:
            draft = str(writer.run(task))
            try:
                return critic.run(draft)
            except AgentGenerationError:
                return critic.run(draft)

        return Group(work, writer, critic)


def _words(event: Any) -> str:
    """What an event says, without times and tokens."""
    names = ("output", "observations", "plan", "content", "name", "arguments")
    return repr([str(getattr(event, name, None)) for name in names])
