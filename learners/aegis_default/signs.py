"""One sign of error at one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aegis_default.reading import Reading

__all__ = ["Detector", "Sign"]


@dataclass(frozen=True, kw_only=True)
class Sign:
    """That something speaks against a step.

    `signal` is the name of the signal, `step` the index of the blamed step, `evidence` a clause with a quote that says
    what it rests on. `strength` lies in (0, 1]: how far the sign holds here. `mode` is the MAST mode that it speaks
    for, None where it speaks for none.
    """

    signal: str
    step: int
    evidence: str
    strength: float = 1.0
    mode: str | None = None


Detector = Callable[[Reading], Iterable[Sign]]
"""Finds the signs of one signal, or of a few that are found together."""
