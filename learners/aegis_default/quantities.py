"""Numbers in texts, and the prose they are looked for in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["NUMBER", "Quantity", "as_number", "numbers", "prose", "quantities"]

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
"""A figure as people write it, with or without thousands separators and decimals; the sign stands before it."""
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?|file)://\S+|\bwww\.\S+|(?<!\w)[./~]*/(?:[\w.-]+/)+[\w.-]*")
_LIST_MARK = re.compile(
    r"^[ \t>]*(?:[-–*•][ \t]+|(?:#+[ \t]*)?(?:step[ \t]+)?\d{1,2}[.):][ \t])", re.IGNORECASE | re.MULTILINE
)
_QUANTITY = re.compile(rf"(?<![\w.])(?<!\d,)(-?{NUMBER})(?![\d.]*\d)(?:[ \t]?(%|[A-Za-zµ°€$£²³^/]+(?:[23])?))?")


@dataclass(frozen=True)
class Quantity:
    """A number as it is written, with the word after it, which may be its unit ("" where there is none)."""

    value: Fraction
    unit: str
    text: str


def as_number(text: str) -> Fraction:
    """The value of a figure in the form of `NUMBER`, exactly."""
    return Fraction(text.replace(",", ""))


def prose(text: str) -> str:
    """A text without code blocks, addresses, paths and the marks of its lists: none of these is a claim."""
    return _LIST_MARK.sub("", _ADDRESS.sub(" ", _FENCED.sub(" ", text)))


def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number of a text, in order, each with the word that follows on the same line."""
    return tuple(
        Quantity(as_number(found[1]), (found[2] or "").casefold(), found[1]) for found in _QUANTITY.finditer(text)
    )


def numbers(text: str) -> frozenset[Fraction]:
    """The values of all numbers of a text."""
    return frozenset(one.value for one in quantities(text))
