"""What becomes of facts and results when an agent does as it was told, against its own working."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

from aegis_core.world.model.chance import draw, misread, pick
from aegis_core.world.model.results import mentions
from aegis_core.world.model.understanding import Value
from aegis_core.world.model.view import View

__all__ = ["departed", "first_half", "is_led", "led", "without_omitted"]

T = TypeVar("T")
_POSITIONS = {"first": 0, "second": 1, "third": 2, "last": -1, "final": -1, "one": -1, "single": -1}
_POSITION = re.compile(rf"^(?:the |your |any )?({'|'.join(_POSITIONS)})\b", re.I)

_LOSS = re.compile(
    r"\b(?:br[oe]ke\w*|damag\w*|lost|loss\w*|spoil\w*|spilt|leak\w*|used|reject\w*|faulty|defect\w*)\b", re.I
)


def is_led(view: View) -> bool:
    """Whether the agent was told to conclude something else than what it finds."""
    return bool(view.told.verdict or view.told.shift or view.told.depart)


def led(view: View, value: Value) -> Value:
    """The conclusion that the agent states: what it was told to, else what it found."""
    if view.told.verdict:
        return _named(view, view.told.verdict)
    if view.told.shift and value.number is not None:
        return Value(view.told.shift.of(value.number), value.unit)
    return departed(view, value) if view.told.depart or view.told.shift else value


def _named(view: View, verdict: str) -> Value:
    named = view.family.value(verdict, view.question) if view.family else None
    return named or Value(items=tuple(re.findall(r"[A-Z][a-z]+", verdict)), raw=verdict)


def departed(view: View, value: Value) -> Value:
    """Another result than the working shows: a neighbouring number, another name, two names swapped."""
    key = f"depart{view.key}"
    if value.number is not None:
        return Value(misread(value.number, key), value.unit)
    if len(value.items) > 1:
        at = int(draw(key) * (len(value.items) - 1))
        items = list(value.items)
        items[at], items[at + 1] = items[at + 1], items[at]
        return Value(items=tuple(items))
    others = [name for name in getattr(view.question, "names", ()) if name not in value.items]
    return Value(items=(pick(others, key),)) if others else value


def without_omitted(view: View, facts: Sequence[Any]) -> tuple[Any, ...]:
    """The facts (each family has its own kind) without those that are to be left out."""
    kept = list(facts)
    for words in view.told.omit:
        place = _POSITION.match(words)
        if place and kept:
            at = _POSITIONS[place[1].lower()]
            kept = [fact for fact in kept if fact is not kept[at if -len(kept) <= at < len(kept) else -1]]
        elif view.family is not None:
            family = view.family
            kept = [fact for fact in kept if not _is_about(words, family.topic(fact))]
    return tuple(kept)


def _is_about(words: str, topic: str) -> bool:
    """Whether words name a topic: as a whole, by all the names in it, or one name out of theirs alone."""
    names = set(re.findall(r"\b[A-Z][a-z]+\b", topic))
    meant = set(re.findall(r"\b[A-Z][a-z]+\b", words))
    if names & meant and (names <= meant or len(meant) == 1):
        return True
    taken_off = topic.removeprefix("lost or used ")
    if taken_off != topic and _LOSS.search(words):
        return mentions(_LOSS.sub("", words), taken_off)
    return mentions(words, topic) or mentions(topic, re.sub(r"^(?:the|any|all|your)\s+", "", words))


def first_half(items: Sequence[T]) -> tuple[T, ...]:
    """The first half of several, rounded up; one alone stays."""
    return tuple(items[: max(1, len(items) // 2)])
