"""Ordering puzzles: clues are read from sentences, and the orders that fulfil them are searched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.language import sentences
from aegis_core.world.model.understanding import Form, Mistake, Value, Working

__all__ = ["Clue", "Orders", "Sought"]

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_LIST = re.compile(r"\b((?:[A-Z][a-z]+, ){1,}[A-Z][a-z]+,? and [A-Z][a-z]+)\b")
_ADJACENT = re.compile(r"\b(?:directly|immediately|right|straight|just|next|instantly)\b", re.I)
_AFTER = re.compile(r"\b(?:after|behind|later than|slower than|follows?|following|below|succeeds?)\b", re.I)
_BEFORE = re.compile(
    r"\b(?:before|ahead of|in front of|earlier than|faster than|precedes?|sooner than|leads|prior to|beats)\b|<", re.I
)
_ORDINAL = re.compile(r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|last|[1-8](?:st|nd|rd|th))\b", re.I)
_ASKS = re.compile(r"\?|(?:^|: )(?:please )?(?:list|give|name|write|put|state)\b", re.I)
_OUTLINES = (
    "It is about {}.",
    "Those who are to be put in order: {}.",
    "We have {}, one after the other.",
    "There are {}.",
)
_NOT = re.compile(r"\b(?:not|never|neither|isn't|doesn't|cannot|can't)\b", re.I)


@dataclass(frozen=True)
class Sought:
    """What a puzzle asks for: the whole order, or who stands at `place` (from 0)."""

    names: tuple[str, ...]
    place: int | None = None


@dataclass(frozen=True)
class Clue:
    """`a` before `b`, `a` straight_after `b`, or `a` at / not_at a place (from 0)."""

    kind: str
    a: str
    b: str = ""
    place: int = -1


class Orders:
    """The family of ordering puzzles."""

    def question(self, text: str) -> Sought | None:
        """What the puzzle asks, or None if the text lists no names or asks for no order."""
        return _question(text)

    def facts(self, text: str, question: Sought) -> tuple[Clue, ...]:
        """The clues that a text states."""
        return _clues(text, question)

    def relevant(self, facts: tuple[Clue, ...], question: Sought) -> tuple[Clue, ...]:
        """All clues about the names."""
        return tuple(clue for clue in facts if clue.a in question.names)

    def topic(self, fact: Clue) -> str:
        """The names or the name that the clue is about."""
        return f"{fact.a} and {fact.b}" if fact.b else f"the place of {fact.a}"

    def outline(self, question: Sought, voice: int) -> str:
        """Who is to be put in order."""
        return _OUTLINES[voice % 4].format(f"{', '.join(question.names[:-1])} and {question.names[-1]}")

    def tell(self, fact: Clue, voice: int) -> str:
        """The clue in words that are read back to it."""
        place = _PLACES[fact.place] if fact.place >= 0 else ""
        forms = {
            "before": ("{a} before {b}", "{b} comes after {a}", "{a} is ahead of {b}", "{a} is earlier than {b}"),
            "straight_after": (
                "{a} directly after {b}",
                "{a} comes right behind {b}",
                "{a} immediately follows {b}",
                "{b} is directly before {a}",
            ),
            "at": ("{a} is {p}", "{a} has place {p}", "{a} comes {p}", "the {p} one is {a}"),
            "not_at": ("{a} is not {p}", "{a} can't be {p}", "{a} never comes {p}", "the {p} one is not {a}"),
        }[fact.kind]
        return forms[voice % 4].format(a=fact.a, b=fact.b, p=place)

    def misread(self, fact: Clue, key: str) -> Clue:
        """The clue the other way round, or with the neighbouring place."""
        if fact.b:
            return replace(fact, a=fact.b, b=fact.a)
        del key
        return replace(fact, place=fact.place - 1 if fact.place else 1)

    def work(self, question: Sought, facts: tuple[Clue, ...], form: Form, mistake: Mistake, key: str) -> Working:
        """Search the orders that fulfil the clues."""
        clues = tuple(sorted(self.relevant(facts, question), key=repr))
        if not clues:
            return Working((), None, "a clue about the order")
        orders = _solutions(question.names, clues)
        lines = [f"{self.tell(clue, 0)}" for clue in facts[:2]]
        if len(orders) == 1:
            order = _slipped(orders[0], mistake, key)
            return _concluded(question, form, [*lines, f"this leaves the order {', '.join(order)}"], order)
        if orders:
            guess = pick(orders, "order", key)
            lack = "a further clue"
        else:
            guess = _nearest(question.names, clues)
            lack = "a set of clues without a contradiction"
        told = _concluded(question, form, [*lines, f"one order that comes near is {', '.join(guess)}"], guess)
        return Working(told.lines, None, lack, told.value)

    def value(self, text: str, question: Sought) -> Value | None:
        """The names of a sentence in their order; the last one where one is asked for."""
        found = [m for m in re.finditer(r"\b[A-Z][a-z]+\b", text) if m[0] in question.names]
        if not found:
            return None
        if question.place is not None:
            return Value(items=(found[-1][0],), raw=found[-1][0])
        run = max(_runs(text, found), key=len)
        return Value(items=tuple(m[0] for m in run), raw=text[run[0].start() : run[-1].end()])


def _runs(text: str, names: list[re.Match[str]]) -> list[list[re.Match[str]]]:
    """Names that stand in one list: between them there are separators only."""
    runs = [[names[0]]]
    for before, name in pairwise(names):
        between = text[before.end() : name.start()]
        if re.fullmatch(r"[\W_]*(?:\d{0,2}[\W_]*|and |then |and then )", between):
            runs[-1].append(name)
        else:
            runs.append([name])
    return runs


@lru_cache(maxsize=1024)
def _question(text: str) -> Sought | None:
    listed = _LIST.search(text)
    if not listed:
        return None
    names = tuple(dict.fromkeys(re.findall(r"[A-Z][a-z]+", listed[1])))
    asking = [s for s in sentences(text) if _ASKS.search(s)]
    asked = " ".join(asking)
    if re.search(r"\border\b|first to (?:the )?last|last to (?:the )?first|sequence|one after", asked, re.I):
        return Sought(names)
    who = re.search(r"\b(?:who|which of them|which one)\b[^?]*", asked, re.I)
    if who:
        ordinal = _ORDINAL.search(who[0])
        if ordinal:
            return Sought(names, _place(ordinal[1], len(names)))
    return None


def _place(word: str, size: int) -> int:
    word = word.lower()
    if word == "last":
        return size - 1
    return int(word[0]) - 1 if word[0].isdigit() else _PLACES.index(word)


@lru_cache(maxsize=1024)
def _clues(text: str, question: Sought) -> tuple[Clue, ...]:
    found: dict[Clue, None] = {}
    for sentence in sentences(text):
        if "?" in sentence:
            continue
        clue = _clue(sentence, question)
        if clue:
            found[clue] = None
    return tuple(found)


def _clue(sentence: str, question: Sought) -> Clue | None:
    names = [m for m in re.finditer(r"\b[A-Z][a-z]+\b", sentence) if m[0] in question.names]
    denied = bool(_NOT.search(sentence))
    if len(names) == 2:
        a, b = names[0][0], names[1][0]
        after, before = _AFTER.search(sentence), _BEFORE.search(sentence)
        relation = after or before
        if a == b or relation is None:
            return None
        if relation.start() < names[0].start():  # "Right after Ben, Ana speaks."
            a, b = b, a
        return _pair(a, b, after is not None, denied, bool(_ADJACENT.search(sentence)))
    if len(names) == 1:
        ordinal = _ORDINAL.search(sentence)
        if ordinal:
            return Clue("not_at" if denied else "at", names[0][0], place=_place(ordinal[1], len(question.names)))
    return None


def _pair(a: str, b: str, after: bool, denied: bool, adjacent: bool) -> Clue | None:
    if denied:
        return None if adjacent else Clue("before", *((a, b) if after else (b, a)))
    if adjacent:
        return Clue("straight_after", *((a, b) if after else (b, a)))
    return Clue("before", *((b, a) if after else (a, b)))


@lru_cache(maxsize=512)
def _solutions(names: tuple[str, ...], clues: tuple[Clue, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(_extend(names, clues, ()))


def _extend(names: Sequence[str], clues: Sequence[Clue], begun: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The orders that begin with `begun`; a clue is checked as soon as all that it names is placed."""
    if len(begun) == len(names):
        yield begun
        return
    for name in names:
        if name not in begun and all(_allows(clue, name, len(begun), begun) for clue in clues):
            yield from _extend(names, clues, (*begun, name))


def _allows(clue: Clue, name: str, place: int, begun: tuple[str, ...]) -> bool:
    """Whether the clue lets `name` come next."""
    if clue.kind == "at":
        return (clue.place == place) == (clue.a == name)
    if clue.kind == "not_at":
        return not (clue.a == name and clue.place == place)
    if clue.kind == "before":
        return clue.b != name or clue.a in begun
    if clue.a == name:
        return bool(begun) and begun[-1] == clue.b
    return not (begun and begun[-1] == clue.b)


def _nearest(names: tuple[str, ...], clues: tuple[Clue, ...]) -> tuple[str, ...]:
    """An order that fulfils all but some of the clues."""
    kept: tuple[Clue, ...] = ()
    for clue in clues:
        if _solutions(names, (*kept, clue)):
            kept = (*kept, clue)
    return _solutions(names, kept)[0]


def _slipped(order: tuple[str, ...], mistake: Mistake, key: str) -> tuple[str, ...]:
    if mistake(0, Fraction(1)) == 1:
        return order
    at = int(draw("swap", key) * (len(order) - 1))
    swapped = list(order)
    swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
    return tuple(swapped)


def _concluded(question: Sought, form: Form, lines: list[str], order: tuple[str, ...]) -> Working:
    if question.place is not None:
        name = order[question.place]
        return Working((*lines, f"{_PLACES[question.place]} is {name}"), Value(items=(name,)))
    items = tuple(sorted(order)) if form.alphabetical else order[::-1] if form.reverse else order
    return Working(tuple(lines), Value(items=items))
