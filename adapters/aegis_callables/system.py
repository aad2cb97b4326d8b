"""A system made of undecorated functions: which one is the entry, and where its members are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aegis_core.trajectory import Agent

__all__ = ["Callables"]


@dataclass(frozen=True)
class Callables:
    """Undecorated functions as a system.

    `members` maps the path of each agent to where its function is looked up when it is called: an
    `(owner, attribute)` pair, the owner being a module, a class, or an object. While a run is recorded, these
    attributes hold wrappers; afterwards they hold what they held before, by identity. `roles` are descriptions.

        Callables(entry=team.solve, members={"Planner": (team, "plan"), "Solver": (team, "compute")})
    """

    entry: Callable[..., Any]
    members: Mapping[str, tuple[Any, str]]
    roles: Mapping[str, str] = field(default_factory=dict)

    def agents(self) -> tuple[Agent, ...]:
        """The members as agents, in the order given."""
        return tuple(Agent(path=path, role=self.roles.get(path, "")) for path in self.members)
