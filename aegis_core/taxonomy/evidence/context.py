"""What a predicate is shown of a turn, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import Field

from aegis_core.faults import Evidence, Strategy
from aegis_core.records import Record

__all__ = ["Predicate", "TurnContext", "verdict"]

_LONGEST_SPAN = 240


class TurnContext(Record):
    """One turn of the target, in the clean run and in the faulty one.

    `clean` and `faulty` are the texts of the delivered steps of the turn, in order. `clean_said` and `faulty_said` are
    those of them that were handed on to others, so not results of tools and not thoughts (None: all of them).
    `clean_seen` and `faulty_seen` are the texts that the agent saw in that turn; for prompt injection `faulty_seen`
    holds the altered input. `receivers_seen` are the texts that others were given in the faulty run, a tuple for each
    of their turns in which the alteration was observed; empty if it is not known who they are. `task` is the task as
    the user stated it; `role` is the agent's system prompt, or "".
    """

    task: str
    agent: str = Field(min_length=1)
    role: str = ""
    strategy: Strategy
    clean: tuple[str, ...]
    faulty: tuple[str, ...]
    clean_seen: tuple[str, ...] = ()
    faulty_seen: tuple[str, ...] = ()
    clean_said: tuple[str, ...] | None = None
    faulty_said: tuple[str, ...] | None = None
    receivers_seen: tuple[tuple[str, ...], ...] = ()

    @property
    def handed_on(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The texts that were handed on in the clean turn, and those in the faulty one."""
        clean = self.clean if self.clean_said is None else self.clean_said
        return clean, self.faulty if self.faulty_said is None else self.faulty_said


Predicate = Callable[[TurnContext], Evidence]
"""Says whether a mode happened in the faulty turn and not in the clean one."""


def verdict(mode: str, holds: bool, because: str, spans: Iterable[str] = ()) -> Evidence:
    """Evidence with its spans trimmed, each once, and cut at 240 characters; empty ones left out."""
    trimmed = dict.fromkeys(span.strip()[:_LONGEST_SPAN].strip() for span in spans)
    return Evidence(mode=mode, holds=holds, because=because, spans=tuple(span for span in trimmed if span))
