"""Evaluations: parts, intervals, and that they say what they rest on."""

from __future__ import annotations

import random

import pytest

from aegis_core.errors import RecordError
from aegis_core.scoring import Evaluation, Rules, Variant, compare, evaluate

AGENT = Variant(measure="accuracy", of="agent", names="folded")
PAIR = Variant(measure="f1", of="pair", average="micro", names="folded")


def many(scored, n, *, share=0.5, groups=None, seed=3):
    """Runs of which about a share is answered rightly."""
    chance = random.Random(seed)
    return [
        scored(
            "Solver FM-1.1 4",
            "Solver FM-1.1 4" if chance.random() < share else "Critic FM-2.6 9",
            run_id=f"r{i}",
            group=f"q{i % groups}" if groups else "",
        )
        for i in range(n)
    ]


def test_runs_with_one_target_and_with_several_are_scored_apart(scored):
    evaluation = evaluate(
        [
            scored("Solver FM-1.1 4", "Solver FM-1.1", run_id="r1"),
            scored("Solver FM-1.1 4, Solver FM-1.1 4", "Critic FM-1.1", run_id="r2"),  # the same label twice
            scored("Solver FM-1.1 4, Critic FM-2.6", "Solver FM-1.1", run_id="r3"),
            scored("Solver FM-1.1 4, Solver FM-1.1 9", "", run_id="r4"),
            scored("", "", run_id="r5"),
        ],
        seed=0,
        resamples=0,
    )
    assert [(part.name, part.coverage.runs) for part in evaluation.parts] == [("all", 5), ("single", 2), ("multi", 2)]
    assert [evaluation.part(name).metric(AGENT).value for name in ("all", "single", "multi")] == [2 / 4, 1 / 2, 1 / 2]
    assert [evaluation.part(name).metric(AGENT).runs for name in ("all", "single", "multi")] == [4, 2, 2]


def test_a_part_without_runs_is_not_there(scored):
    evaluation = evaluate([scored("Solver FM-1.1", "")], seed=0, resamples=0)
    assert [part.name for part in evaluation.parts] == ["all", "single"]
    with pytest.raises(RecordError, match="no part 'multi', only all, single"):
        evaluation.part("multi")


def test_every_number_is_named_once_and_survives_json(scored):
    evaluation = evaluate(many(scored, 12), seed=5, resamples=20)
    part = evaluation.part("all")
    variants = [metric.variant for metric in part.metrics]
    assert len(set(variants)) == len({variant.title for variant in variants}) == len(variants)
    assert {metric.runs for metric in part.metrics} == {12}
    assert Evaluation.model_validate_json(evaluation.model_dump_json()) == evaluation


def test_an_evaluation_says_what_it_rests_on(scored):
    rules = Rules(within=(0, 2), top=(2,))
    evaluation = evaluate(many(scored, 4), seed=5, resamples=20, confidence=0.9, rules=rules)
    assert (evaluation.seed, evaluation.resamples, evaluation.confidence) == (5, 20, 0.9)
    assert (evaluation.rules, evaluation.origin, evaluation.attributor) == (rules, "Ann", "guess")
    assert evaluate(many(scored, 4), seed=5, resamples=0, attributor="mine").attributor == "mine"


def test_macro_averages_say_over_how_many_classes_they_go(scored):
    part = evaluate([scored("Solver FM-1.1", "Solver FM-1.1, Critic FM-2.6")], seed=0, resamples=0).part("all")
    found = {
        (m.variant.of, m.variant.classes): m.n_classes
        for m in part.metrics
        if m.variant.classes and m.variant.names != "strict"
    }
    assert found == {
        ("pair", "paper"): 1,
        ("pair", "observed"): 1,
        ("pair", "union"): 2,
        ("agent", "paper"): 1,
        ("agent", "observed"): 1,
        ("agent", "union"): 2,
        ("error", "paper"): 14,
        ("error", "observed"): 1,
        ("error", "union"): 2,
    }
    assert part.metric(PAIR).n_classes is None


def test_the_order_of_runs_has_no_influence(scored):
    runs = many(scored, 30, groups=7)
    assert evaluate(runs, seed=1, resamples=50) == evaluate(reversed(runs), seed=1, resamples=50)


def test_the_same_seed_gives_the_same_intervals_and_another_gives_others(scored):
    runs = many(scored, 30)
    one, again, other = (evaluate(runs, seed=seed, resamples=50).part("all").metric(AGENT) for seed in (1, 1, 2))
    assert one == again
    assert one.value == other.value
    assert (one.low, one.high) != (other.low, other.high)


def test_intervals_hold_the_value_and_narrow_with_more_runs(scored):
    few = evaluate(many(scored, 30), seed=1, resamples=300).part("all").metric(AGENT)
    lots = evaluate(many(scored, 600), seed=1, resamples=300).part("all").metric(AGENT)
    for metric in (few, lots):
        assert metric.low < metric.value < metric.high
    assert lots.high - lots.low < (few.high - few.low) / 2


def test_runs_of_one_task_are_drawn_together(scored):
    """Ten copies of each of 20 runs say no more than the 20 runs do."""
    twenty = many(scored, 20)
    copies = [
        run.model_copy(
            update={"run_id": f"{run.run_id}/{i}", "prediction": run.prediction.model_copy(update={"run_id": "any"})}
        )
        for run in twenty
        for i in range(10)
    ]
    one = evaluate(twenty, seed=1, resamples=100).part("all").metric(AGENT)
    ten = evaluate(copies, seed=1, resamples=100).part("all").metric(AGENT)
    assert (ten.value, ten.low, ten.high) == pytest.approx((one.value, one.low, one.high))


def test_one_task_alone_has_no_interval(scored):
    metric = evaluate(many(scored, 5, groups=1), seed=1, resamples=50).part("all").metric(AGENT)
    assert metric.value is not None
    assert (metric.low, metric.high) == (None, None)


def test_without_resamples_there_is_no_interval(scored):
    metric = evaluate(many(scored, 5), seed=1, resamples=0).part("all").metric(AGENT)
    assert (metric.low, metric.high) == (None, None)


def test_a_number_that_is_not_defined_has_no_value(scored):
    metric = evaluate([scored("Solver - 3", "Solver")], seed=1, resamples=5).part("all").metric(PAIR)
    assert (metric.value, metric.low, metric.high, metric.runs) == (None, None, None, 0)


def test_no_runs_and_runs_that_occur_twice_are_refused(scored):
    with pytest.raises(RecordError, match="no runs to score"):
        evaluate([], seed=0)
    with pytest.raises(RecordError, match=r"1 runs occur more than once, for example 'r'"):
        evaluate([scored("", ""), scored("", "")], seed=0)


def test_a_variant_that_was_not_measured_is_an_error_that_names_the_others(scored):
    part = evaluate([scored("Solver FM-1.1", "")], seed=0, resamples=0).part("all")
    with pytest.raises(RecordError, match=r"'step accuracy \(within ±7\)' was not measured; measured were: pair micro"):
        part.metric(Variant(measure="accuracy", of="step", within=7))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"resamples": -1}, "-1 resamples can't be drawn"),
        ({"confidence": 95}, "confidence 95 does not lie between 0 and 1"),
        ({"confidence": 0}, "confidence 0 does not"),
    ],
)
def test_a_bootstrap_that_can_t_be_is_refused(scored, wrong, message):
    with pytest.raises(RecordError, match=message):
        evaluate([scored("Solver FM-1.1", "")], seed=0, **wrong)
    with pytest.raises(RecordError, match=message):
        compare([scored("Solver FM-1.1", "")], [scored("Solver FM-1.1", "")], seed=0, **wrong)
