"""The voice of a member: traits that are drawn for it once and that it keeps in most of its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from aegis_core.world.model.chance import draw
from aegis_core.world.model.view import View

__all__ = ["Voice", "voice_of"]

T = TypeVar("T")
Layout = Literal["lines", "dashes", "stars", "numbers", "prose"]
Heads = Literal["none", "hash", "bold", "colon"]

MOOD = 0.35
"""How often a trait is drawn anew for one job, instead of being the member's own."""
_LENGTHS: Sequence[tuple[int, float]] = ((0, 0.2), (1, 0.28), (2, 0.28), (3, 0.24))
_LAYOUTS: Sequence[tuple[Layout, float]] = (
    ("lines", 0.2),
    ("dashes", 0.25),
    ("stars", 0.1),
    ("numbers", 0.25),
    ("prose", 0.2),
)
_HEADS: Sequence[tuple[Heads, float]] = (("none", 0.3), ("hash", 0.3), ("bold", 0.25), ("colon", 0.15))


@dataclass(frozen=True)
class Voice:
    """How somebody talks.

    `length`: 0 says what has to be said, 1 a little more, 2 talks, 3 leaves nothing out. The shares are those of real
    logs, roughly: a third of the messages of assistants have headings or lists, a third begin with an announcement.
    """

    length: int
    layout: Layout
    heads: Heads
    hedges: bool
    chats: bool
    restates: bool

    @property
    def headed(self) -> bool:
        """Whether parts of a message get headings."""
        return self.length >= 2 and self.heads != "none"


def voice_of(view: View) -> Voice:
    """The voice in which the agent answers these messages."""
    return _voice(f"{view.seed}|{view.name or view.role}", view.key)


@lru_cache(maxsize=2048)
def _voice(member: str, job: str) -> Voice:
    def trait(name: str, options: Sequence[tuple[T, float]]) -> T:
        mood = draw("mood", name, job) < MOOD
        return _weighted(options, draw("voice", name, job if mood else member))

    yes_or_no = ((True, 0.4), (False, 0.6))
    return Voice(
        length=trait("length", _LENGTHS),
        layout=trait("layout", _LAYOUTS),
        heads=trait("heads", _HEADS),
        hedges=trait("hedges", ((True, 0.3), (False, 0.7))),
        chats=trait("chats", yes_or_no),
        restates=trait("restates", yes_or_no),
    )


def _weighted(options: Sequence[tuple[T, float]], chance: float) -> T:
    for option, weight in options:
        chance -= weight
        if chance < 0:
            return option
    return options[-1][0]
