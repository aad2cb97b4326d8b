"""Bootstrap over source tasks: resampled counts, and intervals of the numbers that are computed from them.

Runs of one source task resemble each other, so tasks are drawn and not runs (cluster bootstrap, percentile interval;
Efron and Tibshirani, "An Introduction to the Bootstrap", chapters 8 and 13). Every metric here is a function of
counts, and a count in a resample is the sum over tasks of its count in the task times how often the task was drawn.
That sum is taken for many resamples at once: the draws of a task are the fields of one long integer, so that one
addition of integers adds them all.
"""

from __future__ import annotations

import hashlib
import math
import random
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat, starmap

from aegis_core.errors import RecordError
from aegis_core.records import Record

__all__ = ["Block", "Counts", "Interval", "Samples", "blocks", "check_bootstrap", "interval"]

Counts = dict[int, int]
"""How often something occurs, by the number of the source task."""
Samples = list[float]
"""A number as it is in the data, and then in every resample; NaN where it is not defined."""

_FIELD_BYTES = 4  # array("I"); no sum comes near 2**32, which would take four thousand million labels
_BLOCK_BYTES = 64 << 20
_MANY = 64
"""Tasks from which a column is kept: below, summing it again is as fast as looking it up."""


class Interval(Record):
    """The ends of a percentile interval."""

    low: float
    high: float


class Block:
    """Some resamples: how often each task was drawn in each of them.

    Args:
        draws: for each task one integer whose 32-bit fields are the numbers of draws, one field a resample.
        size: how many resamples.
    """

    def __init__(self, draws: Sequence[int], size: int) -> None:
        self._draws = draws
        self._kept: dict[bytes, Sequence[int]] = {}
        self.size = size

    def column(self, counts: Mapping[int, int]) -> Sequence[int]:
        """What a count comes to in each resample; as many numbers as the block is large."""
        if len(counts) < _MANY:
            return self._sums(counts)
        # Others on the same runs, other parts and other namings often ask for the same counts.
        key = hashlib.blake2b(array("q", counts.keys()).tobytes() + array("q", counts.values()).tobytes()).digest()
        if key not in self._kept:
            self._kept[key] = self._sums(counts)
        return self._kept[key]

    def _sums(self, counts: Mapping[int, int]) -> Sequence[int]:
        tasks_by_count: dict[int, list[int]] = {}
        for task, count in counts.items():
            tasks_by_count.setdefault(count, []).append(task)
        total = sum(count * sum(map(self._draws.__getitem__, tasks)) for count, tasks in tasks_by_count.items())
        column = array("I")
        column.frombytes(total.to_bytes(_FIELD_BYTES * self.size, sys.byteorder))
        return column


def blocks(tasks: int, *, resamples: int, seed: int) -> Iterator[Block]:
    """The data itself, every task once, and then the resamples, in blocks that fit into memory.

    The first field of the first block is the data. A resample draws `tasks` tasks with replacement.

    Args:
        tasks: how many source tasks there are, at least 1.
        resamples: how many resamples, 0 or more.
        seed: decides the draws; the same seed and number of tasks give the same draws, whatever is counted.
    """
    chance = random.Random(seed).random
    size = max(1, min(resamples + 1, _BLOCK_BYTES // (_FIELD_BYTES * tasks)))
    for first in range(0, resamples + 1, size):
        width = min(size, resamples + 1 - first)
        cells = array("I", bytes(_FIELD_BYTES * tasks * width))
        for resample in range(width):
            if first + resample == 0:
                cells[0::width] = array("I", [1]) * tasks
                continue
            # `random()` alone is promised to give the same numbers in every version of Python.
            drawn = Counter(map(int, map(float(tasks).__mul__, starmap(chance, repeat((), tasks)))))
            cells[resample::width] = array("I", map(drawn.get, range(tasks), repeat(0)))
        rows = memoryview(cells.tobytes())
        step = _FIELD_BYTES * width
        yield Block([int.from_bytes(rows[at : at + step], sys.byteorder) for at in range(0, len(rows), step)], width)


def check_bootstrap(resamples: int, confidence: float) -> None:
    """Refuse numbers with which there is no bootstrap.

    Raises:
        RecordError: there are fewer than 0 resamples, or the confidence does not lie between 0 and 1.
    """
    if resamples < 0:
        raise RecordError(f"{resamples} resamples can't be drawn; use 0 for no intervals, or 1000")
    if not 0 < confidence < 1:
        raise RecordError(f"confidence {confidence} does not lie between 0 and 1; use 0.95, for example")


def interval(samples: Sequence[float], confidence: float) -> Interval | None:
    """The percentile interval of resampled values, with linear interpolation between neighbours.

    Args:
        samples: the number in every resample, without that of the data. NaN is left out.
        confidence: the share of resamples that the interval covers, between 0 and 1.

    Returns:
        None if there is no value at all.
    """
    values = sorted(value for value in samples if not math.isnan(value))
    if not values:
        return None
    tail = (1 - confidence) / 2
    return Interval(low=_quantile(values, tail), high=_quantile(values, 1 - tail))


def _quantile(ascending: Sequence[float], share: float) -> float:
    place = share * (len(ascending) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])
