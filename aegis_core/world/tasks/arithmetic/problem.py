"""What the word problems share."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from aegis_core.world.tasks.draft import Draft, decimal, is_short

__all__ = ["aside", "ask_in", "plural", "problem"]


def plural(noun: str) -> str:
    """The plural of one of the nouns of the templates."""
    return noun + ("es" if noun.endswith(("x", "s", "ch")) else "s")


def ask_in(words: Random, unit: str) -> str:
    """The sentence that says in which unit the answer is wanted."""
    return words.choice(
        (
            f"Give the answer in {unit}.",
            f"State the result in {unit}.",
            f"The answer is wanted in {unit}.",
            f"Please express the result in {unit}.",
            f"Answer in {unit}.",
        )
    )


def problem(sentences: list[str], answer: Fraction, unit: str, template: str) -> Draft | None:
    """A word problem, or None if the answer can't be written exactly or isn't positive."""
    if not is_short(answer) or answer <= 0:
        return None
    return Draft(" ".join(s for s in sentences if s), f"{decimal(answer)} {unit}", "numeric", template)


def aside(words: Random, numbers: Random, difficulty: int) -> str:
    """A true sentence with a figure that the question doesn't need, for the hardest tasks."""
    text = words.choice(
        (
            "The place has been run by the same family for {} years.",
            "By the way, {} visitors came on the day before.",
            "The file on it has {} pages.",
        )
    )
    return text.format(numbers.randint(3, 90)) if difficulty >= 3 else ""
