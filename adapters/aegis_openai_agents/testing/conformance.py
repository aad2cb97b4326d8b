"""The conformance kit for the OpenAI Agents SDK: small teams whose models are scripted. Needs pytest."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    ModelRetrySettings,
    ModelSettings,
    RunConfig,
    Runner,
    RunResult,
    function_tool,
)

from aegis_core.adapter import System
from aegis_core.testing import AdapterConformance, Reply, Script, Way
from aegis_openai_agents.testing.items import answer, asked, events, message, texts_of
from aegis_openai_agents.workflow import Workflow

__all__ = ["OpenAIAgentsConformance", "ScriptedModel"]

_TOOL = "stock"
Silent = Callable[[Any], list[Any]]
"""What a model asks for without a word, given the items that it is shown."""


class ScriptedModel(Model):
    """The model of one agent of the kit's systems.

    Args:
        agent: path of the agent.
        hands_to: the agent that it hands over to when it has spoken.
        once: whether it does so only as long as that agent has not spoken.
        silent: asks for tools before it speaks.
    """

    def __init__(
        self, script: Script, agent: str, *, hands_to: str = "", once: bool = False, silent: Silent | None = None
    ) -> None:
        self.script, self.agent = script, agent
        self.hands_to, self.once, self.silent = hands_to, once, silent
        self.api_key, self.headers = script.api_key, {"Authorization": script.header}

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        model_settings: Any,
        tools: Any,
        *rest: Any,
        **more: Any,
    ) -> ModelResponse:
        del model_settings, rest, more
        calls = self.silent(input) if self.silent is not None else []
        if calls:
            return answer(*calls, input_tokens=1, output_tokens=1)
        reply = await self.script.areply(
            self.agent,
            texts_of(system_instructions, input),
            tools=[tool.name for tool in tools if tool.name == _TOOL],
            secrets=(self.api_key, *self.headers.values()),
        )
        return answer(*self._said(reply, input), input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        *rest: Any,
        **more: Any,
    ) -> AsyncIterator[Any]:
        for event in events(await self.get_response(system_instructions, input, *rest, **more)):
            yield event

    def _said(self, reply: Reply, items: Any) -> list[Any]:
        if reply.tool is not None:
            return [asked(reply.tool.name, {"place": reply.tool.argument}, call_id=reply.tool.call_id)]
        name = f"transfer_to_{self.hands_to.lower()}"
        done = not isinstance(items, str) and any(item.get("name") == name for item in items)
        said: list[Any] = [message(reply.text)]
        if self.hands_to and not (self.once and done):
            said.append(asked(name, {}, call_id=f"call_{zlib.crc32(reply.text.encode()):08x}"))
        return said


def _asks(*names: str) -> Silent:
    """Asks for these tools at once, each with the last text, until it has their results."""

    def silent(items: Any) -> list[Any]:
        if not isinstance(items, str) and any(item.get("name") in names for item in items):
            return []
        text = texts_of(None, items)[0]
        return [asked(name, {"input": f"{text} ({name})"}, call_id=f"call_{name}") for name in names]

    return silent


class OpenAIAgentsConformance(AdapterConformance):
    """Teams that hand over, agents as tools, and function tools."""

    name = "openai-agents"
    ways = ("sync", "async", "astream")
    framework_modules = ("agents",)
    distributions = ("openai-agents", "openai")
    reports_usage = True

    def run(self, app: Any, task: str, way: Way) -> Any:
        config = RunConfig(tracing_disabled=True)
        if way == "astream":
            return _streamed(app, task, config)
        if way == "async":
            return Runner.run(app, task, run_config=config)
        with _own_loop():
            return Runner.run_sync(app, task, run_config=config)

    def plain(self, result: Any) -> Any:
        if isinstance(result, list):
            return [_plain_event(event) for event in result]
        return result.final_output, result.last_agent.name, [_plain_item(item) for item in result.new_items]

    def conversation(self, script: Script, way: Way) -> Any:
        del way
        return _pair(script, ModelSettings())

    def tool_use(self, script: Script, way: Way) -> Any:
        del way

        @function_tool(name_override=_TOOL)
        def stock(place: str) -> str:
            """Look up what is in stock in a place."""
            return script.tool(_TOOL, place)

        writer = Agent("Writer", model=ScriptedModel(script, "Writer"))
        model = ScriptedModel(script, "Clerk", hands_to="Writer")
        return Agent("Clerk", instructions="You count.", tools=[stock], handoffs=[writer], model=model)

    def side_by_side(self, script: Script, way: Way) -> Any:
        if way == "astream":
            return None
        names = ("Planner", "Left", "Right", "Joiner")
        team = Workflow(*(Agent(name, model=ScriptedModel(script, name)) for name in names))
        return System(
            team, start=_shared_out if way == "async" else lambda app, task: asyncio.run(_shared_out(app, task))
        )

    def nested(self, script: Script, way: Way) -> Any:
        del way
        editor = Agent("Editor", model=ScriptedModel(script, "Editor"))
        clerk = Agent("Clerk", model=ScriptedModel(script, "Office/Clerk"))
        model = ScriptedModel(script, "Office", hands_to="Editor", silent=_asks("clerk"))
        office = Agent("Office", tools=[clerk.as_tool("clerk", "Counts.")], handoffs=[editor], model=model)
        return Agent("Lead", handoffs=[office], model=ScriptedModel(script, "Lead", hands_to="Office"))

    def handing_over(self, script: Script, way: Way) -> Any:
        del way
        others: list[Any] = [Agent(name, model=ScriptedModel(script, name)) for name in ("Critic", "Clerk")]
        return Agent("Writer", handoffs=others, model=ScriptedModel(script, "Writer", hands_to="Critic"))

    def retrying(self, script: Script, way: Way) -> Any:
        del way
        retry = ModelRetrySettings(max_retries=1, policy=lambda _: True, backoff={"initial_delay": 0.0})
        return _pair(script, ModelSettings(retry=retry))


async def _streamed(app: Any, task: str, config: RunConfig) -> AsyncIterator[Any]:
    events_of_run: Any = Runner.run_streamed(app, task, run_config=config).stream_events()
    async with aclosing(events_of_run) as stream:
        async for event in stream:
            yield event


@contextmanager
def _own_loop() -> Iterator[None]:
    """An event loop for `Runner.run_sync`, which leaves open the one that it makes."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def _shared_out(team: Workflow, task: str) -> RunResult:
    """A plan, two agents that work on it side by side, and one that is told what they found."""
    planner, left, right, joiner = team.agents
    config = RunConfig(tracing_disabled=True)
    plan = (await Runner.run(planner, task, run_config=config)).final_output
    found = await asyncio.gather(*(Runner.run(agent, plan, run_config=config) for agent in (left, right)))
    return await Runner.run(joiner, "\n".join(result.final_output for result in found), run_config=config)


def _pair(script: Script, settings: ModelSettings) -> Agent[Any]:
    """Writer hands over to Critic, who hands back; then Writer answers."""
    writer = Agent(
        "Writer", instructions="You write.", model=ScriptedModel(script, "Writer", hands_to="Critic", once=True)
    )
    model = ScriptedModel(script, "Critic", hands_to="Writer")
    critic = Agent("Critic", handoffs=[writer], model=model, model_settings=settings)
    writer.handoffs.append(critic)
    return writer


def _plain_event(event: Any) -> Any:
    if event.type == "raw_response_event":
        return event.type, event.data.type, getattr(event.data, "delta", None)
    if event.type == "run_item_stream_event":
        return event.type, event.name, _plain_item(event.item)
    return event.type, event.new_agent.name


def _plain_item(item: Any) -> Any:
    raw = item.raw_item if isinstance(item.raw_item, dict) else item.raw_item.model_dump()
    return item.type, item.agent.name, {name: value for name, value in raw.items() if name not in ("id", "call_id")}
