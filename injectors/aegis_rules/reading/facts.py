"""Which sentences of a text hold what others need to know: quantities, and relations between named things."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from aegis_rules.reading import demands
from aegis_rules.reading.conclusions import Conclusion, find_conclusions
from aegis_rules.reading.figures import find_figures, has_quantity, masked
from aegis_rules.reading.passages import Reading
from aegis_rules.reading.sentences import Sentence, n_words

__all__ = ["Fact", "content_left", "find_facts", "has_working", "states"]

_RELATION = re.compile(
    r"\b(?:before|after|ahead of|behind|between|next to|left of|right of|above|below|earlier|later|than|first|last|"
    r"second|third|fourth|fifth|immediately|directly|follows?|precedes?|ends?|begins?|starts?|finish(?:ed|es)?|arriv(?:ed|es)|older|younger|"
    r"taller|shorter|heavier|lighter|faster|slower|is|are|was|were|has|have|won|by|from|in|at)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+\b|\b[A-Z][a-z]+\b(?=\s(?:[A-Z][a-z]+|is|was|has|came|comes|arrived|finished|sits|stands|left|ran|stood)\b)"
)
_EMPHASIS = re.compile(r"\*\*[^*\n]{2,60}\*\*|[\"\u201c][^\"\u201d\n]{2,80}[\"\u201d]")
_WORKING = re.compile(
    r"=|[+\u00d7*\u00f7]|\b(?:plus|minus|times|divided|because|since|so|then|adds?|multipl\w+|subtract\w*|sum|per|each)\b",
    re.I,
)
_FAREWELL = re.compile(r"[\W_]*[A-Z_]+[\W_]*")


@dataclass(frozen=True)
class Fact:
    """A sentence (or a bare leaf of JSON: `sentence` is None) that holds something others may need."""

    passage: int
    sentence: Sentence | None
    text: str
    figures: tuple[Fraction, ...] = ()

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands: passage, and start of the sentence (-1 for a bare leaf)."""
        return self.passage, self.sentence.start if self.sentence else -1


@lru_cache(maxsize=256)
def find_facts(reading: Reading) -> tuple[Fact, ...]:
    """The facts of a text, in order: quantities, relations between names, emphasised findings, its conclusion."""
    found = []
    concluding = {(one.passage, one.sentence.start) for one in find_conclusions(reading) if one.sentence}
    for position, passage in enumerate(reading.passages):
        if passage.kind == "number":
            found.append(Fact(position, None, passage.text, _values(passage.text)))
            continue
        for sentence in reading.sentences[position]:
            concludes = (position, sentence.start) in concluding
            if sentence.kind == "heading" or not (concludes or _is_fact(sentence)):
                continue
            found.append(Fact(position, sentence, sentence.text, _values(sentence.text)))
    return tuple(found)


def _values(text: str) -> tuple[Fraction, ...]:
    return tuple(figure.value for figure in find_figures(text))


def _is_fact(sentence: Sentence) -> bool:
    text = sentence.text
    if text.endswith("?") or (text.rstrip("*_ ").endswith(":") and not has_quantity(text)):
        return False
    if has_quantity(text):
        return True
    if demands.PLAN.search(text):
        return False
    view = masked(text)
    names = {match[0] for match in _NAME.finditer(view)}
    return bool((len(names) >= 2 and _RELATION.search(view)) or (_EMPHASIS.search(view) and _RELATION.search(view)))


def states(fact_text: str, one: Conclusion) -> bool:
    """Whether a sentence says what the conclusion says: its figure, its choice, or at least half of its order."""
    if one.kind == "value" and one.figure:
        return one.figure.value in _values(fact_text)
    if one.kind == "choice":
        return bool(re.search(rf"(?<!\w){re.escape(one.text)}(?!\w)", fact_text, re.IGNORECASE))
    present = [member for member in one.members if re.search(rf"(?<!\w){re.escape(member)}(?!\w)", fact_text)]
    return len(present) >= max(2, (len(one.members) + 1) // 2 + 1) or len(present) == len(one.members)


def has_working(reading: Reading, one: Conclusion, places: Collection[Conclusion]) -> bool:
    """Whether the text reasons about what is concluded, apart from the `places` in it that conclude."""
    taken = {(place.passage, place.sentence.start) for place in places if place.sentence}
    leaves = {n for place in places if not place.sentence for n in (place.places or (place.passage,))}
    rest = [s for p, s in reading.all() if (p, s.start) not in taken and p not in leaves and not s.text.endswith("?")]
    if one.kind == "value":
        numbers = [value for sentence in rest for value in _values(sentence.text)]
        restates = any(states(sentence.text, one) for sentence in rest)
        return restates or (len(numbers) >= 2 and any(_WORKING.search(sentence.text) for sentence in rest))
    if one.kind == "choice":
        return any(states(sentence.text, one) and n_words(sentence.text) >= 4 for sentence in rest)
    named = {m for m in one.members for s in rest if re.search(rf"(?<!\w){re.escape(m)}(?!\w)", s.text)}
    return len(named) >= 2 and any(n_words(sentence.text) >= 4 for sentence in rest)


def content_left(text: str) -> bool:
    """Whether a text that was cut still says something: a sentence of three words that is no mere sign-off."""
    return any(n_words(line) >= 3 and not _FAREWELL.fullmatch(line.strip()) for line in text.splitlines())
