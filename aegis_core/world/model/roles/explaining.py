"""A line of working with a word on what is done in it, as those give it who take their time."""

from __future__ import annotations

import re

from aegis_core.world.model.chance import pick
from aegis_core.world.model.view import View

__all__ = ["explained"]

_WORDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"\d\S* % of "),
        ("With the percentage: ", "The share that counts: ", "By percentage: "),
    ),
    (re.compile(r" \+ "), ("Adding up: ", "Putting these together: ", "Everything on one pile: ", "Summed: ")),
    (re.compile(r" - "), ("Taking off what does not count: ", "What is left: ", "Minus the rest: ", "Subtracting: ")),
    (re.compile(r" x "), ("Multiplying the two: ", "One times the other: ", "Scaling up: ", "By multiplication: ")),
    (re.compile(r" / "), ("Dividing: ", "Split evenly: ", "One over the other: ", "By division: ")),
    (re.compile(r" = "), ("In the unit that fits: ", "Converted: ", "Bringing the unit in line: ", "Same amount: ")),
)


def explained(view: View, line: str) -> str:
    """The line, mostly with a few words before it."""
    for pattern, words in _WORDS:
        if pattern.search(line):
            return pick((*words, ""), "explained", view.key, pattern.pattern) + line
    return line
