"""Activations of agents, the tools that they ask for, and where in them more agents are run."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from agents import Agent

from aegis_core.adapter import Turn
from aegis_core.run.recorder import OrderKey
from aegis_core.trajectory import Usage
from aegis_openai_agents.results import ResultCodec

if TYPE_CHECKING:
    from aegis_openai_agents.frames import Frame

__all__ = ["Activation", "Asked", "Place", "current_place", "tool_raised"]

current_place: ContextVar[Place | None] = ContextVar("aegis_openai_agents_place", default=None)
"""The tool that is used now."""


@dataclass
class Asked:
    """A tool that a model asked for: in which of its calls, and as which of those that it asked for at once."""

    call_id: str
    name: str
    arguments: Any
    call: int
    position: int
    among: int
    told: bool = False


@dataclass
class Activation:
    """One stretch of an agent's work, with its turn."""

    agent: Agent[Any]
    path: str
    turn: Turn
    calls: int = 0
    failures: int = 0
    """Attempts of the present model call that failed."""
    asked: dict[str, Asked] = field(default_factory=dict)
    usage: Usage | None = None
    """What model calls have cost that is in no step yet."""

    def spend(self, usage: Usage | None) -> None:
        """A model call has cost this."""
        if usage is None or self.usage is None:
            self.usage = self.usage or usage
        else:
            self.usage = Usage(
                input_tokens=self.usage.input_tokens + usage.input_tokens,
                output_tokens=self.usage.output_tokens + usage.output_tokens,
            )

    def spent(self) -> Usage | None:
        """What has been spent and is in no step yet, for the next step, which it is in from now on."""
        usage, self.usage = self.usage, None
        return usage

    def at(self, *place: int) -> Turn:
        """The turn, for what happens at a place inside it: so that parallel work is in order, whoever is first."""
        return replace(self.turn, order=(*self.turn.order, *place))


@dataclass
class Place:
    """Where in a frame another call of `Runner.run` is made."""

    path: str
    """Of the agent that makes it."""
    frame: Frame
    order: OrderKey
    branch: str
    beside: tuple[OrderKey, int] | None
    """In front of which order keys, and at which number, tools are used side by side."""
    begun: int = 0
    open: set[int] = field(default_factory=set)
    """Numbers of the calls made there that have not ended."""
    codec: ResultCodec = field(default_factory=ResultCodec)


def tool_raised(error: Exception) -> None:
    """The tool that is used now raised, and a text may be made of that."""
    place = current_place.get()
    if place is not None:
        place.codec.error = f"{type(error).__name__}: {error}"
