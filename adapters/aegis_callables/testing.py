"""The conformance kit for plain functions: teams of functions whose models are scripted. Needs pytest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import aegis_core as aegis
from aegis_callables.system import Callables
from aegis_core.testing import AdapterConformance, Reply, Script, ScriptedError, Way

__all__ = ["CallablesConformance"]

_TOOL = "stock"
_PARALLEL = ("Planner", "Worker", "Joiner")
_ITEMS = ("x", "y", "z")
Member = Callable[[str], Any]


class CallablesConformance(AdapterConformance):
    """Teams of functions: plain, coroutine, generator and asynchronous generator ones."""

    name = "callables"
    ways = ("sync", "async", "stream", "astream")

    def run(self, app: Any, task: str, way: Way) -> Any:
        del way
        return (app.entry if isinstance(app, Callables) else app)(task)

    def conversation(self, script: Script, way: Way) -> Any:
        return _team(script, way, "Writer", "Critic", "Writer")

    def tool_use(self, script: Script, way: Way) -> Any:
        return _team(script, way, "Clerk", "Writer", tools=True)

    def nested(self, script: Script, way: Way) -> Any:
        return _team(script, way, "Lead", "Office/Clerk", "Office/Typist", "Editor")

    def side_by_side(self, script: Script, way: Way) -> Any:
        if way not in ("sync", "async"):
            return None
        planner, worker, joiner = (_agent(script, name, way, remembers=False) for name in _PARALLEL)
        return _gathered(planner, worker, joiner) if way == "async" else _pooled(planner, worker, joiner)

    def retrying(self, script: Script, way: Way) -> Any:
        writer, critic = (_agent(script, name, way) for name in ("Writer", "Critic"))

        @aegis.trace
        def team(task: str) -> str:
            draft = writer(task)
            try:
                return str(critic(draft))
            except ScriptedError:
                return str(critic(draft))

        return team


class _Member:
    """An agent. One that remembers is shown, in later turns, what it was told and what it said."""

    def __init__(self, script: Script, path: str, *, tools: bool = False, remembers: bool = True) -> None:
        self._script, self._path = script, path
        self._tools = (_TOOL,) if tools else ()
        self._remembers = remembers
        self._memory: list[str] = []
        self._headers = {"Authorization": script.header}
        self.model = aegis.model(self._reply)
        self.amodel = aegis.model(self._areply)
        if tools:
            self.tool = aegis.tool(self._stock)

    def function(self, way: Way) -> Member:
        """The function that is the agent."""
        functions = {"sync": self.think, "async": self.athink, "stream": self.stream, "astream": self.astream}
        return functions[way]

    def think(self, text: str) -> str:
        memory = self._told(text)
        while self._used(self.model(list(memory), api_key=self._script.api_key, headers=self._headers), memory):
            pass
        return memory[-1]

    async def athink(self, text: str) -> str:
        memory = self._told(text)
        while self._used(await self.amodel(list(memory), api_key=self._script.api_key, headers=self._headers), memory):
            pass
        return memory[-1]

    def stream(self, text: str) -> Iterator[str]:
        yield from _words(self.think(text))

    async def astream(self, text: str) -> AsyncIterator[str]:
        for word in _words(await self.athink(text)):
            yield word

    def _told(self, text: str) -> list[str]:
        memory = self._memory if self._remembers else []
        memory.append(text)
        return memory

    def _used(self, answer: Any, memory: list[str]) -> bool:
        """Whether the model asked for the tool; what it says or is told goes into the memory."""
        memory.append(self.tool(answer["argument"]) if isinstance(answer, dict) else str(answer))
        return isinstance(answer, dict)

    def _stock(self, argument: str) -> str:
        return self._script.tool(_TOOL, argument)

    def _reply(self, texts: list[str], *, api_key: str, headers: dict[str, str]) -> Any:
        return _plain(self._script.reply(self._path, texts, tools=self._tools, secrets=(api_key, *headers.values())))

    async def _areply(self, texts: list[str], *, api_key: str, headers: dict[str, str]) -> Any:
        secrets = (api_key, *headers.values())
        return _plain(await self._script.areply(self._path, texts, tools=self._tools, secrets=secrets))


def _plain(reply: Reply) -> Any:
    """A reply as plain data: a text, or the argument of the tool that is wanted."""
    return reply.text if reply.tool is None else {"argument": reply.tool.argument}


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


def _team(script: Script, way: Way, *names: str, tools: bool = False) -> Callables:
    """Undecorated functions, one after another: each is told what the one before said."""
    team = SimpleNamespace()
    for name in dict.fromkeys(names):
        setattr(team, name, _Member(script, name, tools=tools and name == names[0]).function(way))
    entry = {"sync": _chain, "async": _achain, "stream": _stream, "astream": _astream}[way](team, names)
    return Callables(entry=entry, members={name: (team, name) for name in names})


def _chain(team: Any, names: tuple[str, ...]) -> Member:
    def call(task: str) -> str:
        text = task
        for name in names:
            text = getattr(team, name)(text)
        return text

    return call


def _achain(team: Any, names: tuple[str, ...]) -> Member:
    async def call(task: str) -> str:
        text = task
        for name in names:
            text = await getattr(team, name)(text)
        return text

    return call


def _stream(team: Any, names: tuple[str, ...]) -> Member:
    def call(task: str) -> Iterator[str]:
        text = task
        for name in names[:-1]:
            text = "".join(getattr(team, name)(text))
        yield from getattr(team, names[-1])(text)

    return call


def _astream(team: Any, names: tuple[str, ...]) -> Member:
    async def call(task: str) -> AsyncIterator[str]:
        text = task
        for name in names[:-1]:
            text = "".join([word async for word in getattr(team, name)(text)])
        async for word in getattr(team, names[-1])(text):
            yield word

    return call


def _agent(script: Script, path: str, way: Way, *, remembers: bool = True) -> Member:
    return aegis.agent(path)(_Member(script, path, remembers=remembers).function(way))


def _pooled(planner: Member, worker: Member, joiner: Member) -> Any:
    def branch(plan: str, item: str) -> str:
        with aegis.branch(item):
            return str(worker(f"{plan} Item {item}."))

    @aegis.trace
    def team(task: str) -> str:
        plan = planner(task)
        with ThreadPoolExecutor(len(_ITEMS)) as pool:
            notes = [pool.submit(aegis.bind(branch), plan, item) for item in _ITEMS]
            return str(joiner("\n".join(note.result() for note in notes)))

    return team


def _gathered(planner: Member, worker: Member, joiner: Member) -> Any:
    async def branch(plan: str, item: str) -> str:
        with aegis.branch(item):
            return str(await worker(f"{plan} Item {item}."))

    @aegis.trace
    async def team(task: str) -> str:
        plan = await planner(task)
        return str(await joiner("\n".join(await asyncio.gather(*(branch(plan, item) for item in _ITEMS)))))

    return team
