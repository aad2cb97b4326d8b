"""Contenders take turns, and figures carry their spread."""

from __future__ import annotations

import random

import pytest

from benchmarks.measuring import Sample, measure, quartiles, ratio, resampled, timed


def test_contenders_take_turns_and_each_begins_a_round():
    order = []

    def contender(name):
        def once():
            order.append(name)
            return Sample(wall_s=1.0, cpu_s=0.5)

        return once

    taken = measure({name: contender(name) for name in "ab"}, rounds=2, warmups=1)

    assert "".join(order) == "ba" + "ab" + "ba"
    assert taken.wall("a") == [1.0, 1.0] and taken.cpu("b") == [0.5, 0.5]


def test_work_that_takes_time_is_seen_to_take_it():
    sample = timed(lambda: sum(range(200_000)))

    assert sample.wall_s > 0 and sample.cpu_s > 0


def test_quartiles_of_one_value_are_that_value():
    assert quartiles([3.0]).low == quartiles([3.0]).value == quartiles([3.0]).high == 3.0


def test_quartiles_enclose_the_middle_half():
    spread = quartiles([5.0, 1.0, 4.0, 2.0, 3.0])

    assert (spread.low, spread.value, spread.high) == (2.0, 3.0, 4.0)


def test_a_ratio_is_of_medians_and_its_interval_holds_it():
    rng = random.Random(1)
    under = [rng.uniform(0.9, 1.1) for _ in range(41)]
    estimate = ratio([2 * value for value in under], under)

    assert estimate.value == pytest.approx(2.0)
    assert estimate.low <= estimate.value <= estimate.high


def test_rounds_are_resampled_whole_so_that_shared_noise_cancels():
    noise = [1.0, 10.0, 100.0, 2.0, 50.0]
    spread = resampled(lambda rounds: sum(3 * noise[n] for n in rounds) / sum(noise[n] for n in rounds), len(noise))

    assert spread.low == pytest.approx(3.0) and spread.high == pytest.approx(3.0)


def test_resampling_gives_the_same_interval_each_time():
    values = [1.0, 4.0, 2.0, 8.0]

    def figure(rounds):
        return sum(values[n] for n in rounds)

    assert resampled(figure, 4) == resampled(figure, 4)
    assert resampled(figure, 4).low < resampled(figure, 4).high
