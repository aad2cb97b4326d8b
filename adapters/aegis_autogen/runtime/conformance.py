"""The kit for runtimes of autogen-core: small applications of routed agents with scripted models."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from autogen_core import (
    AgentId,
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
    LLMMessage,
    ModelInfo,
    RequestUsage,
    UserMessage,
)

from aegis_core.adapter import System
from aegis_core.run.driving import drive
from aegis_core.testing import AdapterConformance
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Way

__all__ = ["RuntimeConformance", "ScriptedCoreClient"]

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
        del more
        texts = [message.content for message in messages if isinstance(message.content, str)]
        reply = await self._script.areply(self._agent, texts, secrets=(self._api_key, *self._headers.values()))
        usage = RequestUsage(prompt_tokens=reply.input_tokens, completion_tokens=reply.output_tokens)
        return CreateResult(finish_reason="stop", content=reply.text, usage=usage, cached=False)

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


async def _published(runtime: SingleThreadedAgentRuntime, task: str) -> str:
    runtime.start()
    await runtime.publish_message(Said(task), TopicId("Writer", _KEY))
    await runtime.stop_when_idle()
    desk = await runtime.try_get_underlying_agent_instance(AgentId("Desk", _KEY), Desk)
    return desk.kept.pop()


async def _asked(runtime: SingleThreadedAgentRuntime, task: str) -> str:
    async def ask(name: str, *texts: str) -> str:
        reply = await runtime.send_message(Asked(list(texts)), AgentId(name, _KEY))
        assert isinstance(reply, Said)
        return reply.text

    runtime.start()
    planned = await ask("Planner", task)
    worked = await asyncio.gather(ask("Left", planned), ask("Right", planned))
    answer = await ask("Editor", *worked)
    await runtime.stop_when_idle()
    return answer
