"""The conformance kit for CAMEL: small teams of `ChatAgent`s whose models are scripted. Needs pytest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from camel.agents import ChatAgent
from camel.agents.chat_agent import AsyncStreamingChatAgentResponse, StreamingChatAgentResponse
from camel.responses import ChatAgentResponse
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_camel.ensemble import Ensemble
from aegis_camel.testing.scripted import ScriptedModel
from aegis_core.testing import AdapterConformance, Script, ScriptedError, Way

__all__ = ["CamelConformance"]

_TOOL = "stock"


class CamelConformance(AdapterConformance):
    """Ensembles: functions of all kinds that let `ChatAgent`s act."""

    name = "camel"
    ways = ("sync", "async", "stream", "astream")
    framework_modules = ("camel",)
    distributions = ("camel-ai", "mcp", "openai")
    reports_usage = True

    def run(self, app: Any, task: str, way: Way) -> Any:
        del way
        return app(task)

    def conversation(self, script: Script, way: Way) -> Any:
        return _team(script, way, "Writer", "Critic", "Writer")

    def tool_use(self, script: Script, way: Way) -> Any:
        return _team(script, way, "Clerk", "Writer", tools=True)

    def nested(self, script: Script, way: Way) -> Any:
        if way != "sync":
            return None
        office = _team(script, way, "Clerk", "Typist", prefix="Office/")
        members = {name: _agent(script, name, way) for name in ("Lead", "Editor")}

        def entry(task: str) -> str:
            return _step(members["Editor"], office(_step(members["Lead"], task)))

        return Ensemble(entry, {"Lead": members["Lead"], "Office": office, "Editor": members["Editor"]})

    def side_by_side(self, script: Script, way: Way) -> Any:
        if way not in ("sync", "async"):
            return None
        agents = {name: _agent(script, name, way) for name in ("Planner", "Left", "Right", "Joiner")}

        def beside(name: str, plan: str) -> str:
            with aegis.branch(name):
                return _step(agents[name], plan)

        async def abeside(name: str, plan: str) -> str:
            with aegis.branch(name):
                return await _astep(agents[name], plan)

        def entry(task: str) -> str:
            plan = _step(agents["Planner"], task)
            with ThreadPoolExecutor(2) as pool:
                notes = list(pool.map(lambda name: beside(name, plan), ("Left", "Right")))
            return _step(agents["Joiner"], "\n".join(notes))

        async def aentry(task: str) -> str:
            plan = await _astep(agents["Planner"], task)
            notes = await asyncio.gather(*(abeside(name, plan) for name in ("Left", "Right")))
            return await _astep(agents["Joiner"], "\n".join(notes))

        return Ensemble(entry if way == "sync" else aentry, agents)

    def retrying(self, script: Script, way: Way) -> Any:
        if way != "sync":
            return None
        agents = {name: _agent(script, name, way) for name in ("Writer", "Critic")}

        def entry(task: str) -> str:
            draft = _step(agents["Writer"], task)
            try:
                return _step(agents["Critic"], draft)
            except ScriptedError:
                return _step(agents["Critic"], draft)

        return Ensemble(entry, agents)


def _agent(script: Script, path: str, way: Way, *, tools: bool = False) -> ChatAgent:
    def stock(place: str) -> str:
        """Look up what is in stock in a place.

        Args:
            place (str): Where to look.
        """
        return script.tool(_TOOL, place)

    model = ScriptedModel.of(script, path, stream=way in ("stream", "astream"))
    offered: Any = [FunctionTool(stock)] if tools else None
    return ChatAgent(f"You are {path}.", model=model, tools=offered, stream_accumulate=False)


def _team(script: Script, way: Way, *names: str, tools: bool = False, prefix: str = "") -> Ensemble:
    """Agents one after another: each is told what the one before said."""
    agents = {
        name: _agent(script, f"{prefix}{name}", way, tools=tools and name == names[0]) for name in dict.fromkeys(names)
    }
    members = [agents[name] for name in names]
    return Ensemble({"sync": _chain, "async": _achain, "stream": _stream, "astream": _astream}[way](members), agents)


def _chain(members: list[ChatAgent]) -> Any:
    def entry(task: str) -> str:
        text = task
        for member in members:
            text = _step(member, text)
        return text

    return entry


def _achain(members: list[ChatAgent]) -> Any:
    async def entry(task: str) -> str:
        text = task
        for member in members:
            text = await _astep(member, text)
        return text

    return entry


def _stream(members: list[ChatAgent]) -> Any:
    def entry(task: str) -> Iterator[str]:
        text = task
        for member in members[:-1]:
            text = "".join(_pieces(member, text))
        yield from _pieces(members[-1], text)

    return entry


def _astream(members: list[ChatAgent]) -> Any:
    async def entry(task: str) -> AsyncIterator[str]:
        text = task
        for member in members[:-1]:
            text = "".join([piece async for piece in _apieces(member, text)])
        async for piece in _apieces(members[-1], text):
            yield piece

    return entry


def _step(agent: ChatAgent, text: str) -> str:
    return str(agent.step(text).msgs[0].content)


async def _astep(agent: ChatAgent, text: str) -> str:
    response = await agent.astep(text)
    return str(response.msgs[0].content)


def _pieces(agent: ChatAgent, text: str) -> Iterator[str]:
    response = agent.step(text)
    assert isinstance(response, StreamingChatAgentResponse)
    for chunk in response:
        yield from _words(chunk)


async def _apieces(agent: ChatAgent, text: str) -> AsyncIterator[str]:
    response = await agent.astep(text)
    assert isinstance(response, AsyncStreamingChatAgentResponse)
    async for chunk in response:
        for piece in _words(chunk):
            yield piece


def _words(chunk: ChatAgentResponse) -> Iterator[str]:
    """What a piece of a stream says. CAMEL makes one of an exception of the model: a user may well raise it again."""
    if "error" in chunk.info:
        raise RuntimeError(chunk.info["error"])
    for message in chunk.msgs:
        if message.content:
            yield message.content
