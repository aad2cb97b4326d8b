"""Records and alters systems of plain Python functions, through the wrappers of `aegis_core.trace`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from aegis_callables.system import Callables
from aegis_core.adapter import Adapter, Attachment, Capabilities, ReplayLevel, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.run.patches import Patches
from aegis_core.run.values import text_of
from aegis_core.trace.active import active_run, recorded
from aegis_core.trace.agents import agent_wrapper, declared_agents
from aegis_core.trace.calls import call_kind
from aegis_core.trace.entry import is_traced, trace_wrapper
from aegis_core.trace.reach import reachable
from aegis_core.trajectory import Agent

__all__ = ["CallablesAdapter"]

_ABSENT = object()


class CallablesAdapter(Adapter):
    """Plain functions: `@aegis.trace` entries with `@aegis.agent` members, or a `Callables`."""

    name = "callables"

    def can_handle(self, app: Any) -> bool:
        """Functions, methods, `@aegis.trace` entries, and `Callables`."""
        return isinstance(app, Callables) or inspect.isroutine(app) or is_traced(app)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        """The members of a `Callables`, and the `@aegis.agent` functions that the entry can reach by name."""
        declared = declared_agents(_entry(app))
        if isinstance(app, Callables):
            own = {agent.path for agent in app.agents()}
            return (*app.agents(), *(agent for agent in declared if agent.path not in own))
        return declared

    def capabilities(self, app: Any) -> Capabilities:
        """Arguments and results can always be altered; model and tool calls where they go through the wrappers."""
        entry = _entry(app)
        functions = [entry, *_members(app)]
        kinds = {call_kind(found) for function in functions for found in reachable(function)}
        inner = inspect.unwrap(entry)
        asynchronous = inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)
        sites = [
            Site(strategy="prompt_injection", scope="persistent"),
            Site(strategy="response_corruption", scope="outgoing"),
        ]
        notes = []
        if "model" in kinds:
            sites += [
                Site(strategy="prompt_injection", scope="ephemeral"),
                Site(strategy="response_corruption", scope="belief"),
            ]
        else:
            notes.append("no model call goes through `aegis.model`: scopes ephemeral and belief are not offered")
        if "tool" in kinds:
            sites.append(Site(strategy="environment", scope="call"))
        levels: tuple[ReplayLevel, ...] = ("node", "call")
        return Capabilities(
            sync=not asynchronous,
            asynchronous=asynchronous,
            streaming=inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner),
            sites=tuple(sites),
            replay=levels,
            notes=tuple(notes),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        """Make `run` current in this context; put wrappers around the members of a `Callables`."""
        if not self.can_handle(app):
            raise AdapterError(
                f"the callables adapter can't handle a {type(app).__name__}; give it a function, or "
                "aegis_callables.system.Callables(entry=..., members=...)"
            )
        return _FunctionAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        """Call the entry with the task as its one argument; a generator is read to its end."""
        result = app(task)
        if inspect.isgenerator(result):
            return list(result)
        if inspect.isasyncgen(result):
            return _collected(result)
        return result

    def output(self, result: Any) -> str | None:
        """Text as it is, pieces of text joined, other data as JSON."""
        if isinstance(result, list) and result and all(isinstance(item, str) for item in result):
            return "".join(result)
        return text_of(result)


async def _collected(stream: Any) -> list[Any]:
    return [item async for item in stream]


def _entry(app: Any) -> Callable[..., Any]:
    entry: Callable[..., Any] = app.entry if isinstance(app, Callables) else app
    return entry


def _members(app: Any) -> list[Callable[..., Any]]:
    if not isinstance(app, Callables):
        return []
    return [getattr(owner, attribute) for owner, attribute in app.members.values() if hasattr(owner, attribute)]


class _FunctionAttachment(Attachment):
    """Makes the run current, and puts wrappers where a `Callables` says its members are.

    Patches go through one table, and are undone through it.
    """

    def __init__(self, app: Any, run: Run) -> None:
        running = active_run.get()
        if running is not None and running in recorded:
            raise AdapterError(
                f"run {running.info.run_id} is being recorded here already; "
                "leave its `with` block before another recording of plain functions begins"
            )
        self._run = run
        self._patches = Patches()
        self._detached = False
        if isinstance(app, Callables):
            self._patch(app)
        entry = _entry(app)
        self.app = entry if is_traced(entry) else trace_wrapper(entry, None, None, "")
        self._token = active_run.set(run)
        recorded[run] = set()

    def _patch(self, app: Callables) -> None:
        for description in app.agents():
            owner, attribute = app.members[description.path]
            function = getattr(owner, attribute, None)
            if not callable(function):
                self._patches.restore()
                raise AdapterError(
                    f"agent {description.path!r}: {owner!r} has no function {attribute!r}; correct `members`"
                )
            stored = vars(owner).get(attribute, _ABSENT)
            if isinstance(stored, staticmethod | classmethod):
                self._patches.restore()
                raise AdapterError(
                    f"agent {description.path!r}: {attribute!r} is a static or class method; "
                    "give an object that holds a plain function, or decorate it with @aegis.agent"
                )
            self._patches.attribute(owner, attribute, agent_wrapper(function, description, pure=False))

    def detach(self) -> None:
        if self._detached:
            return
        self._detached = True
        self._patches.restore()
        recorded.pop(self._run, None)
        active_run.reset(self._token)
