"""What people say before or after a short answer and that says nothing: the sham's edits where a sentence is too much.

A whole sentence beside an answer of five words would be a far larger edit than the fault's. These are from one word
on, and there are many of each size, so that none of them is the mark of a run.
"""

from __future__ import annotations

import random
import re

__all__ = ["CLOSINGS", "LEAD_INS", "OPENINGS", "courteous"]

LEAD_INS = (
    "So,",
    "Well,",
    "Okay,",
    "Ah,",
    "In short,",
    "Put simply,",
    "As asked,",
    "Briefly put,",
    "To be brief,",
    "In plain words,",
    "As I see it,",
    "To put it simply,",
    "Going by all this,",
    "To say it in short,",
    "From what I have here,",
    "As far as I see,",
    "With thanks to all of you,",
    "To put it in plain words,",
)
"""Clauses that the text itself goes on from."""

OPENINGS = (
    "Hello.",
    "Hi.",
    "Greetings.",
    "Gladly.",
    "Hello everyone.",
    "Hello there.",
    "Of course.",
    "With pleasure.",
    "Here you are.",
    "Hello to all.",
    "Glad to help.",
    "Thanks for asking.",
    "Thank you for asking.",
    "Here is my part.",
    "I am glad to help.",
    "Hello to all of you.",
    "Thank you for the kind request.",
    "I am happy to help with this.",
)
"""Sentences of their own before the text, for one whose first word may be a name or a heading."""

CLOSINGS = (
    "Thanks.",
    "Cheers.",
    "Regards.",
    "Greetings.",
    "Thank you.",
    "Many thanks.",
    "Kind regards.",
    "Best regards.",
    "Thanks to all.",
    "With kind regards.",
    "All the best.",
    "Thank you all.",
    "Thank you for asking.",
    "Thanks for your time.",
    "Glad to be of help.",
    "Thank you for your time.",
    "I hope that this helps you.",
    "All the best to all of you.",
)
"""Sentences after the text."""

_NEAR = 1
"""Words by which one may be farther from the wanted size than the nearest."""
_ORDINARY = re.compile(
    r"(?:The|A|An|It|It's|This|That|There|These|Those|We|You|They|He|She|My|Our|Your|Their|In|On|At|For|From|With|"
    r"Each|Every|All|When|As)(?= [a-z\d])"
)
"""Words that stand in capitals only because they begin the text."""
_HEADED = re.compile(r"[\w ]{1,24}:")


def courteous(text: str, words: int, at_start: bool, rng: random.Random) -> str:
    """The text with a courtesy before it or after it, of about so many words.

    Args:
        text: a text that is not empty.
        words: at least 1.
        at_start: before the text; else drawn.
    """
    text = text.strip("\n")
    if at_start or rng.random() < 0.5:
        return _before(text, words, rng)
    closing = _drawn(CLOSINGS, words, rng)
    return f"{text} {closing}" if text.rstrip().endswith((".", "!", "?")) and "\n" not in text else f"{text}\n{closing}"


def _before(text: str, words: int, rng: random.Random) -> str:
    if "\n" in text or _HEADED.match(text):
        return f"{_drawn(OPENINGS, words, rng)}\n{text}"
    ordinary = _ORDINARY.match(text)
    if ordinary is not None or not text[0].isupper():
        rest = text[0].lower() + text[1:] if ordinary is not None else text
        return f"{_drawn(LEAD_INS, words, rng)} {rest}"
    return f"{_drawn(OPENINGS, words, rng)} {text}"


def _drawn(stock: tuple[str, ...], words: int, rng: random.Random) -> str:
    """One of those that come nearest to the wanted size."""
    off = {one: abs(len(one.split()) - words) for one in stock}
    nearest = min(off.values())
    return rng.choice([one for one, by in off.items() if by <= nearest + _NEAR])
