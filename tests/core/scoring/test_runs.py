"""What is scored: whose labels are taken, and which records contradict themselves."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from aegis_core.attribution import Attribution
from aegis_core.errors import RecordError
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.scoring import Rules, ScoredRun, Variant, labelled_by, origins, scored_run, truth_of
from aegis_core.scoring.runs import is_environment
from aegis_core.trajectory import Agent, Step, Trajectory


def labelled(*sets: tuple[Fault, ...], run_id: str = "r", group: str = "") -> LabelledRun:
    trajectory = Trajectory(
        run_id=run_id,
        task="2 + 2?",
        agents=(Agent(path="Solver"), Agent(path="Critic")),
        steps=(Step(index=0, agent="Solver", kind="message", text="5"),),
    )
    return LabelledRun(trajectory, tuple(Labels(run_id=run_id, case_id="c", faults=s) for s in sets), group=group)


ANN = (Fault(agent="Solver", step=0, origin="Ann"),)
BOB = (Fault(agent="Critic", step=3, origin="Bob"), Fault(agent="Solver", step=0, origin="Bob"))


def test_the_labels_of_one_annotator_are_the_truth():
    run = labelled(ANN, BOB)
    assert origins(run) == ("Ann", "Bob")
    assert truth_of(run, "Ann") == ANN
    assert truth_of(run, "Bob") == BOB
    assert truth_of(labelled(BOB)) == BOB


def test_several_annotators_need_a_choice():
    with pytest.raises(RecordError, match=r"run r has labels by 'Ann', 'Bob'; say whose count with `origin`"):
        truth_of(labelled(ANN, BOB))


def test_an_annotator_who_did_not_label_the_run_is_an_error_that_names_who_did():
    with pytest.raises(RecordError, match=r"no labels by 'Bob'; it has those of 'Ann'.*`labelled_by`"):
        truth_of(labelled(ANN), "Bob")


def test_a_run_without_labels_is_not_taken_for_a_clean_one():
    with pytest.raises(RecordError, match="run r has no labels"):
        truth_of(labelled())
    assert truth_of(labelled(())) == truth_of(labelled(()), "Ann") == ()


def test_runs_can_be_chosen_by_who_labelled_them():
    runs = [labelled(ANN, run_id="a"), labelled(ANN, BOB, run_id="b"), labelled((), run_id="c"), labelled(run_id="d")]
    assert [run.trajectory.run_id for run in labelled_by(runs)] == ["a", "b", "c"]
    assert [run.trajectory.run_id for run in labelled_by(runs, "Bob")] == ["b", "c"]


def test_a_scored_run_knows_agents_steps_and_group():
    answer = Attribution(run_id="r")
    run = scored_run(labelled(ANN, group="q7"), answer)
    assert run == ScoredRun(
        run_id="r", group="q7", agents=("Solver", "Critic"), steps=1, truth=ANN, prediction=answer, not_judged=""
    )
    assert scored_run(labelled(ANN, group="q7"), answer, group="q8").group == "q8"
    assert scored_run(labelled(ANN), answer).group == "2 + 2?"


def test_a_run_has_an_answer_or_a_reason_why_not():
    assert scored_run(labelled(ANN), None, not_judged="broken JSON").blames == ()
    for answer, reason in ((None, ""), (Attribution(run_id="r"), "broken JSON")):
        with pytest.raises(ValidationError, match="give a prediction, or in `not_judged` the reason"):
            scored_run(labelled(ANN), answer, not_judged=reason)


def test_an_answer_for_another_run_is_refused():
    with pytest.raises(ValidationError, match="run r: the attribution is of run 'other'"):
        scored_run(labelled(ANN), Attribution(run_id="other"))


@pytest.mark.parametrize(
    ("mode", "strategy", "expected"),
    [
        ("env:timeout", None, True),
        ("FM-1.1", "environment", True),
        ("FM-1.1", "response_corruption", False),
        (None, None, False),
    ],
)
def test_mode_or_strategy_make_a_fault_one_of_the_environment(mode, strategy, expected):
    assert is_environment(Fault(agent="A", mode=mode, strategy=strategy, origin="Ann")) is expected


def test_rules_are_in_order_and_in_range():
    assert Rules(within=(3, 0, 3), top=(5, 1)) == Rules(within=(0, 3), top=(1, 5))
    for wrong in ({"within": (-1,)}, {"top": (0,)}, {"roles": ()}, {"roles": ("culprit",)}):
        with pytest.raises(ValidationError):
            Rules.model_validate(wrong)


@pytest.mark.parametrize(
    ("variant", "title"),
    [
        (
            Variant(measure="f1", of="pair", average="macro", classes="paper", names="folded"),
            "pair macro f1 (paper classes, folded names)",
        ),
        (Variant(measure="accuracy", of="step", within=0), "step accuracy (exact)"),
        (Variant(measure="accuracy", of="step", within=3), "step accuracy (within ±3)"),
        (Variant(measure="top", of="agent", k=3, names="strict"), "agent top-3 (strict names)"),
        (Variant(measure="mrr", of="step"), "step mrr"),
        (Variant(measure="parse_rate", of="run"), "parse rate"),
    ],
)
def test_a_variant_says_in_words_what_it_is(variant, title):
    assert variant.title == title
