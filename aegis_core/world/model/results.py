"""What an agent reads out of the others' messages: a conclusion, a verdict, an assignment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from aegis_core.world.model.language import sentences, stem
from aegis_core.world.model.understanding import Family, Value

__all__ = ["assignment", "conclusion", "mentions", "next_speaker", "objects", "settled"]

_CUE = re.compile(
    r"\b(?:answer|result|solution|therefore|thus|hence|so|conclu\w*|final\w*|in total|altogether|comes to|makes"
    r"|outcome|which gives|overall|in all|i get|i arrive|we get|we have|finish\w*|order is|ends? up)\b",
    re.I,
)
_STRONG = re.compile(r"\b(?:answer|result|solution|conclu\w*|final\w*|outcome)\b", re.I)
_OBJECTION = re.compile(
    r"\b(?:object\w*|disagree\w*|wrong|incorrect|mistake|error|not (?:right|correct|agree|what|follow|confirm\w*"
    r"|convinced|match\w*|accept\w*)|does(?:n't| not) (?:match|fit|hold|add)|can(?:'t|not) (?:confirm|agree|accept"
    r"|approve)|redo|revise|again|reject\w*|should be|instead of|please (?:correct|fix)|doubt)\b",
    re.I,
)
_AGREEMENT = re.compile(
    r"\b(?:(?<!not )(?<!cannot )(?<!can't )(?:agree|approv\w*|accept\w*|confirm\w*)|correct|right|fine"
    r"|no (?:objection|error|mistake)s?|holds|same (?:result|number|order|name)|matches|looks good"
    r"|nothing to object)\b",
    re.I,
)


def conclusion(text: str, family: Family, question: Any) -> Value | None:  # Any: each family has its own question
    """The result that a message states: in its last concluding sentence, else in its last sentence with a result."""
    found = [(s, family.value(s, question)) for s in sentences(text)]
    stated = [(s, value) for s, value in found if value is not None]
    for cue in (_STRONG, _CUE):
        for sentence, value in reversed(stated):
            if cue.search(sentence):
                return value
    return stated[-1][1] if stated else None


@lru_cache(maxsize=1024)
def objects(text: str) -> bool:
    """Whether a review finds fault with what it reviewed; without any verdict it does not."""
    against = len(_OBJECTION.findall(text))
    for_it = len(_AGREEMENT.findall(text))
    return against > for_it


def assignment(plan: str, me: str, others: frozenset[str]) -> str:
    """The part of a plan that is addressed to `me`: from the name up to the next name, or to the end of the line."""
    parts = []
    for line in plan.split("\n"):
        spots = [m for m in re.finditer(r"\b[A-Z][A-Za-z_]*\b", line) if m[0] == me or m[0] in others]
        for i, spot in enumerate(spots):
            if spot[0] == me:
                parts.append(line[spot.end() : spots[i + 1].start() if i + 1 < len(spots) else len(line)])
    return " ".join(parts)


def next_speaker(text: str, names: Iterable[str]) -> str:
    """Whose turn it is by what a manager says: the last member that is spoken to or handed over to; "" for nobody."""
    known = "|".join(map(re.escape, names))
    spots = [
        (spot.start(), spot[1])
        for pattern in (
            rf"(?m)(?:^|(?<=[.!?:] ))[\W\d]*({known})\b(?=\s*[,:*]| (?:looks|takes|is|finds|should|can|will|please)\b)",
            rf"(?i:\b(?:next|over to|turn of|hand\w* (?:this |it )?on to|give it to|ask))\W*({known})\b",
        )
        for spot in re.finditer(pattern, text)
    ]
    return max(spots)[1] if spots and known else ""


_CLOSED = re.compile(
    r"\b(?:finished|complete|done|closed?|settles?|settled|agreed|agreement is reached|over|concluded|adjourn\w*)\b",
    re.I,
)
_OPEN = re.compile(r"\b(?:not|no|never|more|another|differ\w*|split|continue|go on|further|again|yet)\b|n't\b", re.I)


def settled(text: str) -> bool:
    """Whether who leads a discussion says that it is over: by the last sentence that says either."""
    for sentence in reversed(sentences(text)):
        if _OPEN.search(sentence):
            return False
        if _CLOSED.search(sentence):
            return True
    return False


def mentions(text: str, topic: str) -> bool:
    """Whether a text speaks of a topic, word by word, singular or plural, and not of a longer one that holds it."""
    whole, part = f" {_stems(text)} ", f" {_stems(topic)} "
    at = whole.find(part)
    while at >= 0:
        before, behind = whole[:at].split()[-1:], whole[at + len(part) - 1 :].split()[:1]
        if before not in (["per"], ["used"]) and behind not in (["per"], ["of"]):
            return True
        at = whole.find(part, at + 1)
    return False


@lru_cache(maxsize=4096)
def _stems(text: str) -> str:
    return " ".join(stem(word) for word in re.findall(r"[A-Za-z]+", text))
