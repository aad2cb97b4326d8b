"""Numbers in texts, and the prose they are looked for in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["NUMBER", "Quantity", "as_number", "numbers", "prose", "quantities"]

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
"""A figure as people write it, with or without thousands separators and decimals; the sign stands before it."""
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
# Patterns that begin with a letter or a class of signs are looked for several times as fast as those that begin with a
# condition; so the condition on what stands before comes second here.
_PATH = r"(?<!\w.)[./~]*(?<=/)(?:[\w.-]+/)+[\w.-]*"
_ADDRESS = re.compile(
    r"h(?<=\bh)ttps?://\S+|f(?<=\bf)ile://\S+|w(?<=\bw)ww\.\S+"
    + "".join(rf"|{first}{_PATH}" for first in (r"\.", "/", "~"))
)
_LIST_MARK = re.compile(
    r"^[ \t>]*(?:[-–*•][ \t]+|(?:#+[ \t]*)?(?:step[ \t]+)?\d{1,2}[.):][ \t])", re.IGNORECASE | re.MULTILINE
)
_QUANTITY = re.compile(
    r"([-\d](?<![\w.].)(?<!\d,.)(?:(?<=-)\d|(?<=\d))(?:\d{0,2}(?:,\d{3})+|\d*)(?:\.\d+)?)(?![\d.]*\d)"
    r"(?:[ \t]?(%|[A-Za-zµ°€$£²³^/]+(?:[23])?))?"
)


@dataclass(frozen=True)
class Quantity:
    """A number as it is written, with the word after it, which may be its unit ("" where there is none)."""

    value: Fraction
    unit: str
    text: str


def as_number(text: str) -> Fraction:
    """The value of a figure in the form of `NUMBER`, exactly."""
    whole, _, decimals = text.replace(",", "").partition(".")
    # Reading a fraction from a text takes several times as long.
    return Fraction(int(whole + decimals), 10 ** len(decimals)) if decimals else Fraction(int(whole))


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
    return frozenset(map(as_number, {number for number, _ in _QUANTITY.findall(text)}))
