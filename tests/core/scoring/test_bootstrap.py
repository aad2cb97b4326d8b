"""The bootstrap: draws, sums in long integers, and intervals."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from aegis_core.scoring import bootstrap
from aegis_core.scoring.bootstrap import Interval, blocks, interval


def columns(counts, *, tasks, resamples, seed):
    return [list(block.column(counts)) for block in blocks(tasks, resamples=resamples, seed=seed)]


def test_the_first_column_is_the_data_itself():
    counts = {0: 3, 2: 1, 4: 7}
    assert columns(counts, tasks=5, resamples=0, seed=1) == [[11]]
    assert columns(counts, tasks=5, resamples=9, seed=1)[0][0] == 11


def test_a_resample_draws_as_many_tasks_as_there_are():
    (sums,) = columns(dict.fromkeys(range(30), 1), tasks=30, resamples=200, seed=1)
    assert sums == [30] * 201


def test_sums_in_long_integers_are_those_of_the_draws():
    tasks, resamples = 7, 50
    counts = {0: 2, 3: 1, 6: 5}
    chance = random.Random(4).random
    draws = [[int(chance() * tasks) for _ in range(tasks)] for _ in range(resamples)]
    expected = [sum(counts.values()), *(sum(counts.get(task, 0) for task in draw) for draw in draws)]
    assert columns(counts, tasks=tasks, resamples=resamples, seed=4) == [expected]


def test_large_counts_stay_in_their_field():
    (sums,) = columns({0: 2_000_000}, tasks=2, resamples=99, seed=0)
    assert set(sums) == {0, 2_000_000, 4_000_000}


def test_blocks_change_nothing_but_the_memory_that_is_needed(monkeypatch):
    counts = {task: task + 1 for task in range(11)}
    whole = columns(counts, tasks=11, resamples=64, seed=2)
    monkeypatch.setattr(bootstrap, "_BLOCK_BYTES", 4 * 11 * 10)
    split = columns(counts, tasks=11, resamples=64, seed=2)
    assert [len(part) for part in split] == [10] * 6 + [5]
    assert [value for part in split for value in part] == whole[0]


def test_the_seed_decides_the_draws():
    one, again, other = (columns({0: 1}, tasks=9, resamples=40, seed=seed) for seed in (1, 1, 2))
    assert one == again != other


def test_nothing_to_count_is_nought_everywhere():
    assert columns({}, tasks=3, resamples=4, seed=0) == [[0] * 5]


def test_the_interval_interpolates_between_neighbours():
    assert interval([4.0, 0.0, 3.0, 1.0, 2.0], 0.5) == Interval(low=1, high=3)
    assert interval([0.0, 1.0], 0.5) == Interval(low=0.25, high=0.75)
    assert interval([0.7], 0.95) == Interval(low=0.7, high=0.7)


def test_what_is_not_defined_is_left_out_of_the_interval():
    assert interval([math.nan, 0.0, 1.0, math.nan], 0.5) == Interval(low=0.25, high=0.75)
    assert interval([math.nan], 0.5) is None
    assert interval([], 0.5) is None


def test_more_confidence_gives_a_wider_interval():
    values = [random.Random(3).random() for _ in range(500)]
    found = [interval(values, confidence) for confidence in (0.5, 0.8, 0.95, 0.99)]
    assert all(inner.low >= outer.low and inner.high <= outer.high for inner, outer in pairwise(found))


def test_the_interval_of_a_share_is_about_that_of_the_normal_approximation():
    n, right = 400, 120
    (sums,) = columns(dict.fromkeys(range(right), 1), tasks=n, resamples=2000, seed=8)
    found = interval([value / n for value in sums[1:]], 0.95)
    share = right / n
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    assert (found.low, found.high) == (pytest.approx(share - half, abs=0.006), pytest.approx(share + half, abs=0.006))
