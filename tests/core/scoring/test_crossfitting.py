"""Out-of-fold answers: nobody is asked about a source task of its training; answers keep to the contract."""

from __future__ import annotations

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.scoring.crossfitting import CrossFitted, FoldedRun, answers, by_origin, kept_to_contract
from aegis_core.trajectory import Agent, Step, Trajectory


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


@pytest.mark.parametrize(
    ("blame", "reason"),
    [
        (Blame(agent="Nobody"), "the answer blames an agent that is not in the run"),
        (Blame(agent="Solver", step=2), "the answer blames a step that the run does not have"),
    ],
)
def test_an_answer_that_names_what_the_run_does_not_have_is_not_judged(blame, reason):
    (found,) = answers(Says(Blame(agent="Solver", step=1), blame), FOLDED[:1])

    assert (found.prediction, found.not_judged) == (None, reason)
    assert found.blames == ()


@pytest.mark.parametrize("blame", [Blame(agent="solver ", step=1), Blame(agent="the network", mode="env:timeout")])
def test_another_spelling_and_the_environment_are_within_the_contract(blame):
    (found,) = answers(Says(blame), FOLDED[:1])

    assert found.blames == (blame,)
    assert kept_to_contract(found) is found
