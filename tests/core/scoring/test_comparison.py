"""Comparisons: differences on the same runs, with the interval of the difference."""

from __future__ import annotations

import random

import pytest

from aegis_core.errors import RecordError
from aegis_core.scoring import Comparison, Variant, compare, evaluate

AGENT = Variant(measure="accuracy", of="agent", names="folded")


def answers(scored, right, attributor="guess"):
    """Runs that are answered rightly where it says so."""
    return [
        scored("Solver FM-1.1 4", "Solver FM-1.1 4" if hit else "Critic", run_id=f"r{i}", attributor=attributor)
        for i, hit in enumerate(right)
    ]


def test_a_difference_is_the_first_minus_the_second(scored):
    compared = compare(
        answers(scored, [1, 1, 1, 0], "one"), answers(scored, [1, 0, 0, 0], "other"), seed=0, resamples=50
    )
    found = compared.part("all").difference(AGENT)
    assert (compared.first, compared.second) == ("one", "other")
    assert (found.first, found.second, found.difference, found.runs) == (3 / 4, 1 / 4, 1 / 2, 4)
    assert Comparison.model_validate_json(compared.model_dump_json()) == compared


def test_an_attributor_does_not_differ_from_itself(scored):
    runs = answers(scored, [1, 0, 1, 0, 1])
    for found in compare(runs, runs, seed=0, resamples=50).part("all").differences:
        assert found.difference in {0, None}
        assert found.low in {0, None}
        assert not found.is_clear


def test_the_two_are_drawn_together(scored):
    """The second misses twelve runs more of 100: the two intervals overlap, and yet the difference is clear."""
    chance = random.Random(2)
    right = [chance.random() < 0.5 for _ in range(100)]
    hits = [i for i, hit in enumerate(right) if hit]
    fewer = [hit and i not in hits[:12] for i, hit in enumerate(right)]
    one, other = answers(scored, right), answers(scored, fewer)
    intervals = [evaluate(runs, seed=1, resamples=400).part("all").metric(AGENT) for runs in (one, other)]
    found = compare(one, other, seed=1, resamples=400).part("all").difference(AGENT)
    assert intervals[0].low < intervals[1].high
    assert found.is_clear
    assert found.low > 0
    assert found.first_is_better > 0.99
    assert compare(other, one, seed=1, resamples=400).part("all").difference(AGENT).high == pytest.approx(-found.low)


def test_a_draw_in_a_resample_is_half_a_win(scored):
    runs = answers(scored, [1, 0, 1, 0])
    even = compare(runs, runs, seed=0, resamples=50).part("all").difference(AGENT)
    ahead = compare(answers(scored, [1] * 4), answers(scored, [0] * 4), seed=0, resamples=50)

    assert even.first_is_better == 0.5
    assert ahead.part("all").difference(AGENT).first_is_better == 1


def test_a_small_difference_is_not_clear(scored):
    found = compare(answers(scored, [1] * 10 + [0] * 10), answers(scored, [1] * 9 + [0] * 11), seed=1, resamples=300)
    difference = found.part("all").difference(AGENT)
    assert difference.difference == pytest.approx(0.05)
    assert not difference.is_clear


def test_the_order_of_the_runs_has_no_influence(scored):
    one, other = answers(scored, [1, 1, 0, 0]), answers(scored, [1, 0, 0, 1])
    assert compare(one, other, seed=0, resamples=20) == compare(reversed(one), other, seed=0, resamples=20)


def test_differences_are_given_for_each_part(scored):
    one = [scored("Solver FM-1.1", "Solver", run_id="a"), scored("Solver FM-1.1, Critic FM-2.6", "", run_id="b")]
    other = [scored("Solver FM-1.1", "", run_id="a"), scored("Solver FM-1.1, Critic FM-2.6", "Critic", run_id="b")]
    compared = compare(one, other, seed=0, resamples=0)
    found = [(part.name, part.runs, part.tasks, part.difference(AGENT).difference) for part in compared.parts]
    assert found == [("all", 2, 2, 0), ("single", 1, 1, 1), ("multi", 1, 1, -1)]
    assert compared.part("all").difference(AGENT).first_is_better is None


def test_different_runs_or_truths_are_refused(scored):
    with pytest.raises(RecordError, match="1 runs were scored for one attributor only, for example 'r1'"):
        compare(answers(scored, [1, 1]), answers(scored, [1]), seed=0)
    with pytest.raises(RecordError, match="run r has another truth or group on the two sides"):
        compare([scored("Solver FM-1.1", "")], [scored("Critic FM-1.1", "")], seed=0)
    with pytest.raises(RecordError, match="run r has another truth or group on the two sides"):
        compare([scored("", "", group="q1")], [scored("", "", group="q2")], seed=0)


def test_what_was_not_measured_is_an_error(scored):
    compared = compare(answers(scored, [1]), answers(scored, [1]), seed=0, resamples=0, names=("a", "b"))
    assert (compared.first, compared.second) == ("a", "b")
    with pytest.raises(RecordError, match="no part 'multi', only all, single"):
        compared.part("multi")
    with pytest.raises(RecordError, match=r"'agent top-9' was not measured"):
        compared.part("all").difference(Variant(measure="top", of="agent", k=9))
