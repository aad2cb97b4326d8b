"""Puzzles: clues that leave exactly one order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from random import Random

from aegis_core.world.tasks.draft import PEOPLE, Draft

__all__ = ["BUILDERS"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


@dataclass(frozen=True)
class _Scene:
    """A setting: how it is told, and how its clues are worded."""

    intro: tuple[str, ...]
    before: tuple[str, ...]
    straight_after: tuple[str, ...]
    at: tuple[str, ...]
    not_at: tuple[str, ...]


_SCENES = (
    _Scene(
        ("{n} runners, {names}, finish a race one after the other.", "{names} run a race and no two arrive together."),
        ("{a} finishes before {b}.", "{a} is faster than {b}.", "{b} arrives later than {a}."),
        ("{a} arrives directly after {b}.", "{a} comes in right behind {b}."),
        ("{a} finishes {place}.", "{a} takes {place} place."),
        ("{a} does not finish {place}.", "{a} is not {place}."),
    ),
    _Scene(
        ("{names} stand in a queue.", "{n} people wait in a line: {names}."),
        ("{a} stands somewhere ahead of {b}.", "{a} is in front of {b}.", "{b} stands behind {a}."),
        ("{a} stands directly behind {b}.", "{a} is immediately after {b}."),
        ("{a} is {place} in the queue.", "{a} stands {place}."),
        ("{a} is not {place} in the queue.", "{a} does not stand {place}."),
    ),
    _Scene(
        ("On one day {names} give a talk each.", "{n} speakers, {names}, talk one after another."),
        ("{a} speaks earlier than {b}.", "{a} talks before {b}.", "{b} speaks after {a}."),
        ("{a} speaks immediately after {b}.", "Right after {b}, {a} speaks."),
        ("{a} speaks {place}.", "{a} gives the {place} talk."),
        ("{a} does not speak {place}.", "{a} is not the {place} speaker."),
    ),
)
Order = tuple[str, ...]
_Clue = tuple[str, str, str | int]


def _holds(clue: _Clue, places: Mapping[str, int]) -> bool:
    kind, a, b = clue
    if isinstance(b, int):
        return (places[a] == b) == (kind == "at")
    return places[a] < places[b] if kind == "before" else places[a] == places[b] + 1


def _candidates(order: Order, numbers: Random) -> list[_Clue]:
    size = len(order)
    clues: list[_Clue] = [("before", order[i], order[j]) for i in range(size) for j in range(i + 1, size)]
    clues += [("straight_after", order[i + 1], order[i]) for i in range(size - 1)]
    clues.append(("at", order[place := numbers.randrange(size)], place))
    clues += [("not_at", name, numbers.choice([p for p in range(size) if order[p] != name])) for name in order]
    numbers.shuffle(clues)
    return clues


def _clues(order: Order, numbers: Random) -> list[_Clue]:
    """Clues of which none can be spared and which only this order fulfils."""
    orders = [{name: place for place, name in enumerate(names)} for names in permutations(sorted(order))]
    chosen: dict[_Clue, set[int]] = {}
    left = set(range(len(orders)))
    for clue in _candidates(order, numbers):
        allowed = {i for i in left if _holds(clue, orders[i])}
        if len(allowed) < len(left):
            chosen[clue] = {i for i, places in enumerate(orders) if _holds(clue, places)}
            left = allowed
        if len(left) == 1:
            break
    for clue in tuple(chosen):
        rest = [fitting for other, fitting in chosen.items() if other != clue]
        if rest and len(set.intersection(*rest)) == 1:
            del chosen[clue]
    return list(chosen)


def _told(clue: _Clue, scene: _Scene, words: Random, size: int) -> str:
    kind, a, b = clue
    options: dict[str, tuple[str, ...]] = {
        "before": scene.before, "straight_after": scene.straight_after, "at": scene.at, "not_at": scene.not_at,
    }  # fmt: skip
    place = ""
    if isinstance(b, int):
        place = "last" if b == size - 1 and words.random() < 0.5 else _PLACES[b]
    return words.choice(options[kind]).format(a=a, b=b, place=place)


def _puzzle(words: Random, numbers: Random, difficulty: int) -> tuple[str, Order, list[_Clue]]:
    size = 3 + difficulty
    names = tuple(words.sample(PEOPLE, size))
    order = tuple(numbers.sample(names, size))
    scene = words.choice(_SCENES)
    listed = ", ".join(names[:-1]) + " and " + names[-1]
    intro = words.choice(scene.intro).format(n=_NUMBERS[size].capitalize(), names=listed)
    clues = _clues(order, numbers)
    told = [_told(clue, scene, words, size) for clue in clues]
    return " ".join((intro, *told)), order, clues


def _whole(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    text, order, _ = _puzzle(words, numbers, difficulty)
    question = words.choice(
        (
            "In what order are they? List the names from first to last, separated by commas.",
            "List them from first to last, separated by commas.",
            "Give the order from the first to the last, with commas between the names.",
        )
    )
    return Draft(f"{text} {question}", ", ".join(order), "sequence", "order")


def _place(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    text, order, clues = _puzzle(words, numbers, difficulty)
    place = words.randrange(len(order))
    word = words.choice((_PLACES[place], "last")) if place == len(order) - 1 else _PLACES[place]
    if ("at", order[place], place) in clues:
        return None  # a clue says it outright
    question = words.choice((f"Who is {word}? Give the name only.", f"Which of them is {word}? Answer with the name."))
    return Draft(f"{text} {question}", order[place], "exact", "place")


BUILDERS: tuple[Callable[[Random, Random, int], Draft | None], ...] = (_whole, _place)
"""The kinds of question of the family, in a fixed order."""
