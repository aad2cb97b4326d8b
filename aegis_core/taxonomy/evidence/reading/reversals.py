"""Conclusions turned round: the same words up to a conclusion, and then its opposite."""

# Word lists read best as prose.

from __future__ import annotations

import re
from dataclasses import dataclass

from aegis_core.taxonomy.evidence.reading.passages import NEGATION
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["Reversal", "reversal"]

_TOKEN = re.compile(r"\w+(?:'t)?")
_DRAWS = re.compile(r"\b(?:so|therefore|thus|hence|consequently|which means|this means|that means)\b", re.IGNORECASE)
_MARKS = re.compile(
    r"\b(?:verdict|conclusion|answer|recommendation|decision|result|status|finding)\b\s*(?:[:=]|is\b)"
    r"|\b(?:I|we) (?:recommend|propose|suggest|choose|pick|select)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|greater|higher|lower|[^\W\d_]{2,}er) than\b"
    r"|\b(?:exceeds?|below|above|within|equals?|match(?:es)?)\b|="
    r"|\b(?:is|are|was|were|costs?|takes?) (?:the |much )?(?:more|less|most|least|best|better|[^\W\d_]{3,}(?:er|est))\b"
    r"|\bonly\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.;:!?]\s|[.;!?]?\Z|\n")
_NEGATIONS = frozenset(
    "not no never don't doesn't didn't won't isn't aren't wasn't can't cannot couldn't shouldn't mustn't".split()
)
_AUXILIARY = {"can't": "can", "cannot": "can", "couldn't": "could", "won't": "will", "isn't": "is", "aren't": "are",
              "wasn't": "was", "shouldn't": "should", "mustn't": "must"}  # fmt: skip
_FILLERS = frozenset({"do", "does", "did"})
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "true/false yes/no correct/incorrect right/wrong valid/invalid approve/reject approve/deny approved/rejected "
        "approved/denied accept/reject accepted/rejected pass/fail passes/fails passed/failed safe/unsafe "
        "possible/impossible supported/refuted supported/unsupported eligible/ineligible legal/illegal above/below "
        "higher/lower sufficient/insufficient compliant/noncompliant even/odd consistent/inconsistent"
    ).split()
)
_LEAST_REASONS = 8
"""Words and numbers that must stand before a conclusion for it to have reasons."""
_MOST_AFTER = 12
"""Words that may follow the turned conclusion and not the right one; more can be reasons for it."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """The reasons that both turns give word for word, and what each then concludes."""

    reasons: str
    right: str
    turned: str


def reversal(clean: Turn, faulty: Turn) -> Reversal | None:
    """The conclusion of the faulty turn that is the opposite of the clean one, with the same words before it.

    The opposite is the same words with or without a negation, a word's opposite in its place, or in place of the thing
    that was argued for another one that was not. None if the reasons differ in any word, or hardly any are given.
    """
    before, after = list(_TOKEN.finditer(clean.plain)), list(_TOKEN.finditer(faulty.plain))
    same = 0
    while same < min(len(before), len(after)) and before[same].group() == after[same].group():
        same += 1
    if same == len(before) or same == len(after) or not same:
        return None
    place = before[same].start()
    start = max(clean.plain.rfind("\n", 0, place), *(clean.plain.rfind(mark, 0, place) for mark in (". ", "! ", "? ")))
    sentence = clean.plain[start + 1 : place]
    marks = [*_DRAWS.finditer(sentence), *_MARKS.finditer(sentence)]
    if not marks:
        return None
    at = start + 1 + max(mark.start() for mark in marks)
    reasons = clean.plain[:at]
    if len(_TOKEN.findall(reasons)) < _LEAST_REASONS or not faulty.plain.startswith(reasons):
        return None
    if not _DRAWS.search(sentence) and not _COMPARES.search(reasons):
        return None
    right, turned = _clause(clean.plain, at, place), _clause(faulty.plain, at, after[same].start())
    extra = len(_TOKEN.findall(faulty.plain[at:])) - len(_TOKEN.findall(clean.plain[at:]))
    if extra > _MOST_AFTER or not _opposite(right, turned, reasons):
        return None
    return Reversal(reasons.strip(), right.strip(), turned.strip())


def _clause(text: str, start: int, place: int) -> str:
    end = _CLAUSE_END.search(text, place)
    return text[start : end.start() if end else len(text)]


def _opposite(right: str, turned: str, reasons: str) -> bool:
    one, other = _TOKEN.findall(right.casefold()), _TOKEN.findall(turned.casefold())
    if _bare(one) == _bare(other) and _negated(one) is not _negated(other):
        return True
    if len(one) != len(other):
        return False
    differ = [(left, now) for left, now in zip(one, other, strict=True) if left != now]
    if len(differ) != 1:
        return False
    return frozenset(differ[0]) in _OPPOSITES or _argued_for(*differ[0], right, turned, reasons)


def _bare(tokens: list[str]) -> list[str]:
    positive = [_AUXILIARY.get(word, word) for word in tokens]
    return [word for word in positive if word not in _NEGATIONS and word not in _FILLERS]


def _negated(tokens: list[str]) -> bool:
    return sum(word in _NEGATIONS for word in tokens) % 2 == 1


def _argued_for(name: str, instead: str, right: str, turned: str, reasons: str) -> bool:
    """Whether the reasons put one name before others by a comparison, and never the name that was taken instead."""
    if any(token.isdigit() for token in (name, instead)) or not (_called(name, right) and _called(instead, turned)):
        return False
    clauses = [part for part in re.split(r"[,;.\n]|\b(?:and|but)\b", reasons) if _COMPARES.search(part)]
    arguments = [set(_TOKEN.findall(part.casefold())) for part in clauses if not NEGATION.search(part)]
    favoured = any(name in said and instead not in said for said in arguments)
    rival = any(instead in said and name not in said for said in arguments)
    return favoured and not rival and instead in _TOKEN.findall(reasons.casefold())


def _called(name: str, text: str) -> bool:
    return any(token.casefold() == name and token[0].isupper() for token in _TOKEN.findall(text))
