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


def joint(runs, rules=None, **more):
    return figure(runs, "accuracy", "joint", rules, **{"names": "folded", "within": 0, **more})


def test_joint_accuracy_asks_for_agent_and_step_of_the_first_blame(four):
    # r2 is 1 step off and r3 4, with another agent than the true one; r4 says no step
    rules = Rules(within=(0, 1, 4))
    assert [joint(four, rules, within=within) for within in rules.within] == [1 / 4, 1 / 4, 1 / 4]


def test_joint_accuracy_is_exact_or_within_some_steps(scored):
    said = ("Solver FM-1.1 4", "Solver FM-1.1 5", "Solver FM-2.6 1", "Critic FM-1.1 4", "Solver FM-1.1")
    runs = [scored("Solver FM-1.1 4", words, run_id=f"r{n}") for n, words in enumerate(said)]
    rules = Rules(within=(0, 1, 3))
    assert [joint(runs, rules, within=within) for within in rules.within] == [1 / 5, 2 / 5, 3 / 5]


def test_a_step_beyond_the_end_of_the_run_is_near_nothing(scored):
    (run,) = [scored("Solver FM-1.1 4", "Solver FM-1.1 5", run_id="r")]
    short = run.model_copy(update={"steps": 5})
    rules = Rules(within=(0, 1))
    assert figure([run], "accuracy", "step", rules, within=1) == joint([run], rules, within=1) == 1
    assert figure([short], "accuracy", "step", rules, within=1) == joint([short], rules, within=1) == 0


def test_the_agent_of_one_cause_and_the_step_of_another_are_not_both_right(scored):
    runs = [scored("Planner FM-1.1 1, Solver FM-1.1 9", "Planner FM-1.1 9")]
    assert figure(runs, "accuracy", "agent") == figure(runs, "accuracy", "step", within=0) == 1
    assert joint(runs) == 0
    assert joint([scored("Planner FM-1.1 1, Solver FM-1.1 9", "Solver FM-1.1 9")]) == 1


def test_joint_accuracy_goes_over_the_runs_whose_truth_says_a_step(scored):
    runs = [
        scored("", "Solver FM-1.1 4", run_id="clean"),
        scored("Solver FM-1.1", "Solver FM-1.1 4", run_id="no step"),
        scored("Solver FM-1.1, Critic FM-1.1 4", "Solver FM-1.1 4", run_id="step of another"),
        scored("Solver FM-1.1 4", "Solver FM-1.1 4", run_id="right"),
        scored("Solver FM-1.1 4", "Solver env:timeout 4", run_id="environment"),
        scored("Solver FM-1.1 4", None, run_id="not judged"),
    ]
    assert joint(runs) == 1 / 4
    assert joint(runs[:2]) is None


def test_joint_accuracy_compares_names_as_agent_accuracy_does(scored):
    runs = [scored("Websurfer - 3", "WebSurfer - 3", agents=("WebSurfer", "human"))]
    assert joint(runs, names="strict") == 0
    assert joint(runs, names="folded") == 1


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
