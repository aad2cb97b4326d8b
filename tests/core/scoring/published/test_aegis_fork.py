"""The Aegis fork's scorer as published, against figures worked out by hand from its text."""

from __future__ import annotations

import json
import random

import pytest

from aegis_core.errors import RecordError
from aegis_core.scoring import Variant, evaluate
from aegis_core.scoring.published.aegis_fork import read_lines, records_of, score


def record(true, said=(), **more):
    def agents(pairs):
        return {"faulty_agents": [{"agent_name": agent, "error_type": mode} for agent, mode in pairs]}

    return {"ground_truth": agents(true), "model_detection": agents(said), **more}


# pairs   r1 S1.1 both, C2.6 true;  r2 P2.4 true, S2.4 said        TP 1, FP 1, FN 2
# agents  r1 S both, C true;        r2 P true, S said              TP 1, FP 1, FN 2
# modes   r1 1.1 both, 2.6 true;    r2 2.4 both                    TP 2, FP 0, FN 1
TWO = [
    record([("Solver", "FM-1.1"), ("Critic", "FM-2.6")], [("Solver", "FM-1.1")]),
    record([("Planner", "FM-2.4")], [("Solver", "FM-2.4")]),
]


def test_micro_figures_are_those_worked_out_by_hand():
    found = score(TWO)
    assert (found.samples, found.left_out) == (2, 0)
    for level, counts in ((found.pair, (1, 1, 2)), (found.agent, (1, 1, 2)), (found.error, (2, 0, 1))):
        assert (level.true_positives, level.false_positives, level.false_negatives) == counts
    assert (found.pair.micro_precision, found.pair.micro_recall) == (1 / 2, 1 / 3)
    assert found.pair.micro_f1 == pytest.approx(2 / 5)
    assert found.error.micro_f1 == pytest.approx(4 / 5)


def test_macro_classes_are_those_of_the_truth_or_the_fourteen_modes():
    found = score(TWO)
    assert (found.pair.classes, found.agent.classes, found.error.classes) == (3, 3, 14)
    assert found.pair.macro_f1 == pytest.approx(1 / 3)
    assert found.agent.macro_f1 == pytest.approx((2 / 3) / 3)  # Solver: TP 1, FP 1
    assert found.error.macro_f1 == pytest.approx(2 / 14)
    assert found.error.macro_f1_skip_zero_support == pytest.approx(2 / 3)
    assert found.pair.macro_f1_skip_zero_support == found.pair.macro_f1


def test_failed_records_are_left_out_which_raises_the_score():
    failed = [record([("Solver", "FM-1.1")], error="timeout"), {"ground_truth": {"faulty_agents": []}}]
    found = score([*TWO, *failed, {"ground_truth": None, "model_detection": {}}])
    assert (found.samples, found.left_out) == (2, 3)
    assert found.pair == score(TWO).pair


def test_names_are_compared_as_spelt_but_for_outer_space():
    found = score(
        [record([("assistant1", "FM-1.1"), (" Critic ", "FM-2.4")], [("Assistant1", "FM-1.1"), ("Critic", "FM-2.4 ")])]
    )
    assert (found.pair.true_positives, found.pair.false_positives, found.pair.false_negatives) == (1, 1, 1)


def test_duplicates_vanish_and_empty_parts_are_dropped():
    found = score([record([("S", "FM-1.1"), ("S", "FM-1.1"), ("S", "")], [("S", ""), ("", "FM-1.1")])])
    assert (found.pair.false_negatives, found.pair.false_positives) == (1, 0)
    assert (found.agent.true_positives, found.error.true_positives) == (1, 1)


def test_a_null_becomes_the_word_none():
    found = score([record([("None", "FM-1.1")], [(None, "FM-1.1")])])
    assert found.pair.true_positives == 1


def test_an_unknown_mode_counts_in_the_micro_average_only():
    found = score([record([("S", "FM-9.9")], [("S", "FM-9.9")])])
    assert (found.error.micro_f1, found.error.macro_f1, found.error.macro_f1_skip_zero_support) == (1, 0, 0)


def test_empty_truth_and_empty_prediction():
    found = score([record([], []), record([], [("S", "FM-1.1")]), record([("S", "FM-1.1")], [])])
    assert (found.pair.true_positives, found.pair.false_positives, found.pair.false_negatives) == (0, 1, 1)
    assert (found.pair.micro_f1, found.pair.macro_f1) == (0, 0)


def test_an_answer_that_is_no_object_is_empty():
    found = score([{"ground_truth": {"faulty_agents": [{"agent_name": "S"}]}, "model_detection": "none"}])
    assert (found.agent.false_negatives, found.pair.false_negatives) == (1, 0)


def test_lines_that_are_not_json_are_passed_over():
    assert read_lines([json.dumps(TWO[0]) + "\n", "{torn", "", json.dumps(TWO[1])]) == TWO


def test_nothing_valid_is_an_error():
    with pytest.raises(RecordError, match="leaves out all 1 records"):
        score([record([], error="timeout")])


def test_scored_runs_become_its_records(scored, fault):
    tool = fault("Solver", "env:timeout", strategy="environment", scope="call")
    records = records_of(
        [
            scored("Solver FM-1.1, Critic FM-2.6", "Solver FM-1.1, Critic, Solver env:timeout", run_id="r1"),
            scored((tool, fault("Critic", role="missed")), "", run_id="r2"),
            scored("Solver FM-1.1", None, run_id="r3"),
            scored("Solver FM-1.1", "Solver FM-1.1", run_id="r4", abstained="too long"),
        ]
    )
    assert records == [
        {
            "id": "r1",
            **record([("Solver", "FM-1.1"), ("Critic", "FM-2.6")], [("Solver", "FM-1.1"), ("Critic", "")]),
        },
        {"id": "r2", **record([], [])},
        {"id": "r3", "ground_truth": record([("Solver", "FM-1.1")])["ground_truth"], "error": "broken JSON"},
        {"id": "r4", **record([("Solver", "FM-1.1")], [])},
    ]
    found = score(records)
    assert (found.samples, found.left_out, found.pair.true_positives, found.agent.true_positives) == (3, 1, 1, 2)


def test_where_nothing_failed_our_strict_figures_over_the_papers_classes_are_the_same(scored):
    chance = random.Random(5)

    def some() -> str:
        agents = chance.sample(("Planner", "Solver", "solver", "Critic"), chance.randrange(4))
        return ", ".join(f"{agent} {chance.choice(('FM-1.1', 'FM-2.4', 'FM-3.3'))}" for agent in agents)

    runs = [scored(some(), some(), run_id=f"r{i}") for i in range(120)]
    theirs, ours = score(records_of(runs)), evaluate(runs, seed=0, resamples=0).part("all")
    for of in ("pair", "agent", "error"):
        level = getattr(theirs, of)
        for expected, more in (
            (level.micro_precision, {"measure": "precision", "average": "micro"}),
            (level.micro_recall, {"measure": "recall", "average": "micro"}),
            (level.micro_f1, {"measure": "f1", "average": "micro"}),
            (level.macro_f1, {"measure": "f1", "average": "macro", "classes": "paper"}),
            (level.macro_f1_skip_zero_support, {"measure": "f1", "average": "macro", "classes": "observed"}),
        ):
            variant = Variant(of=of, names=None if of == "error" else "strict", **more)
            assert ours.metric(variant).value == pytest.approx(expected), variant.title
