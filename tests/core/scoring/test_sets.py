"""Pair, agent and error F1, against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from aegis_core.scoring import Rules, Variant, evaluate
from aegis_core.scoring.bootstrap import blocks
from aegis_core.scoring.rules import MAST_IDS
from aegis_core.scoring.runs import Compared
from aegis_core.scoring.sets import SetScores, compared_sets


def figure(runs, of, average="micro", classes=None, names="folded", measure="f1", rules=None):
    """One number of an evaluation of these runs."""
    names = None if of == "error" else names
    variant = Variant(measure=measure, of=of, average=average, classes=classes, names=names)
    return evaluate(runs, seed=0, resamples=0, rules=rules).part("all").metric(variant).value


@pytest.fixture
def three(scored):
    """Three runs; what is in truth and prediction, by hand:

    pairs   r1 S1.1 both, C2.6 true only;  r2 P2.4 true, S2.4 said;  r3 P1.1 both          TP 2, FP 1, FN 2
    agents  r1 S both, C true;             r2 P true, S said;        r3 P both             TP 2, FP 1, FN 2
    modes   r1 1.1 both, 2.6 true;         r2 2.4 both;              r3 1.1 both           TP 3, FP 0, FN 1
    """
    return [
        scored("Solver FM-1.1, Critic FM-2.6", "Solver FM-1.1", run_id="r1"),
        scored("Planner FM-2.4", "Solver FM-2.4", run_id="r2"),
        scored("Planner FM-1.1", "Planner FM-1.1", run_id="r3"),
    ]


@pytest.mark.parametrize(
    ("of", "precision", "recall", "f1"),
    [("pair", 2 / 3, 2 / 4, 4 / 7), ("agent", 2 / 3, 2 / 4, 4 / 7), ("error", 1.0, 3 / 4, 6 / 7)],
)
def test_micro_sums_over_runs(three, of, precision, recall, f1):
    assert figure(three, of, measure="precision") == pytest.approx(precision)
    assert figure(three, of, measure="recall") == pytest.approx(recall)
    assert figure(three, of) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("of", "classes", "f1"),
    [
        # Solver/1.1: 1; Critic/2.6: 0; Planner/2.4: 0; Planner/1.1: 1; predicted only: Solver/2.4
        ("pair", "paper", 2 / 4),
        ("pair", "observed", 2 / 4),
        ("pair", "union", 2 / 5),
        # Solver: TP 1, FP 1: 2/3; Critic: FN 1: 0; Planner: TP 1, FN 1: 2/3
        ("agent", "paper", (2 / 3 + 2 / 3) / 3),
        ("agent", "observed", (2 / 3 + 2 / 3) / 3),
        ("agent", "union", (2 / 3 + 2 / 3) / 3),
        # 1.1: 1; 2.6: 0; 2.4: 1; eleven more that never occur
        ("error", "paper", 2 / 14),
        ("error", "observed", 2 / 3),
        ("error", "union", 2 / 3),
    ],
)
def test_macro_is_the_plain_mean_over_the_named_class_set(three, of, classes, f1):
    assert figure(three, of, "macro", classes) == pytest.approx(f1)


def test_an_empty_prediction_misses_everything_and_costs_no_precision(scored):
    runs = [scored("Solver FM-1.1, Critic FM-2.6", "", run_id="r1"), scored("Solver FM-1.1", "Solver FM-1.1")]
    for of in ("pair", "agent", "error"):
        assert figure(runs, of, measure="precision") == 1
        assert figure(runs, of, measure="recall") == pytest.approx(1 / 3)
        assert figure(runs, of) == pytest.approx(2 / 4)


def test_nothing_but_empty_predictions_scores_zero(scored):
    runs = [scored("Solver FM-1.1", "")]
    assert [figure(runs, "pair", measure=measure) for measure in ("precision", "recall", "f1")] == [0, 0, 0]
    assert [figure(runs, "pair", "macro", classes) for classes in ("paper", "observed", "union")] == [0, 0, 0]


def test_an_empty_truth_makes_every_prediction_a_false_one(scored):
    runs = [scored("", "Solver FM-1.1, Critic FM-1.1", run_id="r1"), scored("Solver FM-1.1", "Solver FM-1.1")]
    assert figure(runs, "pair") == pytest.approx(2 / (2 + 2))
    assert figure(runs, "agent") == pytest.approx(2 / (2 + 2))
    assert figure(runs, "error") == pytest.approx(2 / (2 + 1))
    assert figure(runs, "pair", "macro", "observed") == pytest.approx(2 / 3)  # the class Solver/1.1: TP 1, FP 1
    assert figure(runs, "pair", "macro", "union") == pytest.approx((2 / 3 + 0) / 2)


def test_truth_and_prediction_both_empty_add_nothing(scored):
    runs = [scored("", "", run_id="r1"), scored("Solver FM-1.1", "Solver FM-1.1")]
    assert figure(runs, "pair") == 1
    assert figure([scored("", "")], "pair") == 0
    assert figure([scored("", "")], "error", "macro", "union") == 0


def test_an_agent_that_is_named_twice_counts_once(scored):
    runs = [scored("Solver FM-1.1 2, Solver FM-1.1 7, Solver FM-2.6", "Solver FM-1.1, Solver FM-1.1 3, Solver FM-3.3")]
    assert figure(runs, "agent") == 1
    assert figure(runs, "pair") == pytest.approx(2 / (2 + 1 + 1))  # 1.1 both, 3.3 said, 2.6 true
    assert figure(runs, "error") == pytest.approx(2 / 4)


def test_folded_names_find_what_strict_names_miss(scored):
    runs = [scored("assistant1 FM-1.1", "Assistant1 FM-1.1", agents=("Assistant1", "Assistant2"))]
    assert figure(runs, "agent", names="strict") == figure(runs, "pair", names="strict") == 0
    assert figure(runs, "agent", names="folded") == figure(runs, "pair", names="folded") == 1
    assert figure(runs, "agent", "macro", "union", names="strict") == 0
    assert figure(runs, "agent", "macro", "union", names="folded") == 1


def test_modes_do_not_depend_on_names(scored):
    assert figure([scored("solver FM-1.1", "Critic FM-1.1")], "error") == 1


def test_a_class_that_is_only_predicted_costs_in_the_union_alone(scored):
    runs = [scored("Solver FM-1.1", "Solver FM-1.1, Stranger acme:slip")]
    assert [figure(runs, "agent", "macro", classes) for classes in ("paper", "observed", "union")] == [1, 1, 1 / 2]
    assert [figure(runs, "error", "macro", classes) for classes in ("paper", "observed", "union")] == [1 / 14, 1, 1 / 2]
    assert figure(runs, "error") == pytest.approx(2 / 3)


def test_a_foreign_mode_is_no_class_of_the_paper(scored):
    runs = [scored("Solver acme:slip", "Solver acme:slip")]
    assert [figure(runs, "error", "macro", classes) for classes in ("paper", "observed", "union")] == [0, 1, 1]
    assert figure(runs, "error") == figure(runs, "pair", "macro", "paper") == 1


def test_a_blame_without_mode_is_an_agent_and_no_pair(scored):
    runs = [scored("Solver FM-1.1", "Solver")]
    assert (figure(runs, "agent"), figure(runs, "pair"), figure(runs, "error")) == (1, 0, 0)


def test_a_run_whose_labels_lack_modes_counts_for_agents_only(scored):
    runs = [scored("Solver - 3", "Solver FM-1.1")]
    assert (figure(runs, "agent"), figure(runs, "pair"), figure(runs, "error")) == (1, None, None)


def test_only_causes_are_true_unless_other_roles_are_asked_for(scored, fault):
    truth = (fault("Solver", "FM-1.1"), fault("Critic", "FM-3.3", role="missed"), fault("Planner", role="carrier"))
    runs = [scored(truth, "Solver FM-1.1, Critic FM-3.3")]
    assert figure(runs, "pair") == pytest.approx(2 / 3)
    assert figure(runs, "pair", rules=Rules(roles=("cause", "missed"))) == 1
    assert figure(runs, "agent", rules=Rules(roles=("cause", "missed", "carrier"))) == pytest.approx(4 / 5)


def test_faults_and_blames_of_the_environment_are_outside_of_agents_and_pairs(scored, fault):
    tool = fault("Solver", "env:timeout", strategy="environment", scope="call")
    runs = [scored((tool, fault("Critic", "FM-3.3")), "Critic FM-3.3, Solver env:timeout")]
    assert (figure(runs, "agent"), figure(runs, "pair"), figure(runs, "error")) == (1, 1, 1)
    said = [scored((tool, fault("Critic", "FM-3.3")), "Critic FM-3.3")]
    asked = Rules(environment=True)
    assert (figure(said, "error"), figure(said, "error", rules=asked)) == (1, pytest.approx(2 / 3))
    assert (figure(said, "agent", rules=asked), figure(said, "pair", rules=asked)) == (1, 1)


def test_the_strategy_too_makes_a_fault_one_of_the_environment(scored, fault):
    tool = fault("Solver", "FM-2.4", strategy="environment", scope="call")
    runs = [scored((tool, fault("Critic", "FM-3.3")), "Critic FM-3.3")]
    assert (figure(runs, "agent"), figure(runs, "pair")) == (1, 1)


def test_a_run_with_faults_of_the_environment_alone_is_outside(scored, fault):
    tool = fault("Solver", "env:timeout", strategy="environment", scope="call")
    runs = [scored((tool,), "Solver FM-1.1")]
    assert (figure(runs, "agent"), figure(runs, "pair"), figure(runs, "error")) == (None, None, None)
    assert figure(runs, "error", rules=Rules(environment=True)) == 0


def test_runs_that_were_not_judged_and_abstentions_are_misses(scored):
    runs = [
        scored("Solver FM-1.1", "Solver FM-1.1", run_id="r1"),
        scored("Solver FM-1.1", None, run_id="r2"),
        scored("Solver FM-1.1", "Solver FM-1.1", run_id="r3", abstained="too long"),
    ]
    assert figure(runs, "pair", measure="recall") == pytest.approx(1 / 3)
    assert figure(runs, "pair") == pytest.approx(2 / (2 + 2))


def test_a_run_outside_of_a_level_has_no_sets_there(scored):
    run = Compared(scored("Solver - 3", "Solver FM-1.1"), Rules())
    assert compared_sets(run, "pair", "folded", Rules()) is None
    assert compared_sets(run, "agent", "folded", Rules()) == ({("Solver",)}, {("Solver",)})


def test_each_mode_has_its_own_score(scored):
    runs = [
        scored("Solver FM-1.1", "Critic FM-1.1, Solver FM-2.6", run_id="r1"),
        scored("Solver FM-1.1", "Solver acme:slip", run_id="r2"),
    ]
    modes = evaluate(runs, seed=0, resamples=0).part("all").modes
    assert [mode.mode for mode in modes] == [*MAST_IDS, "acme:slip"]
    by_id = {mode.mode: mode for mode in modes}
    first = by_id["FM-1.1"]
    assert (first.true_positives, first.false_positives, first.false_negatives) == (1, 0, 1)
    assert (first.precision, first.recall, first.f1) == (1, 1 / 2, pytest.approx(2 / 3))
    assert (by_id["FM-2.6"].false_positives, by_id["FM-2.6"].f1, by_id["FM-3.3"].f1) == (1, 0, 0)


def test_a_resample_without_a_run_of_the_level_has_no_value():
    scores = SetScores("agent", "strict")
    scores.add(0, {("Solver",)}, {("Solver",)})  # of two tasks, only the first has a run at this level
    block = next(blocks(2, resamples=50, seed=1))
    drawn = block.column({0: 1})
    f1 = scores.samples(block)[Variant(measure="f1", of="agent", average="micro", names="strict")]
    assert 0 in drawn
    assert [math.isnan(value) for value in f1] == [times == 0 for times in drawn]
