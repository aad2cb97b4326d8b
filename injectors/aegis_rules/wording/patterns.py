"""Wordings: one thought, said in many ways, so that no fixed phrase can be told from the rest of a text."""

from __future__ import annotations

import random
import re

__all__ = ["addressed", "say"]

_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def say(rng: random.Random, pattern: str, **words: str) -> str:
    """One wording of a pattern: `[a|b|c]` (nested too) is one of a, b, c; `{name}` is the given word.

    The result begins with a capital letter and has single spaces.
    """
    text = pattern
    while match := _CHOICE.search(text):
        text = text[: match.start()] + rng.choice(match[1].split("|")) + text[match.end() :]
    text = re.sub(r"\s+", " ", text.format(**words)).strip()
    text = re.sub(r"\s+([.,;])", r"\1", text)
    return text[:1].upper() + text[1:]


def addressed(rng: random.Random, sentence: str, name: str) -> str:
    """The sentence, in some of the cases with the name of whom it is for in front."""
    name = name.replace("_", " ")
    if rng.random() < 0.7 or not re.fullmatch(r"[\w -]{2,30}", name):
        return sentence
    lowered = sentence if sentence.startswith("I ") else sentence[:1].lower() + sentence[1:]
    return f"{name[:1].upper()}{name[1:]}, {lowered}"
