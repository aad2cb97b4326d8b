"""Reading and rounding the figures of a text."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["FIGURE", "figures", "rounded", "value"]

FIGURE = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w|[.,]\d)")


def value(figure: str) -> Decimal:
    """The number that a figure stands for."""
    return Decimal(figure.replace(",", ""))


def figures(text: str) -> tuple[Decimal, ...]:
    """The numbers in a text, in order."""
    return tuple(value(match.group()) for match in FIGURE.finditer(text))


def rounded(number: Decimal, step: int) -> Decimal:
    """The multiple of `step` that is nearest to a number, half up."""
    return (number / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step
