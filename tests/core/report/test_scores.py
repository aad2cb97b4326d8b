"""A trial in words: what the numbers are is said above the tables, and what can't be scored is left out of them."""

from __future__ import annotations

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor
from aegis_core.report.scores import trial_text
from aegis_core.scoring.rules import Rules
from aegis_core.scoring.standings import Conditions
from aegis_core.scoring.trial import Contestant, RunSet, Training, hold_trial
from aegis_core.trajectory import Agent, Step, Trajectory


class Blames(Attributor):
    """Blames one agent at step 1; fails at every run whose id is in `fails`."""

    def __init__(self, agent: str, *fails: str) -> None:
        self.name, self._agent, self._fails = agent, agent, fails

    def attribute(self, trajectory: Trajectory) -> Attribution:
        if trajectory.run_id in self._fails:
            raise ValueError(f"{trajectory.run_id} is too long")
        return Attribution(run_id=trajectory.run_id, blames=(Blame(agent=self._agent, step=1, mode="FM-1.1"),))


def trial(mode: str | None = None, step: int | None = 2, clean: int = 0, **conditions: object):
    agents = (Agent(path="Solver"), Agent(path="Critic"))
    steps = tuple(Step(index=index, agent="Solver", kind="message", text="so") for index in range(3))
    faults = (Fault(agent="solver", mode=mode, step=step, origin="Ann"),)
    labelled = tuple(
        LabelledRun(
            Trajectory(run_id=f"r{n}", task=f"q{n}", agents=agents, steps=steps),
            (Labels(run_id=f"r{n}", case_id="c", faults=faults if n < 4 else ()),),
        )
        for n in range(4 + clean)
    )
    who = [
        Contestant("first", Blames("Solver", "r0")),
        Contestant("second", Blames("Critic", *(f"r{n}" for n in range(4)))),
    ]
    return hold_trial([RunSet("mine", labelled)], who, Conditions.model_validate({"resamples": 20, **conditions}))


def text(*arguments: object, naming: str = "folded", **conditions: object) -> list[str]:
    return list(trial_text(trial(*arguments, **conditions), naming))


def test_the_caption_names_intervals_names_roles_and_classes():
    intervals, names, both, classes = text(seed=3, rules=Rules(roles=("cause", "missed")))[:4]

    assert intervals == "Per cent; in brackets 95% bootstrap intervals over source tasks (20 resamples, seed 3)."
    assert names.startswith("Names of agents are compared folded (")
    assert names.endswith("To be found: faults with role cause, missed.")
    assert both == "Both: agent and step of one and the same fault, over the runs whose labels say a step."
    assert classes == "Macro averages go over the paper's classes: those in the truth, for modes the fourteen of MAST."


def test_how_learners_were_trained_is_told():
    plain = trial()
    for training, said in (
        (Training(folds=5), "* trained on labels of the same set, out of 5 folds; a source task is in one fold only."),
        (
            Training(folds=4, pooled=True),
            "* trained on labels of all sets together, out of 4 folds; a source task is in",
        ),
        (Training(runs=7, shared=2), "* trained on 7 runs of their own; 2 more left out, as their source tasks are"),
        (Training(runs=7, shared=0), "* trained on 7 runs of their own."),
    ):
        assert list(trial_text(plain.model_copy(update={"training": training}), "folded"))[4].startswith(said)


def test_numbers_are_per_cent_and_distances_are_those_that_were_asked_for():
    lines = text(resamples=0, rules=Rules(within=(0, 1)))

    assert "mine: 4 runs of 4 source tasks, labels of Ann" in lines
    at = lines.index("who and where  agent  step exact  both exact  step ±1")
    assert lines[at + 1 : at + 3] == [
        "first          75.0   0.0         0.0         75.0",
        "second         0.0    0.0         0.0         0.0",
    ]


def test_strict_names_are_another_number():
    assert any(line.startswith("first          0.0 [") for line in text(naming="strict"))


@pytest.mark.parametrize(("mode", "step", "absent"), [(None, 2, "mode µF1"), ("FM-1.1", None, "step exact")])
def test_what_the_labels_do_not_say_has_no_column(mode, step, absent):
    said = "\n".join(text(mode, step))

    assert absent not in said
    assert "agent µF1" in said


def test_runs_that_could_not_be_judged_are_counted_and_the_reasons_told():
    lines = text()

    assert "first   3         0          1" in lines
    assert "could not be judged, and counted as wrong: first, 1 runs: ValueError: r0 is too long" in lines
    assert "  and 1 more reasons (--json has them all)" in lines


def test_runs_without_fault_are_counted_and_who_was_blamed_for_them():
    lines = text(clean=2)

    assert "mine: 6 runs of 6 source tasks, 2 of them without any fault, labels of Ann" in lines
    at = lines.index("runs    answered  abstained  not judged  faultless, yet blamed")
    assert lines[at + 1].split() == ["first", "5", "0", "1", "2"]


def test_what_goes_over_fewer_runs_than_the_table_says_over_how_many():
    lines = text("FM-1.1", clean=2, resamples=0)

    assert any(line.startswith("who and where  agent (n=4)  step exact (n=4)") for line in lines)
    assert any(line.startswith("as sets  pair µF1  pair MF1") for line in lines)  # right runs count here


def test_runs_whose_faults_do_not_count_are_told():
    lines = text(rules=Rules(roles=("carrier",)), resamples=0)

    assert "4 of them have faults of other roles alone, and no column below goes over them." in lines


def test_blames_of_what_a_run_does_not_have_stand_beside_the_answers():
    agents = (Agent(path="Solver"),)
    step = Step(index=0, agent="Solver", kind="message", text="so")
    runs = tuple(
        LabelledRun(
            Trajectory(run_id=f"r{n}", task=f"q{n}", agents=agents, steps=(step,)),
            (Labels(run_id=f"r{n}", case_id="c", faults=(Fault(agent="Solver", step=0, origin="Ann"),)),),
        )
        for n in range(3)
    )
    result = hold_trial([RunSet("mine", runs)], [Contestant("Nobody", Blames("Nobody"))], Conditions(resamples=0))
    lines = list(trial_text(result, "folded"))

    at = lines.index("runs    answered  abstained  not judged  blames of strangers  at no such step")
    assert lines[at + 1].split() == ["Nobody", "3", "0", "0", "3", "3"]


def test_doubts_of_the_reader_and_labels_of_strangers_are_told():
    agents = (Agent(path="Solver"),)
    step = Step(index=0, agent="Solver", kind="message", text="so")
    runs = tuple(
        LabelledRun(
            Trajectory(run_id=f"r{n}", task=f"q{n}", agents=agents, steps=(step,)),
            (Labels(run_id=f"r{n}", case_id="c", faults=(Fault(agent="Nobody", step=0, origin="Ann"),)),),
            doubts=("text: was mended",) if not n else (),
        )
        for n in range(6)
    )
    result = hold_trial([RunSet("mine", runs)], [Contestant("first", Blames("Solver"))], Conditions(resamples=0))
    lines = list(trial_text(result, "folded"))

    at = lines.index("doubtful: 7 things in 6 runs, scored as they are written:")
    assert lines[at + 1 : at + 3] == [
        "  r0: text: was mended",
        "  r0: label: 'Nobody' is blamed, who is not in the run",
    ]
    assert lines[at + 6] == "  and 2 more (--json has them all)"


def test_the_full_tables_have_ranks_class_sets_and_runs_by_the_number_of_their_faults():
    lines = list(trial_text(trial("FM-1.1", clean=1, resamples=0), "folded", full=True))
    heads = [line for line in lines if "agent" in line]

    assert any(line.endswith("MRR: agent (n=4)  MRR: step (n=4)") for line in heads)
    assert any(line.startswith("over other classes  pair MF1, observed  pair MF1, union") for line in heads)
    at = next(number for number, line in enumerate(lines) if line.startswith("one fault, n=4"))
    assert lines[at + 1].split()[:2] == ["first", "75.0"]
    assert not any(line.startswith("several faults") for line in lines)


def test_the_first_is_compared_with_the_others():
    lines = text(resamples=0)
    at = lines.index("first less  agent  step exact  both exact")

    assert lines[at + 1] == "second      +75.0  +0.0        +0.0"


def test_published_scorers_have_a_table_of_their_own():
    lines = text("FM-1.1", published=True)

    (head,) = [line for line in lines if line.startswith("as published")]
    assert head.split("  ")[0:1] == ["as published"]
    assert "W&W step" in head
    assert "fork pair µF1" in head
    # The second could judge nothing: the fork's scorer then has no record left.
    (row,) = [line for line in lines[lines.index(head) :] if line.startswith("second")]
    assert row.split()[-6:] == ["-"] * 6
