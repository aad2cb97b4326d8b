"""Agent and step accuracy, top-k and mean reciprocal rank, against figures worked out by hand."""

from __future__ import annotations

import pytest

from aegis_core.scoring import Rules, Variant, evaluate
from aegis_core.scoring.localisation import rank


def figure(runs, measure, of, rules=None, **more):
    more = {"names": "folded", **more} if of == "agent" else more
    variant = Variant(measure=measure, of=of, **more)
    return evaluate(runs, seed=0, resamples=0, rules=rules).part("all").metric(variant).value


@pytest.fixture
def four(scored):
    """Place of the first true agent: 1, 2, 3, none. Steps that the first blame is off: 0, 1, 4, none."""
    return [
        scored("Solver FM-1.1 4", "Solver FM-1.1 4, Critic FM-2.6 5", run_id="r1"),
        scored("Solver FM-1.1 4", "Critic FM-1.1 5, Critic FM-2.6 4, Solver FM-1.1 9", run_id="r2"),
        scored("Solver FM-1.1 4", "Critic FM-1.1 8, Planner FM-1.1 7, Solver FM-1.1 6", run_id="r3"),
        scored("Solver FM-1.1 4", "Critic FM-1.1", run_id="r4"),
    ]


def test_agent_accuracy_looks_at_the_first_blame(four):
    assert figure(four, "accuracy", "agent") == 1 / 4


def test_step_accuracy_is_exact_or_within_some_steps(four):
    rules = Rules(within=(0, 1, 3, 4))
    found = [figure(four, "accuracy", "step", rules, within=within) for within in rules.within]
    assert found == [1 / 4, 2 / 4, 2 / 4, 3 / 4]


def test_top_k_counts_each_suspect_once(four):
    rules = Rules(top=(1, 2, 3))
    assert [figure(four, "top", "agent", rules, k=k) for k in rules.top] == [1 / 4, 2 / 4, 3 / 4]
    assert [figure(four, "top", "step", rules, k=k) for k in rules.top] == [1 / 4, 2 / 4, 2 / 4]


def test_mean_reciprocal_rank_is_nought_where_no_suspect_is_right(four):
    assert figure(four, "mrr", "agent") == pytest.approx((1 + 1 / 2 + 1 / 3 + 0) / 4)
    assert figure(four, "mrr", "step") == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)


def test_a_run_with_several_causes_is_hit_if_one_of_them_is(scored):
    runs = [scored("Planner FM-1.1 1, Solver FM-1.1 9", "Solver FM-2.6 8, Critic FM-1.1 1")]
    assert figure(runs, "accuracy", "agent") == 1
    assert figure(runs, "accuracy", "step", within=1) == 1
    assert figure(runs, "accuracy", "step", within=0) == 0
    assert figure(runs, "mrr", "step") == 1 / 2


def test_strict_and_folded_names_give_two_figures(scored):
    runs = [scored("Websurfer - 3", "WebSurfer", agents=("WebSurfer", "human"))]
    assert figure(runs, "accuracy", "agent", names="strict") == 0
    assert figure(runs, "accuracy", "agent", names="folded") == 1


def test_no_answer_is_a_wrong_answer(scored):
    runs = [
        scored("Solver FM-1.1 4", "Solver FM-1.1 4", run_id="r1"),
        scored("Solver FM-1.1 4", "", run_id="r2"),
        scored("Solver FM-1.1 4", None, run_id="r3"),
        scored("Solver FM-1.1 4", "Solver FM-1.1 4", run_id="r4", abstained="too long"),
    ]
    assert figure(runs, "accuracy", "agent") == figure(runs, "accuracy", "step", within=0) == 1 / 4
    assert figure(runs, "mrr", "agent") == figure(runs, "mrr", "step") == 1 / 4


def test_runs_without_a_true_agent_or_step_do_not_count(scored, fault):
    tool = fault("Solver", "env:timeout", 2, strategy="environment", scope="call")
    runs = [
        scored("", "Solver FM-1.1 4", run_id="clean"),
        scored((tool,), "Solver FM-1.1 2", run_id="tool"),
        scored("Solver FM-1.1", "Solver FM-1.1 4", run_id="no step"),
        scored("Solver FM-1.1 4", "Critic FM-1.1 4", run_id="r"),
    ]
    assert figure(runs, "accuracy", "agent") == 1 / 2
    assert figure(runs, "accuracy", "step", within=0) == 1
    assert figure(runs[:2], "accuracy", "agent") is None


def test_a_blame_of_the_environment_or_without_step_takes_its_place(scored):
    runs = [scored("Solver FM-1.1 4", "Solver env:timeout 4, Solver FM-1.1, Solver FM-1.1 4")]
    assert figure(runs, "accuracy", "agent") == 0
    assert figure(runs, "mrr", "agent") == 1 / 2
    assert figure(runs, "accuracy", "step", within=5) == 0
    assert figure(runs, "mrr", "step") == pytest.approx(1 / 3)


def test_carriers_are_found_only_if_asked_for(scored, fault):
    runs = [scored((fault("Planner", step=1), fault("Solver", step=4, role="carrier")), "Solver FM-1.1 4")]
    assert figure(runs, "accuracy", "agent") == 0
    assert figure(runs, "accuracy", "agent", Rules(roles=("cause", "carrier"))) == 1


@pytest.mark.parametrize(
    ("suspects", "place"),
    [((), None), (("a",), None), (("b",), 1), (("a", "a", "b"), 2), ((None, None, "b"), 3), (("a", "c", "b", "b"), 3)],
)
def test_the_place_of_the_first_wanted_suspect(suspects, place):
    assert rank(suspects, {"b"}) == place
