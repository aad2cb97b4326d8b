"""Splitting runs by their source task, so that no question is both trained and tested on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from aegis_core.errors import RecordError
from aegis_core.format import LabelledRun

__all__ = ["assign_folds", "source_tasks", "splits", "tasks_in_order"]


def source_tasks(runs: Iterable[LabelledRun]) -> dict[str, str]:
    """The source task of every run, by run id.

    Two runs have the same one if their `group` is the same, or the text of their task is but for case and space: a
    question that occurs in several subsets, there under another id, is still one. The name is the smallest group of
    those that belong together, or the text where none has a group. A run with neither stands alone, under its own id.
    """
    named = {run.trajectory.run_id: run for run in runs}
    return dict(zip(named, tasks_in_order(named.values(), named), strict=True))


def tasks_in_order(runs: Iterable[LabelledRun], names: Iterable[str]) -> list[str]:
    """The source task of every run, as `source_tasks` finds it, in their order.

    Args:
        runs: the runs; several may have one id.
        names: one for each run, by which a run stands that has neither group nor task.
    """
    keys = [_keys(run, name) for run, name in zip(runs, names, strict=True)]
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = leader[leader[key]]  # halves the way, so that long chains stay cheap
            key = leader[key]
        return key

    for group, text in keys:
        first, second = sorted((lead(group), lead(text)))
        leader[second] = first  # by their first sign groups sort before texts, so a group leads where there is one
    return [lead(group)[1:] for group, _ in keys]


def _keys(run: LabelledRun, name: str) -> tuple[str, str]:
    words = run.trajectory.task.casefold().split()
    text = "1" + " ".join(words) if words else "2" + name
    return ("0" + run.group if run.group else text, text)


def assign_folds(groups: Sequence[str], n_folds: int, *, seed: int) -> tuple[int, ...]:
    """A fold for every run, from 0 to `n_folds` - 1, the same for all runs of a group.

    Folds are as even in runs as groups allow: shuffled by the seed, then the largest group first, each into the fold
    that has the fewest runs. The order of the runs has no influence.

    Args:
        groups: the source task of each run.
        n_folds: how many folds, at least 2 and at most as many as there are groups.
        seed: decides which of equally large groups go where.

    Raises:
        RecordError: there are fewer groups than folds, or fewer than two folds.
    """
    sizes = Counter(groups)
    if not 2 <= n_folds <= len(sizes):
        raise RecordError(
            f"{n_folds} folds of {len(groups)} runs from {len(sizes)} source tasks: runs of one source task stay "
            f"together, so choose 2 to {len(sizes)} folds"
            if len(sizes) >= 2
            else f"{len(groups)} runs from {len(sizes)} source tasks can't be split: it takes two source tasks at least"
        )
    shuffled = sorted(sizes)
    random.Random(seed).shuffle(shuffled)
    filled = [0] * n_folds
    fold_of: dict[str, int] = {}
    for group in sorted(shuffled, key=lambda group: -sizes[group]):
        fold = filled.index(min(filled))
        fold_of[group] = fold
        filled[fold] += sizes[group]
    return tuple(fold_of[group] for group in groups)


def splits(
    runs: Sequence[LabelledRun], n_folds: int, *, seed: int
) -> Iterator[tuple[tuple[LabelledRun, ...], tuple[LabelledRun, ...]]]:
    """For each fold the runs to train on and those to test on, in their order. Every run is tested on once.

    Raises:
        RecordError: as `assign_folds`.
    """
    tasks = source_tasks(runs)
    folds = assign_folds([tasks[run.trajectory.run_id] for run in runs], n_folds, seed=seed)
    for fold in range(n_folds):
        yield (
            tuple(run for run, own in zip(runs, folds, strict=True) if own != fold),
            tuple(run for run, own in zip(runs, folds, strict=True) if own == fold),
        )
