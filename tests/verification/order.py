"""The order of `trajectories.jsonl` tells no more than chance: not which runs are twins, nor which of them failed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aegis_core.dataset import layout
from tests.verification.material import Files, Violation

__all__ = ["order_doubts"]

SHUFFLES = 2000
"""Orders by chance with which the file's is compared; their seed is fixed, so a dataset always gets one verdict."""
RARE = 2
"""An order is refused if so few of them, or fewer, go as far as it does: a chance of about 0.001 for an honest file."""


@dataclass(frozen=True)
class _Line:
    case: str
    faulty: bool


def order_doubts(files: Files) -> Iterator[Violation]:
    """What the order of the file gives away."""
    lines = list(_lines(files))
    observed = [count(lines) for count in _SIGNS.values()]
    as_far = [0] * len(observed)
    chance = random.Random(0)
    for _ in range(SHUFFLES):
        chance.shuffle(lines)
        for i, count in enumerate(_SIGNS.values()):
            as_far[i] += count(lines) >= observed[i]
    for words, seen, shuffled in zip(_SIGNS, observed, as_far, strict=True):
        if shuffled <= RARE:
            yield Violation(
                layout.TRAJECTORIES.name, "wall", f"{words} {seen} times; of {SHUFFLES} shuffles {shuffled} go as far"
            )


def _lines(files: Files) -> Iterator[_Line]:
    cases = {case.clean_run_id: case.case_id for case in files.cases.values()}
    cases |= {run.run_id: case.case_id for case in files.cases.values() for run in case.faulty}
    for trajectory in files.dataset.trajectories():
        labels = files.labels.get(trajectory.run_id)
        yield _Line(cases.get(trajectory.run_id, trajectory.run_id), labels is not None and bool(labels.faults))


def _twins(lines: Sequence[_Line]) -> int:
    return sum(one.case == other.case for one, other in pairwise(lines))


def _alike(lines: Sequence[_Line]) -> int:
    return sum(one.faulty == other.faulty for one, other in pairwise(lines))


def _first(lines: Sequence[_Line]) -> int:
    """Cases with several runs of which the clean one stands first."""
    begun: dict[str, bool] = {}
    several = set()
    for line in lines:
        if line.case in begun:
            several.add(line.case)
        else:
            begun[line.case] = not line.faulty
    return sum(begun[case] for case in several)


def _last(lines: Sequence[_Line]) -> int:
    return _first(lines[::-1])


_SIGNS: dict[str, Callable[[Sequence[_Line]], int]] = {
    "runs of one case are neighbours": _twins,
    "runs that are alike in being faulty are neighbours": _alike,
    "the clean run is the first of its case": _first,
    "the clean run is the last of its case": _last,
}
