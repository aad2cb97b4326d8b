"""Who is an agent, and by what path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aegis_core.trajectory import Agent
from aegis_smolagents._compat import FINAL, MultiStepAgent
from aegis_smolagents.system import Group
from aegis_smolagents.twins import original_of

__all__ = ["described", "everyone", "heads"]

_DEPTH = 32
"""Levels of managers that are looked at, so that agents that manage each other do not hang the search."""


def heads(app: Any) -> dict[str, MultiStepAgent]:
    """The agents that the user's own code runs, by path. One without a name has that of its class."""
    members = app.agents if isinstance(app, Group) else (app,)
    found: dict[str, MultiStepAgent] = {}
    for agent in members:
        if any(agent is other for other in found.values()):
            continue
        name = str(getattr(agent, "name", None) or type(agent).__name__)
        path, number = name, 1
        while path in found:
            number += 1
            path = f"{name} {number}"
        found[path] = agent
    return found


def everyone(app: Any) -> Iterator[tuple[str, MultiStepAgent]]:
    """All agents by path, managers before those that they manage. One with two managers has two paths."""
    for path, agent in heads(app).items():
        yield from _below(path, agent, 0)


def _below(path: str, agent: MultiStepAgent, depth: int) -> Iterator[tuple[str, MultiStepAgent]]:
    yield path, agent
    for name, member in agent.managed_agents.items() if depth < _DEPTH else ():
        yield from _below(f"{path}/{name}", original_of(member), depth + 1)


def described(path: str, agent: MultiStepAgent) -> Agent:
    """An agent as the record tells of it."""
    role = getattr(agent, "instructions", None) or getattr(agent, "description", None) or ""
    return Agent(
        path=path,
        kind="manager" if agent.managed_agents else "worker",
        role=str(role),
        tools=tuple(name for name in agent.tools if name != FINAL),
    )
