"""What a task builder returns, and the words that all families share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

__all__ = ["PEOPLE", "Builder", "Draft", "decimal", "is_short"]

PEOPLE = (
    "Ana", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo", "Iris", "Jonas", "Kira", "Liam", "Mira", "Nils",
    "Olga", "Pavel", "Rosa", "Sven", "Tara", "Uma", "Vera", "Willem", "Yara", "Zoe",
)  # fmt: skip


@dataclass(frozen=True)
class Draft:
    """A task without its id: the text that the system gets, and what the checker needs."""

    text: str
    answer: str
    checker: str
    template: str


Builder = Callable[[Random, Random, int], Draft | None]
"""Builds a task from a source of words, a source of numbers and a difficulty (1 to 3).

The same words with other numbers give the same question about other figures. None: these numbers give no exact
answer (or no unique one); draw others.
"""


def decimal(number: Fraction) -> str:
    """A number with a finite decimal expansion, written without needless zeros."""
    if number.denominator == 1:
        return str(number.numerator)
    digits = 1
    while (number * 10**digits).denominator != 1:
        digits += 1
    scaled = abs(number * 10**digits).numerator
    whole, rest = divmod(scaled, 10**digits)
    return f"{'-' if number < 0 else ''}{whole}.{rest:0{digits}d}"


def is_short(number: Fraction) -> bool:
    """Whether two decimals are enough to write the number exactly."""
    return (number * 100).denominator == 1
