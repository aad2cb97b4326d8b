"""The figures of a text."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["figures"]

_FIGURE = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w|[.,]\d)")


def figures(text: str) -> tuple[Decimal, ...]:
    """The numbers in a text, in order: `1,296` and `1296.0` are one number."""
    return tuple(Decimal(match.group().replace(",", "")) for match in _FIGURE.finditer(text))
