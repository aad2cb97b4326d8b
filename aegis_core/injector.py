"""The contract of what writes the altered text of a fault."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.faults import Outcome, Scope, Strategy, Target
from aegis_core.records import Record
from aegis_core.trajectory import Agent

__all__ = ["Edits", "InjectionContext", "Injector", "Realisation", "Refused"]


class Realisation(Record):
    """One of an injector's ways to cause a mode by a strategy."""

    name: str
    mode: str
    strategy: Strategy
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class InjectionContext:
    """All that an injector may know at the target's moment. Never the gold answer, never the clean run.

    `parts` are the texts at the site: for prompt injection what the agent is about to see, for response
    corruption what it has just produced. `seen` is what it saw in this turn (empty before it acts). `history`
    are the delivered texts of the run so far, oldest first, as (agent path, text).
    """

    task: str
    agent: Agent
    agents: tuple[Agent, ...]
    parts: tuple[Part, ...]
    scope: Scope
    seed: int
    seen: tuple[Part, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    previous: tuple[Outcome, ...] = ()
    """Outcomes of earlier attempts at this very target."""


@dataclass(frozen=True, kw_only=True)
class Edits:
    """New texts by part id, all of editable parts, and optionally another addressee of a hand-off."""

    texts: Mapping[str, str]
    realisation: str
    route: str | None = None
    notes: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """The text gives nothing to alter, or the alteration failed. Never leaves a label."""

    reason: str


class Injector(ABC):
    """Writes the text by which a mode is caused. Deterministic for a given context, unless it says otherwise."""

    name: str

    @abstractmethod
    def realisations(self) -> tuple[Realisation, ...]:
        """All ways in which this injector can cause a mode, in a fixed order."""

    @abstractmethod
    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        """The texts that cause `target.mode`, for the n-th attempt (from 1), or why there are none."""
