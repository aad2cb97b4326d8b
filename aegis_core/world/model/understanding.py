"""What the families of problems share: the form an answer is to have, a value, and a piece of working."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from aegis_core.world.model.language import Unit, plural, show

__all__ = ["Family", "Form", "Mistake", "Value", "Working", "exact_result"]

Mistake = Callable[[int, Fraction], Fraction]
"""What becomes of the result of the n-th computation (from 0) of a working; slips are made here."""


def exact_result(_position: int, number: Fraction) -> Fraction:
    """No slip."""
    return number


@dataclass(frozen=True)
class Form:
    """How an answer is to be given. None and False: nothing was said about it."""

    unit: Unit | None = None
    rounding: str | None = None
    """`ten`, `hundred`, `thousand`, or the number of decimals as digits."""
    reverse: bool = False
    alphabetical: bool = False
    separator: str = ""
    in_words: bool = False


@dataclass(frozen=True)
class Value:
    """A result: a number with a unit, or names in an order."""

    number: Fraction | None = None
    unit: str = ""
    """Singular name of the unit."""
    items: tuple[str, ...] = ()
    raw: str = ""
    """As it was written, where it was read from a text."""

    @property
    def text(self) -> str:
        """The result as one writes it."""
        if self.number is None:
            return ", ".join(self.items)
        noun = plural(self.unit) if self.unit and self.number != 1 else self.unit
        return f"{show(self.number)} {noun}".strip()

    def same(self, other: Value) -> bool:
        """Whether it is the same result; a unit that one of them leaves out doesn't count."""
        if self.number is None or other.number is None:
            return self.items == other.items and self.number is other.number
        close = abs(self.number - other.number) <= abs(self.number) / 1000
        close = close if self.number.denominator > 10000 else show(self.number) == show(other.number)
        return close and (not self.unit or not other.unit or self.unit == other.unit)


@dataclass(frozen=True)
class Working:
    """A computation in words. Without a `value`, `missing` says what it would have needed.

    `guess` is what comes out if one goes on without what is missing.
    """

    lines: tuple[str, ...]
    value: Value | None
    missing: str = ""
    guess: Value | None = None


class Family(Protocol):
    """How one family of problems is read, handed on in words, and worked out. No state."""

    def question(self, text: str) -> Any | None:  # Any: each family has its own kind of question
        """What a task asks, or None if it is of another family."""

    def facts(self, text: str, question: Any) -> tuple[Any, ...]:  # Any: each family has its own kind of fact
        """The facts that a text states."""

    def relevant(self, facts: tuple[Any, ...], question: Any) -> tuple[Any, ...]:
        """Those of the facts that may bear on the question."""

    def topic(self, fact: Any) -> str:
        """What a fact is about, in a few words."""

    def outline(self, question: Any, voice: int) -> str:
        """What else has to be known to understand the question away from its text, without a fact; may be empty."""

    def tell(self, fact: Any, voice: int) -> str:
        """A fact in words that `facts` reads back to the same fact; `voice` chooses the words."""

    def misread(self, fact: Any, key: str) -> Any:
        """The fact with something mixed up, decided by `key` alone."""

    def work(self, question: Any, facts: tuple[Any, ...], form: Form, mistake: Mistake, key: str) -> Working:
        """Work the answer out from these facts and no others; `key` decides what the facts leave open."""

    def value(self, text: str, question: Any) -> Value | None:
        """The result that a sentence states, if any."""
