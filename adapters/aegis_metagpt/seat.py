"""Where the code that runs now belongs: in which turn of which role, of which run."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from aegis_core.adapter import Turn
from aegis_core.run import Run
from aegis_core.trajectory import Usage
from aegis_metagpt.names import Member

__all__ = ["Seat", "current"]


@dataclass(eq=False)
class Seat:
    """One `Role.run`, from its begin to its end.

    `turn` is there from when the role reacts to news. `altered` are (what the role said, what others are told
    instead), where that was altered on its way out.
    """

    hold: Any  # the attachment, which imports this module
    run: Run
    member: Member
    turn: Turn | None = None
    model: str | None = None
    usage: Usage | None = None
    """Of all model calls of the turn."""
    words: list[str] = field(default_factory=list)
    """What models said in the turn."""
    said: Any = None  # the Message that the turn ended with, as it is to be published
    altered: tuple[Any, Any] | None = None
    within: bool = False
    """Whether a role runs it in a turn of its own."""
    parents: tuple[int, ...] = ()
    told: frozenset[str] = frozenset()  # ids of the messages that the turn began with

    @property
    def acts(self) -> bool:
        """Whether the role's turn has begun and has not ended yet."""
        return self.turn is not None and not self.turn.ended


current: ContextVar[Seat | None] = ContextVar("aegis_metagpt_seat", default=None)
"""A role's task is a copy of the context in which its environment runs, so this tells parallel roles apart."""
