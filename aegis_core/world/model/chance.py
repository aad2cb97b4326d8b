"""Chance without state: everything random is a hash of the seed and of what it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

__all__ = ["draw", "misread", "pick"]

T = TypeVar("T")


def draw(*key: object) -> float:
    """A number in [0, 1) that depends on the key alone, in every process alike."""
    digest = hashlib.blake2b("\x1f".join(map(str, key)).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / float(1 << 56)


def pick(options: Sequence[T], *key: object) -> T:
    """One of the options, by the key alone."""
    return options[int(draw(*key) * len(options))]


def misread(number: Fraction, *key: object) -> Fraction:
    """The number with one digit off, or two digits swapped: positive and another number."""
    digits = list(str(abs(number.numerator)))
    if len(digits) > 1 and draw("swap", *key) < 0.3:
        at = int(draw("where", *key) * (len(digits) - 1))
        digits[at], digits[at + 1] = digits[at + 1], digits[at]
    else:
        at = int(draw("where", *key) * len(digits))
        digits[at] = str((int(digits[at]) + 1 + int(draw("by", *key) * 9)) % 10)
    other = int("".join(digits))
    if other in (0, abs(number.numerator)):
        other = abs(number.numerator) + 1
    return Fraction(other, number.denominator)
