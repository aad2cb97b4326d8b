"""Out-of-fold answers: nobody is asked about a source task of its training; answers count as they are."""

from __future__ import annotations

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.scoring import Variant, evaluate
from aegis_core.scoring.crossfitting import CrossFitted, FoldedRun, answers, by_origin, fitted
from aegis_core.trajectory import Agent, Content, Step, Trajectory


def run(run_id: str, *origins: str) -> LabelledRun:
    faults = tuple(Fault(agent="Solver", step=0, origin=origin) for origin in origins or ("Ann",))
    steps = tuple(Step(index=index, agent="Solver", kind="message", text="so") for index in range(2))
    return LabelledRun(
        Trajectory(run_id=run_id, task=run_id, agents=(Agent(path="Solver"),), steps=steps),
        (Labels(run_id=run_id, case_id=run_id, faults=faults),),
    )


class Rote(Attributor):
    """Says in its evidence what it was trained on."""

    name = "rote"

    def __init__(self, known: tuple[str, ...]) -> None:
        self.known = known

    def attribute(self, trajectory: Trajectory) -> Attribution:
        blame = Blame(agent="Solver", step=0, evidence=" ".join(self.known))
        return Attribution(run_id=trajectory.run_id, blames=(blame,), attributor=self.name)


class RoteLearner(Learner):
    """Learns ids by rote, and counts how often it is trained."""

    name = "rote"
    trained = 0

    def fit(self, runs, config):
        self.trained += 1
        return Rote(tuple(run.trajectory.run_id for run in runs.labelled_runs()))

    def save(self, attributor, path):
        raise NotImplementedError

    def load(self, path):
        raise NotImplementedError


class Says(Attributor):
    """Gives the same blame of every run."""

    name = "says"

    def __init__(self, *blames: Blame) -> None:
        self.blames = blames

    def attribute(self, trajectory: Trajectory) -> Attribution:
        return Attribution(run_id=trajectory.run_id, blames=self.blames, attributor=self.name)


FOLDED = [FoldedRun(run(name), name, fold) for name, fold in (("a", 0), ("b", 1), ("c", 0), ("d", 2))]


def test_a_learner_is_trained_on_the_other_folds_once_each():
    learner = RoteLearner()
    fitted = CrossFitted(learner, FOLDED)
    found = [*fitted.answers(FOLDED[:3]), *fitted.answers(FOLDED[3:])]

    assert [one.run_id for one in found] == ["a", "b", "c", "d"]
    assert [one.blames[0].evidence for one in found] == ["b d", "a c d", "b d", "a b c"]
    assert learner.trained == 3


def test_a_learner_sees_the_labels_of_the_chosen_origin_alone():
    both = run("a", "Ann", "Bob")

    (fault,) = by_origin(both, "Bob").labels[0].faults
    assert fault.origin == "Bob"
    assert by_origin(both, None) is both


@pytest.mark.parametrize("blame", [Blame(agent="Nobody"), Blame(agent="Solver", step=2)])
def test_an_answer_that_names_what_the_run_does_not_have_is_an_answer_all_the_same(blame):
    said = (Blame(agent="Solver", step=1), blame)
    (found,) = answers(Says(*said), FOLDED[:1])

    assert (found.blames, found.not_judged) == (said, "")


def test_a_made_up_agent_costs_as_much_as_a_wrong_one():
    def scores(name: str):
        pair = Variant(measure="f1", of="agent", average="micro", names="folded")
        runs = answers(Says(Blame(agent="Solver"), Blame(agent=name)), FOLDED)
        return evaluate(runs, seed=0, resamples=0).part("all").metric(pair).value

    assert scores("Nobody") == scores("Critic") == 2 / 3


def test_a_false_alarm_on_a_clean_run_is_none_the_less_for_a_made_up_name():
    trajectory = run("a").trajectory
    clean = FoldedRun(LabelledRun(trajectory, (Labels(run_id="a", case_id="a", faults=()),)), "a")
    counted = evaluate(answers(Says(Blame(agent="Nobody")), [clean]), seed=0, resamples=0).part("all").coverage

    assert (counted.clean_blamed, counted.not_judged, counted.strangers) == (1, 0, 1)


class Scribbler(Says):
    """Writes into the structured content of the steps that it is shown."""

    def attribute(self, trajectory: Trajectory) -> Attribution:
        trajectory.steps[0].content[0].data["seen"] = True
        return super().attribute(trajectory)


class ScribblingLearner(RoteLearner):
    def fit(self, runs, config):
        for one in runs.labelled_runs():
            one.trajectory.steps[0].content[0].data["seen"] = True
        return Says()


def test_nobody_changes_the_runs_that_others_are_shown():
    step = Step(index=0, agent="Solver", kind="message", text="so", content=(Content(type="json", data={"a": [1]}),))
    trajectory = Trajectory(run_id="a", task="a", agents=(Agent(path="Solver"),), steps=(step,))
    shared = LabelledRun(trajectory, run("a").labels)

    fitted(ScribblingLearner(), [shared])
    (found,) = answers(Scribbler(), [FoldedRun(shared, "a")])

    assert found.not_judged == ""
    assert trajectory.steps[0].content[0].data == {"a": [1]}


class Broken(RoteLearner):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def fit(self, runs, config):
        raise self.error


@pytest.mark.parametrize("error", [KeyError("layers"), SystemExit("no licence")])
def test_a_learner_that_breaks_off_is_named(error):
    with pytest.raises(LearnerError, match=f"learner 'rote' could not be trained: {type(error).__name__}"):
        fitted(Broken(error), [run("a")])


def test_why_a_learner_can_t_learn_stands_as_it_says_it():
    with pytest.raises(LearnerError, match="^too few$"):
        fitted(Broken(LearnerError("too few")), [run("a")])
