"""Judging: an attributor that fails at some runs, in any way, loses those and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import RecordError, StoreError
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor
from aegis_core.scoring import judge
from aegis_core.trajectory import Agent, Trajectory


def run(run_id: str, group: str = "q", origins: tuple[str, ...] = ("Ann",)) -> LabelledRun:
    labels = tuple(
        Labels(run_id=run_id, case_id="c", faults=(Fault(agent="Solver", step=0, origin=origin),)) for origin in origins
    )
    return LabelledRun(
        Trajectory(run_id=run_id, task="?", agents=(Agent(path="Solver"),), steps=()), labels, group=group
    )


class Careful(Attributor):
    """Blames the solver, but fails at runs whose id begins with `bad`."""

    name = "careful"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        if trajectory.run_id.startswith("bad"):
            raise ValueError("too long")
        return Attribution(run_id=trajectory.run_id, blames=(Blame(agent="Solver"),), attributor=self.name)


class Batched(Careful):
    """Judges three runs at once; a bad one spoils its batch."""

    name = "batched"

    def attribute_many(self, trajectories: Iterable[Trajectory]) -> Iterator[Attribution]:
        source = iter(trajectories)
        while batch := [one for one, _ in zip(source, range(3), strict=False)]:
            yield from [self.attribute(trajectory) for trajectory in batch]


class Forgetful(Careful):
    """Passes over bad runs in silence, where it is asked for many."""

    def attribute_many(self, trajectories: Iterable[Trajectory]) -> Iterator[Attribution]:
        return (self.attribute(one) for one in trajectories if not one.run_id.startswith("bad"))


class Chatty(Careful):
    """Answers more often than it was asked."""

    def attribute_many(self, trajectories: Iterable[Trajectory]) -> Iterator[Attribution]:
        for one in trajectories:
            yield self.attribute(one)
            yield self.attribute(one)


IDS = ("a", "bad1", "b", "c", "bad2", "bad3", "d", "e")


@pytest.mark.parametrize("kind", [Careful, Batched, Forgetful, Chatty])
def test_a_run_that_can_t_be_judged_costs_only_itself(kind):
    scored = list(judge(kind(), [run(run_id) for run_id in IDS]))
    assert [one.run_id for one in scored] == list(IDS)
    assert {one.run_id: one.not_judged for one in scored if one.prediction is None} == {
        "bad1": "ValueError: too long",
        "bad2": "ValueError: too long",
        "bad3": "ValueError: too long",
    }


def test_runs_are_read_one_at_a_time():
    read: list[str] = []

    def source() -> Iterator[LabelledRun]:
        for run_id in IDS:
            read.append(run_id)
            yield run(run_id)

    judged = judge(Careful(), source())
    next(judged)
    assert read == ["a"]
    next(judged)
    assert read == ["a", "bad1"]


def test_what_the_source_of_the_runs_raises_is_not_the_attributors_fault():
    def source() -> Iterator[LabelledRun]:
        yield run("a")
        raise StoreError("runs.jsonl, line 2: broken")

    judged = judge(Batched(), source())
    with pytest.raises(StoreError, match="line 2"):
        list(judged)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(None, "the answer is no Attribution but NoneType"), (Attribution(run_id="x"), "the answer is for another run")],
)
def test_what_is_no_answer_for_the_run_is_not_judged(answer, reason):
    class Wrong(Careful):
        def attribute(self, trajectory: Trajectory) -> Attribution:
            return answer

    assert [one.not_judged for one in judge(Wrong(), [run("a"), run("b")])] == [reason] * 2


def test_truth_and_group_come_with_the_answer():
    (scored,) = judge(Careful(), [run("a", "q7", ("Ann", "Bob"))], origin="Bob")
    assert (scored.group, [fault.origin for fault in scored.truth]) == ("q7", ["Bob"])
    (scored,) = judge(Careful(), [run("a", "q7")], groups={"a": "q1"})
    assert scored.group == "q1"


def test_runs_without_the_labels_that_were_asked_for_are_an_error():
    with pytest.raises(RecordError, match="say whose count"):
        list(judge(Careful(), [run("a", origins=("Ann", "Bob"))]))
    with pytest.raises(RecordError, match="no labels"):
        list(judge(Careful(), [run("a", origins=())]))


def test_nothing_to_judge_is_no_error():
    assert list(judge(Careful(), [])) == []


class Unsorted(Attributor):
    """Puts a surer blame after one that is less sure."""

    name = "unsorted"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        blames = (Blame(agent="Critic", confidence=0.2), Blame(agent="Solver", confidence=0.8))
        return Attribution(run_id=trajectory.run_id, blames=blames, attributor=self.name)


def test_an_answer_that_does_not_put_the_surest_first_counts_as_not_judged():
    (scored,) = judge(Unsorted(), [run("a")])
    assert scored.prediction is None
    assert "blame 1 has confidence 0.2, and blame 2 after it 0.8; give the surest first" in scored.not_judged


class Quitter(Careful):
    """Ends the process where it can't judge."""

    def attribute(self, trajectory: Trajectory) -> Attribution:
        if trajectory.run_id.startswith("bad"):
            raise SystemExit("no licence")
        return super().attribute(trajectory)


def test_an_attributor_that_would_end_the_process_loses_that_run_alone():
    found = list(judge(Quitter(), [run("a"), run("bad"), run("c")]))

    assert [one.not_judged for one in found] == ["", "SystemExit: no licence", ""]
