"""Orders: lists of names that a turn gives, and what it says about who or what comes before whom."""

# The texts that are read hold such characters; word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aegis_core.taxonomy.evidence.reading.claims import Conclusion, attributed
from aegis_core.taxonomy.evidence.reading.passages import GUESS, NEGATION, Passage

__all__ = ["FORWARD", "Relation", "broken", "calibrated", "listed", "listings", "relations", "reversed_order"]

_SEPARATOR = re.compile(
    r"\s*(?:,\s*(?:and|then|and then|followed by)\s|[,;>→⟶⇒|<\n]+|->|\s(?:and|then|followed by|before|is followed "
    r"by)\s)\s*",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\s*\([^()\n]*\)")
_NUMBERED = re.compile(r"^\(?\d{1,3}[.)]\s+")
_ITEM = re.compile(r"[^\W_][\w'&.\- ]{0,38}\Z")
_LEAD = re.compile(
    r".*(?::|=|\b(?:is|are|was|were|be|as|follows|order|gives?|get|have|list|sequence|with)\b)\s*", re.I | re.S
)
_CLAUSE = re.compile(r"[,;:]|\b(?:and|but|so|while|whereas|because|since|as|which|therefore|then)\b", re.IGNORECASE)
_FAMILIES = (
    (
        "before",
        re.compile(r"\b(?:before|ahead of|earlier than|prior to|preced(?:es|ed|ing)|beats?|sooner than|in front of)\b"),
    ),
    ("after", re.compile(r"\b(?:after|behind|later than|follow(?:s|ed|ing)|below|trail(?:s|ed))\b")),
    ("left", re.compile(r"\bleft of\b")),
    ("right", re.compile(r"\bright of\b")),
    ("above", re.compile(r"\babove\b|\bhigher than\b")),
    (">", re.compile(r"^\W*(?:>|→|->|⟶|⇒)\W*$")),
    ("<", re.compile(r"^\W*<\W*$")),
)
_COMPARATIVE = re.compile(r"\b(?:(?:more|less|fewer)\s+(?:[^\W\d_]+\s+)?|([^\W\d_]{2,}er)\s+(?:[^\W\d_]+\s+)?)than\b")
FORWARD = {"before": True, "left": True, "above": True, "#": True, ">": True, "after": False, "right": False}
"""Kinds of relations that speak of a direction, with whether the first item stands first in that direction."""
_ORDINAL = re.compile(
    r"\b(?:(first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|sixth|6th|last)"
    r"|(?:position|place|rank|number|slot)\s+(\d{1,2}))\b"
    r"(?!\s+(?:clue|fact|statement|hint|rule|step|condition|sentence|question|thing|point|note|constraint|of all|"
    r"to\b))",
    re.IGNORECASE,
)
_PLACES = {
    word: place
    for place, pair in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th"))
    for word in pair.split()
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A claim about an order: `kind` relates `first` to `second`, or puts `first` at a place ("#n", n from 0)."""

    kind: str
    first: str
    second: str
    passage: Passage


def listings(text: str) -> list[tuple[str, ...]]:
    """The lists of at least three distinct short items in a text, on one line or one item a line; items casefolded."""
    found = []
    for line in text.split("\n"):
        items = _items(_SEPARATOR.split(_BRACKETED.sub("", line)))
        if items:
            found.append(items)
    if "\n" in text:
        lines = [_NUMBERED.sub("", line.strip(" .*|")) for line in text.split("\n")]
        lines = [re.split(r"\s*(?:[:–(,]|-\s)", line, maxsplit=1)[0] for line in lines]
        items = _items([line for line in lines if line])
        if items:
            found.append(items)
    return found


def _items(chunks: Sequence[str]) -> tuple[str, ...]:
    if not 3 <= len(chunks) <= 40:
        return ()
    items = [chunk.strip(" \t.!\"'*[]{}`") for chunk in chunks]
    items[0] = _LEAD.sub("", items[0]).strip(" \"'*[]{}`")
    items = [item for item in items if item]
    folded = tuple(item.casefold() for item in items)
    if len(items) < 3 or len(set(folded)) != len(folded):
        return ()
    if not all(_ITEM.match(item) and len(item.split()) <= 4 for item in items):
        return ()
    capitals = sum(not item[0].islower() for item in items)
    single = all(len(item.split()) <= 2 for item in items)
    return folded if single or capitals == len(items) else ()


def listed(conclusion: Conclusion | None, text: str) -> tuple[str, ...]:
    """The list that a conclusion gives; for a text that marks none, the short lines with which it ends; else ()."""
    if conclusion is None:
        return ()
    found = listings(conclusion.payload) or listings("\n".join(part.text for part in conclusion.passages))
    if not found and conclusion.strength == "closing":
        found = listings(_tail(text))
    return found[-1] if found else ()


def _tail(text: str) -> str:
    lines: list[str] = []
    for line in reversed(text.rstrip().split("\n")[-40:]):
        if not line.strip() or len(line.split()) > 5 or line.rstrip()[-1] in ".!?:":
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def reversed_order(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether one is the other from end to beginning."""
    return tuple(first) == tuple(reversed(second))


def relations(parts: Iterable[Passage], items: Sequence[str]) -> list[Relation]:
    """What the passages claim about the order of the items; not where they deny, guess or speak of what others said."""
    mention = re.compile(r"\b(?:" + "|".join(re.escape(item) for item in items) + r")\b")
    found: list[Relation] = []
    for part in parts:
        lower = part.text.casefold()
        if not mention.search(lower) or NEGATION.search(lower) or GUESS.search(lower) or attributed(lower):
            continue
        for clause in _CLAUSE.split(lower):
            found.extend(_related(clause, part, mention, len(items)))
    return found


def _related(clause: str, part: Passage, mention: re.Pattern[str], n_items: int) -> list[Relation]:
    places = list(mention.finditer(clause))
    if len(places) == 1:
        return _placed(clause, places[0].group(), part, n_items)
    found = []
    for left, right in pairwise(places):
        kind = _kind(clause[left.end() : right.start()])
        if kind and left.group() != right.group():
            found.append(Relation(kind, left.group(), right.group(), part))
    return found


def _placed(clause: str, item: str, part: Passage, n_items: int) -> list[Relation]:
    ordinals = list(_ORDINAL.finditer(clause))
    if len(ordinals) != 1:
        return []
    word, number = ordinals[0].groups()
    place = int(number) - 1 if number else n_items - 1 if word == "last" else _PLACES[word]
    return [Relation(f"#{place}", item, "", part)]


def _kind(between: str) -> str:
    if len(between) > 60:
        return ""
    kinds = [name for name, pattern in _FAMILIES if pattern.search(between)]
    comparative = _COMPARATIVE.search(between)
    if comparative and not kinds:
        return comparative.group()
    return kinds[0] if len(kinds) == 1 else ""


def calibrated(found: Iterable[Relation], order: Sequence[str]) -> dict[str, bool]:
    """Of each kind of relation, whether its first item stands before the second in a right order.

    Kinds that the order both meets and breaks say nothing, and are left out.
    """
    place = {item: index for index, item in enumerate(order)}
    seen: dict[str, set[bool]] = {}
    for relation in found:
        seen.setdefault(_key(relation), set()).add(_before(relation, place))
    return {kind: signs.pop() for kind, signs in seen.items() if len(signs) == 1}


def broken(found: Iterable[Relation], order: Sequence[str], signs: dict[str, bool]) -> list[Relation]:
    """The relations that an order contradicts, read as `calibrated` has them."""
    place = {item: index for index, item in enumerate(order)}
    return [item for item in found if _key(item) in signs and _before(item, place) is not signs[_key(item)]]


def _key(relation: Relation) -> str:
    return "#" if relation.kind.startswith("#") else relation.kind


def _before(relation: Relation, place: dict[str, int]) -> bool:
    if relation.kind.startswith("#"):
        return place[relation.first] == int(relation.kind[1:])
    return place[relation.first] < place[relation.second]
