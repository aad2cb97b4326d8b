"""How much each signal counts, and how likely a step is to blame before anything is read.

All numbers are log-odds against an ordinary step: 0.7 doubles the odds, 1.4 quadruples them, 2.3 makes them tenfold.
They were set by hand in steps of about a half.
"""

from __future__ import annotations

from aegis_default.reading import Part

__all__ = ["NOBODY", "PART_PRIOR", "RANK_PRIOR", "SIGNALS", "rank_prior"]

SIGNALS: dict[str, float] = {
    # What can be checked without doubt: hardly ever there by chance.
    "slip": 2.5,
    "departure": 2.5,
    "contradiction": 2.0,
    "operand": 2.0,
    "other-unit": 2.5,
    "empty-report": 2.5,
    "undelivered": 2.0,
    "broken-run": 2.0,
    # Wording and circumstances: common in good runs too.
    "turnabout": 1.5,
    "loosened": 1.5,
    "invention": 1.0,
    "crash": 1.0,
    "disputed": 1.0,
    "answer-origin": 1.0,
    "unsourced": 1.0,
    "fruitless": 0.5,
    "early-end": 0.5,
    "repeat": 0.5,
    "waved-through": 0.3,
}

PART_PRIOR: dict[Part, float] = {
    "work": 0.0,
    "act": -0.5,  # a call is mostly as good as the thought behind it
    "direction": -1.0,  # directions are mostly general, and who works by them can still see what is wrong
    "briefing": -1.0,  # mostly the task as it was given
    "closing": -2.5,  # next to no content that could be wrong
    "failure": 0.0,
    "result": 0.0,
}

RANK_PRIOR = -0.25
"""For each activation of a worker that came before: an error is looked for where it first came in, and what comes
later builds on it."""
_FURTHEST = -2.5

NOBODY = 1.0
"""Log-odds of "none of these steps": what keeps the confidence low where little speaks."""


def rank_prior(rank: int) -> float:
    """Log-odds of a step by how many activations with work came before it, from 0."""
    return max(_FURTHEST, RANK_PRIOR * rank)
