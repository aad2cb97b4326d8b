"""The kit for runtimes of autogen-core: small applications of routed agents with scripted models."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from autogen_core import (
    AgentId,
    CancellationToken,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    UserMessage,
)
from autogen_core.tools import FunctionTool

from aegis_core.adapter import System
from aegis_core.run.driving import drive
from aegis_core.testing import AdapterConformance
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Way

__all__ = ["Asked", "Clerk", "Desk", "RuntimeConformance", "Said", "ScriptedCoreClient", "Speaker"]

_KEY = "default"


@dataclass
class Said:
    """What agents tell each other."""

    text: str


@dataclass
class Asked:
    """What an agent is asked, with all that it should know."""

    texts: list[str] = field(default_factory=list)


class ScriptedCoreClient(ChatCompletionClient):
    """A model client with a script behind it."""

    def __init__(self, script: Script, agent: str) -> None:
        self._script, self._agent = script, agent
        self._api_key, self._headers = script.api_key, {"Authorization": script.header}

    async def create(self, messages: Sequence[LLMMessage], **more: Any) -> CreateResult:
        texts = [text for message in messages for text in _texts(message)]
        names = [tool.name for tool in more.get("tools", ())]
        secrets = (self._api_key, *self._headers.values())
        reply = await self._script.areply(self._agent, texts, tools=names, secrets=secrets)
        usage = RequestUsage(prompt_tokens=reply.input_tokens, completion_tokens=reply.output_tokens)
        if (call := reply.tool) is None:
            return CreateResult(finish_reason="stop", content=reply.text, usage=usage, cached=False)
        wanted = FunctionCall(id=call.call_id, name=call.name, arguments=json.dumps({"argument": call.argument}))
        return CreateResult(finish_reason="function_calls", content=[wanted], usage=usage, cached=False)

    async def create_stream(self, messages: Sequence[LLMMessage], **more: Any) -> Any:
        yield await self.create(messages, **more)

    async def close(self) -> None:
        return None

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    def total_usage(self) -> RequestUsage:
        return self.actual_usage()

    def count_tokens(self, messages: Sequence[LLMMessage], **more: Any) -> int:
        del messages, more
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], **more: Any) -> int:
        del messages, more
        return 1_000_000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=False, json_output=False, family="scripted", structured_output=False
        )


class Speaker(RoutedAgent):
    """Remembers what it was told and what it said; publishes what its model makes of it, to its topics in turn."""

    def __init__(self, name: str, script: Script, topics: Sequence[str] = ()) -> None:
        super().__init__(f"{name} says something.")
        self._model_client = ScriptedCoreClient(script, name)
        self._memory: list[LLMMessage] = []
        self._topics = itertools.cycle(topics)

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        del ctx
        said = await self._speak([message.text])
        await self.publish_message(said, TopicId(next(self._topics), _KEY))

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> Said:
        del ctx
        return await self._speak(message.texts)

    async def _speak(self, texts: list[str]) -> Said:
        self._memory += [UserMessage(content=text, source="user") for text in texts]
        result = await self._model_client.create(self._memory)
        assert isinstance(result.content, str)
        self._memory.append(AssistantMessage(content=result.content, source=self.id.type))
        return Said(result.content)


class Clerk(Speaker):
    """Has a tool, and calls it when its model asks for it."""

    def __init__(self, name: str, script: Script, topics: Sequence[str] = ()) -> None:
        super().__init__(name, script, topics)

        async def stock(argument: str) -> str:
            return script.tool("stock", argument)

        self._tools = [FunctionTool(stock, "How many crates there are.", name="stock")]

    async def _speak(self, texts: list[str]) -> Said:
        self._memory += [UserMessage(content=text, source="user") for text in texts]
        result = await self._model_client.create(self._memory, tools=self._tools)
        while not isinstance(result.content, str):
            self._memory.append(AssistantMessage(content=result.content, source=self.id.type))
            done = [await self._use(call) for call in result.content]
            self._memory.append(FunctionExecutionResultMessage(content=done))
            result = await self._model_client.create(self._memory, tools=self._tools)
        self._memory.append(AssistantMessage(content=result.content, source=self.id.type))
        return Said(result.content)

    async def _use(self, call: FunctionCall) -> FunctionExecutionResult:
        (tool,) = self._tools
        result = await tool.run_json(json.loads(call.arguments), CancellationToken(), call_id=call.id)
        told = tool.return_value_as_string(result)
        return FunctionExecutionResult(content=told, name=call.name, call_id=call.id, is_error=False)


class Desk(RoutedAgent):
    """Keeps what is put on it."""

    def __init__(self) -> None:
        super().__init__("Keeps what is put on it.")
        self.kept: list[str] = []

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        del ctx
        self.kept.append(message.text)


class RuntimeConformance(AdapterConformance):
    """Publications (`conversation`), and requests that are made at the same time (`side_by_side`)."""

    name = "autogen"
    framework_modules = ("autogen_core",)
    distributions = ("autogen-core",)
    ways: ClassVar[tuple[Way, ...]] = ("async",)
    reports_usage = True

    def conversation(self, script: Script, way: Way) -> System:
        del way
        runtime = _runtime(script, {"Writer": ("Critic", "Desk"), "Critic": ("Writer",)})
        drive(Desk.register(runtime, "Desk", Desk))
        drive(runtime.add_subscription(TypeSubscription("Desk", "Desk")))
        return System(runtime, start=_published, output=str)

    def tool_use(self, script: Script, way: Way) -> System:
        del way
        runtime = _runtime(script, {"Writer": ("Desk",)})
        drive(Clerk.register(runtime, "Clerk", lambda: Clerk("Clerk", script)))
        return System(runtime, start=_with_stock, output=str)

    def side_by_side(self, script: Script, way: Way) -> System:
        del way
        return System(_runtime(script, dict.fromkeys(_NAMES, ())), start=_asked, output=str)


_NAMES = ("Planner", "Left", "Right", "Editor")


def _runtime(script: Script, speakers: Mapping[str, Sequence[str]]) -> SingleThreadedAgentRuntime:
    """A runtime with speakers, each subscribed to the topic of its name."""
    runtime = SingleThreadedAgentRuntime(ignore_unhandled_exceptions=False)
    for name, topics in speakers.items():
        drive(Speaker.register(runtime, name, lambda name=name, topics=topics: Speaker(name, script, topics)))  # type: ignore[misc]
        drive(runtime.add_subscription(TypeSubscription(name, name)))
    return runtime


def _texts(message: LLMMessage) -> list[str]:
    if isinstance(message, FunctionExecutionResultMessage):
        return [result.content for result in message.content]
    return [message.content] if isinstance(message.content, str) else []


async def _with_stock(runtime: SingleThreadedAgentRuntime, task: str) -> str:
    runtime.start()
    told = await _ask(runtime, "Clerk", task)
    answer = await _ask(runtime, "Writer", told)
    await runtime.stop_when_idle()
    return answer


async def _published(runtime: SingleThreadedAgentRuntime, task: str) -> str:
    runtime.start()
    await runtime.publish_message(Said(task), TopicId("Writer", _KEY))
    await runtime.stop_when_idle()
    desk = await runtime.try_get_underlying_agent_instance(AgentId("Desk", _KEY), Desk)
    return desk.kept.pop()


async def _asked(runtime: SingleThreadedAgentRuntime, task: str) -> str:
    runtime.start()
    planned = await _ask(runtime, "Planner", task)
    worked = await asyncio.gather(_ask(runtime, "Left", planned), _ask(runtime, "Right", planned))
    answer = await _ask(runtime, "Editor", *worked)
    await runtime.stop_when_idle()
    return answer


async def _ask(runtime: SingleThreadedAgentRuntime, name: str, *texts: str) -> str:
    reply = await runtime.send_message(Asked(list(texts)), AgentId(name, _KEY))
    assert isinstance(reply, Said)
    return reply.text
