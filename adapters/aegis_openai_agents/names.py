"""Who is an agent, and by which path: one source of names for what is declared and what is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from threading import Lock
from typing import Any

from agents import Agent

from aegis_core.trajectory import Agent as Member
from aegis_openai_agents import _compat

__all__ = ["Layout", "roots"]

_MANAGES = re.compile(r"triage|orchestrat|rout(?:er|ing)|supervis|coordinat|manager|dispatch", re.IGNORECASE)


def roots(app: Any) -> tuple[Agent[Any], ...]:
    """The agents that a user may start: the agent itself, or those of a workflow."""
    return tuple(getattr(app, "agents", ())) if not isinstance(app, Agent) else (app,)


class Layout:
    """The agents that can be reached: through hand-offs by their name, through tools as `caller/name`.

    An agent object that serves two callers as a tool is two agents, since each has a conversation of its own with it.
    Two objects with one name are told apart by a number. Agents that are met only while a run goes on (made in a tool,
    chosen by a hand-off's own code) get their path then, by the same rule.
    """

    def __init__(self, app: Any) -> None:
        self._paths: dict[tuple[str, int], str] = {}
        self._objects: dict[str, Agent[Any]] = {}
        self._lock = Lock()
        self._declared: list[str] = []
        for agent in roots(app):
            self._walk("", agent, frozenset())

    def path(self, scope: str, agent: Agent[Any]) -> str:
        """The path of an agent that acts inside `scope`: "" for the run itself, else the path of its caller."""
        key = (scope, id(agent))
        with self._lock:
            if key not in self._paths:
                self._paths[key] = self._free(scope, agent.name)
                self._objects[self._paths[key]] = agent
            return self._paths[key]

    def _free(self, scope: str, name: str) -> str:
        plain = name.replace("/", "-").strip() or "agent"
        wanted = f"{scope}/{plain}" if scope else plain
        path, number = wanted, 1
        while path in self._objects:
            number += 1
            path = f"{wanted} {number}"
        return path

    def named(self, scope: str, name: str) -> str:
        """The path of the agent with this name inside a scope, whether or not it was met."""
        for (where, _), path in list(self._paths.items()):
            if where == scope and self._objects[path].name == name:
                return path
        return f"{scope}/{name}" if scope else name

    def members(self) -> tuple[Member, ...]:
        """The agents that can be reached from the start, described."""
        return tuple(_described(path, self._objects[path]) for path in self._declared)

    def objects(self) -> Iterable[Agent[Any]]:
        """All agents known, each object once."""
        return list({id(agent): agent for agent in self._objects.values()}.values())

    def knows(self, agent: Agent[Any]) -> bool:
        """Whether this very object can be reached from the start."""
        return any(known is agent for known in list(self._objects.values()))

    def _walk(self, scope: str, agent: Agent[Any], trail: frozenset[int]) -> None:
        if (scope, id(agent)) in self._paths:
            return
        path = self.path(scope, agent)
        self._declared.append(path)
        for item in _listed(agent, "handoffs"):
            target = _compat.target_of(item)
            if target is not None:
                self._walk(scope, target, trail)
        inside = trail | {id(agent)}
        for tool in _listed(agent, "tools"):
            inner = _compat.agent_of_tool(tool)
            if inner is not None and id(inner) not in inside:
                self._walk(path, inner, inside)


def _listed(agent: Any, attribute: str) -> list[Any]:
    return list(getattr(agent, attribute, None) or ())


def _described(path: str, agent: Agent[Any]) -> Member:
    told = agent.instructions if isinstance(agent.instructions, str) else agent.handoff_description
    tools = _listed(agent, "tools")
    manages = bool(_MANAGES.search(agent.name)) or any(_compat.agent_of_tool(tool) is not None for tool in tools)
    return Member(
        path=path,
        kind="manager" if manages else "worker",
        role=told or "",
        tools=tuple(str(getattr(tool, "name", type(tool).__name__)) for tool in tools),
    )
