"""Trials: several contestants on several sets, trained by source task, each failing for itself alone."""

from __future__ import annotations

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError, PluginWarning, RecordError
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.scoring import Variant
from aegis_core.scoring.standings import Conditions
from aegis_core.scoring.trial import SEEDS, Contestant, RunSet, hold_trial
from aegis_core.trajectory import Agent, Step, Trajectory

AGENT = Variant(measure="accuracy", of="agent", names="folded")
QUICK = Conditions(resamples=50)


def run(run_id: str, task: str = "", mode: str | None = None, *origins: str) -> LabelledRun:
    faults = tuple(Fault(agent="Solver", mode=mode, step=1, origin=origin) for origin in origins or ("Ann",))
    agents = (Agent(path="Solver"), Agent(path="Critic"))
    steps = tuple(Step(index=index, agent=agents[index].path, kind="message", text="so") for index in range(2))
    return LabelledRun(
        Trajectory(run_id=run_id, task=task or run_id, agents=agents, steps=steps),
        (Labels(run_id=run_id, case_id=run_id, faults=faults),),
    )


class Blames(Attributor):
    """Blames one agent, and fails at runs whose id begins with `bad`."""

    def __init__(self, agent: str) -> None:
        self.name, self._agent = "blames", agent

    def attribute(self, trajectory: Trajectory) -> Attribution:
        if trajectory.run_id.startswith("bad"):
            raise ValueError("too long")
        return Attribution(run_id=trajectory.run_id, blames=(Blame(agent=self._agent, step=1),), attributor=self.name)


class Tossing(Attributor):
    """Blames the solver with every even seed, and the critic with every odd one."""

    name = "tossing"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reseeded(self, number: int) -> Tossing:
        return Tossing(self._seed + number)

    def attribute(self, trajectory: Trajectory) -> Attribution:
        return Blames(("Solver", "Critic")[self._seed % 2]).attribute(trajectory)


class Peeking(Learner):
    """Blames the critic where it was trained on a run with the same task, else the solver; may learn of modes only."""

    name = "peeking"

    def __init__(self, *, needs_modes: bool = False) -> None:
        self.needs_modes = needs_modes
        self.trained_on: list[set[str]] = []

    def fit(self, runs, config):
        runs = list(runs.labelled_runs())
        if self.needs_modes and not any(fault.mode for run in runs for label in run.labels for fault in label.faults):
            raise LearnerError("no labelled cause says its mode")
        known = {run.trajectory.task for run in runs}
        self.trained_on.append({run.trajectory.run_id for run in runs})

        class Fitted(Attributor):
            name = "peeking"

            def attribute(self, trajectory):
                agent = "Critic" if trajectory.task in known else "Solver"
                return Attribution(run_id=trajectory.run_id, blames=(Blame(agent=agent, step=0),))

        return Fitted()

    def save(self, attributor, path):
        raise NotImplementedError

    def load(self, path):
        raise NotImplementedError


ONE = RunSet("one", tuple(run(f"a{n}", f"question {n}") for n in range(6)))
OTHER = RunSet("other", tuple(run(f"b{n}", f"Question  {n + 3}") for n in range(6)))
RIGHT = Contestant("right", Blames("Solver"))
WRONG = Contestant("wrong", Blames("Critic"))


def accuracy(trial, number=0):
    return {one.name: one.evaluation.part("all").metric(AGENT).value for one in trial.sets[number].standings}


def test_every_contestant_is_scored_on_every_set_and_the_first_is_compared_with_each_other_one():
    trial = hold_trial([ONE, OTHER], [RIGHT, WRONG, Contestant("again", Blames("Solver"))], QUICK)

    assert [(one.name, one.runs, one.tasks) for one in trial.sets] == [("one", 6, 6), ("other", 6, 6)]
    assert accuracy(trial) == accuracy(trial, 1) == {"right": 1, "wrong": 0, "again": 1}
    compared = trial.sets[0].comparisons
    assert [(one.first, one.second) for one in compared] == [("right", "wrong"), ("right", "again")]
    assert [one.part("all").difference(AGENT).difference for one in compared] == [1, 0]
    assert trial.training is None


@pytest.mark.parametrize("pooled", [False, True])
def test_no_question_is_trained_and_tested_on_even_if_it_occurs_in_two_sets(pooled):
    learner = Peeking()
    trial = hold_trial([ONE, OTHER], [Contestant("peeking", learner)], QUICK.model_copy(update={"pooled": pooled}))

    assert accuracy(trial) == accuracy(trial, 1) == {"peeking": 1}
    both = [{run_id[0] for run_id in ids} == {"a", "b"} for ids in learner.trained_on]
    assert all(both) if pooled else not any(both)
    assert (trial.training.folds, trial.training.pooled) == (5, pooled)


def test_runs_of_their_own_are_trained_on_without_those_of_the_questions_that_are_judged():
    learner = Peeking()
    own = [run("a0", "question 0"), run("a1", "another question"), run("unlabelled")]
    own[2] = LabelledRun(own[2].trajectory)
    trial = hold_trial([ONE, OTHER], [Contestant("peeking", learner)], QUICK, training=own)

    assert learner.trained_on == [{"a1"}]
    assert (trial.training.runs, trial.training.shared, trial.training.folds) == (1, 1, None)
    with pytest.raises(RecordError, match="none of 1 runs is left to train on"):
        hold_trial([ONE], [Contestant("peeking", learner)], QUICK, training=own[:1])


def test_a_run_that_cannot_be_judged_counts_as_wrong_and_the_others_go_on():
    mixed = RunSet("mixed", (run("good"), run("bad-1"), run("fine")))
    trial = hold_trial([mixed], [RIGHT], QUICK)

    assert accuracy(trial)["right"] == pytest.approx(2 / 3)
    assert trial.sets[0].standings[0].evaluation.part("all").coverage.reasons == {"ValueError: too long": 1}


def test_an_optional_learner_is_left_out_of_the_sets_from_which_it_cannot_learn_and_of_no_others():
    with_modes = RunSet("modes", tuple(run(f"m{n}", mode="FM-1.1") for n in range(4)))
    learner = Contestant("peeking", Peeking(needs_modes=True), is_optional=True)
    trial = hold_trial([ONE, with_modes], [RIGHT, learner], QUICK)

    assert [list(accuracy(trial, number)) for number in (0, 1)] == [["right"], ["right", "peeking"]]
    assert trial.sets[0].left_out == {"peeking": "no labelled cause says its mode"}
    with pytest.raises(RecordError, match="nobody is left to judge it: peeking: no labelled cause"):
        hold_trial([ONE], [learner], QUICK)


class Torn(Peeking):
    """Breaks off while it is trained."""

    def fit(self, runs, config):
        raise KeyError("layers")


def test_a_learner_that_was_asked_for_and_breaks_off_takes_nobody_with_it():
    trial = hold_trial([ONE], [Contestant("torn", Torn()), RIGHT, WRONG], QUICK)

    assert accuracy(trial) == {"right": 1, "wrong": 0}
    assert "'peeking' could not be trained: KeyError: 'layers'" in trial.sets[0].left_out["torn"]
    assert trial.sets[0].comparisons == ()  # nobody asked how the others differ


def test_folds_that_can_t_be_made_are_refused_even_where_nobody_is_trained():
    with pytest.raises(RecordError, match="7 folds of 6 runs"):
        hold_trial([ONE], [RIGHT], QUICK.model_copy(update={"folds": 7}))


def test_runs_without_labels_that_count_are_left_out_and_counted():
    unlabelled = LabelledRun(run("u").trajectory)
    trial = hold_trial([RunSet("some", (run("a"), unlabelled, run("b")))], [RIGHT], QUICK)

    assert (trial.sets[0].runs, trial.sets[0].without_labels) == (2, 1)
    with pytest.raises(RecordError, match="none of its 1 runs has labels by 'Bob'"):
        hold_trial([RunSet("one", (run("a"),))], [RIGHT], Conditions(origin="Bob"))


def test_several_origins_to_choose_from_are_an_error_before_anybody_is_asked():
    class Untouchable(Attributor):
        name = "untouchable"

        def attribute(self, trajectory):
            pytest.fail("was asked")

    sets = [RunSet("one", (run("a", "", None, "Ann", "Bob"),))]
    with pytest.raises(RecordError, match="say whose count"):
        hold_trial(sets, [Contestant("untouchable", Untouchable())], QUICK)
    assert accuracy(hold_trial(sets, [RIGHT], Conditions(origin="Bob", resamples=0))) == {"right": 1}


def test_one_id_for_two_runs_is_an_error():
    with pytest.raises(RecordError, match="6 run ids occur more than once, for example 'a0'"):
        hold_trial([ONE, RunSet("twin", ONE.runs)], [RIGHT], QUICK)


def test_published_scorers_are_asked_where_the_labels_allow_it():
    published = Conditions(resamples=0, published=True)
    with_modes = RunSet("modes", tuple(run(f"m{n}", mode="FM-1.1") for n in range(4)))
    without, within = hold_trial([ONE, with_modes], [RIGHT], published).sets

    assert without.standings[0].published.who_and_when.agent_accuracy == 100
    assert without.standings[0].published.aegis_fork is None
    assert within.standings[0].published.aegis_fork.agent.micro_f1 == 1
    bad = RunSet("bad", (run("bad-1", mode="FM-1.1"), run("bad-2", mode="FM-1.1")))
    assert hold_trial([bad], [RIGHT], published).sets[0].standings[0].published.aegis_fork is None
    assert hold_trial([ONE], [RIGHT], QUICK).sets[0].standings[0].published is None


def test_the_same_seed_gives_the_same_trial():
    contestants = [RIGHT, Contestant("peeking", Peeking())]

    assert hold_trial([ONE, OTHER], contestants, QUICK) == hold_trial([ONE, OTHER], contestants, QUICK)


def test_the_numbers_of_who_goes_by_chance_are_means_over_seeds():
    runs = RunSet("mine", (run("r1"), run("r2")))
    (found,) = hold_trial(
        [runs], [Contestant("tossing", Tossing()), Contestant("solver", Blames("Solver"))], QUICK
    ).sets

    chance, sure = found.standings
    metric = chance.evaluation.part("all").metric(AGENT)
    assert (chance.draws, metric.value, metric.low, metric.high, metric.runs) == (SEEDS, 0.5, 0.5, 0.5, 2)
    assert (sure.draws, sure.evaluation.part("all").metric(AGENT).value) == (1, 1.0)
    assert found.comparisons[0].part("all").difference(AGENT).difference == -0.5
    assert chance.evaluation.part("all").coverage.runs == 2


@pytest.mark.parametrize("broken", [OSError("no dice"), SystemExit(3), None])
def test_who_can_not_be_given_another_seed_is_scored_by_its_first(broken):
    class Broken(Tossing):
        def reseeded(self, number):
            if broken is not None:
                raise broken

    with pytest.warns(PluginWarning, match="'tossing' can't be given another seed"):
        (found,) = hold_trial([RunSet("mine", (run("r1"), run("r2")))], [Contestant("tossing", Broken())], QUICK).sets
    (standing,) = found.standings
    assert (standing.draws, standing.evaluation.part("all").metric(AGENT).value) == (1, 1.0)
