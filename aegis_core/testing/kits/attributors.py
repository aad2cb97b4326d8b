"""`AttributorConformance`: the contract of attributors as checks that pytest runs."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Iterable
from typing import Any, ClassVar

import pytest

from aegis_core.attribution import Attribution
from aegis_core.learner import Attributor
from aegis_core.plugins.kinds import Kind
from aegis_core.testing.kits.offer import OfferKit
from aegis_core.testing.kits.toys import labelled_runs, odd_trajectories
from aegis_core.trajectory import Trajectory

__all__ = ["AttributorConformance", "check_answers"]


def check_answers(attributor: Attributor, runs: Iterable[Trajectory]) -> list[Attribution]:
    """The answers for some runs, after a look at whether each is one that the run allows."""
    answers = []
    for run in runs:
        try:
            answer = attributor.attribute(run)
        except Exception as error:  # what is checked
            raise AssertionError(f"run {run.run_id!r}: raises {error!r}; abstain with the reason instead") from error
        assert isinstance(answer, Attribution), f"run {run.run_id!r}: gives a {type(answer).__name__}"
        assert answer.run_id == run.run_id, f"run {run.run_id!r}: answers for run {answer.run_id!r}"
        agents = {agent.path for agent in run.agents}
        for blame in answer.blames:
            assert blame.agent in agents, f"run {run.run_id!r}: blames {blame.agent!r}; its agents are {sorted(agents)}"
            there = blame.step is None or blame.step < len(run.steps)
            assert there, f"run {run.run_id!r}: blames step {blame.step} of {len(run.steps)}"
        said = bool(answer.blames) or bool(answer.abstained.strip())
        assert said, f"run {run.run_id!r}: neither blames anybody nor says why not"
        answers.append(answer)
    return answers


class AttributorConformance(OfferKit):
    """What every attributor has to keep to. Fill in `name`; `runs` for your own ones beside the kit's."""

    kind: ClassVar[Kind] = "attributor"

    def runs(self) -> tuple[Trajectory, ...]:
        """Failed runs on which it is tried."""
        return tuple(run.trajectory for run in labelled_runs())

    def test_it_answers_for_the_run_that_it_is_shown_alone(self) -> None:
        """Blamed are agents and steps of the run, or it says why nobody is.

        Repair: take agents from `trajectory.agents` and steps from `trajectory.steps`; where nothing speaks against
        anybody, `Attribution(run_id=..., abstained="why")`.
        """
        check_answers(self.made(), self.runs())

    def test_runs_that_lack_something_are_answered_too(self) -> None:
        """No agents, no steps, no texts, tools alone: an abstention, not an exception.

        Repair: as its message says.
        """
        check_answers(self.made(), odd_trajectories())

    def test_the_same_run_gets_the_same_answer(self) -> None:
        """In another instance and after other runs too.

        Repair: no global random numbers, no clock, no state between runs; seed what is drawn by the run's id.
        """
        first = check_answers(self.made(), self.runs())
        shared = self.made()
        for attempt in (1, 2):
            assert check_answers(shared, self.runs()) == first, f"in round {attempt} of one instance the answers differ"

    def test_the_order_of_runs_does_not_matter(self) -> None:
        """`attribute_many` gives one answer for each run, in their order, and the same as `attribute`.

        Repair: judge each run by itself, also in batches.
        """
        runs = self.runs()
        wanted = {answer.run_id: answer for answer in check_answers(self.made(), runs)}
        for order in (runs, runs[::-1]):
            answers = list(self.made().attribute_many(iter(order)))
            assert [answer.run_id for answer in answers] == [run.run_id for run in order], "not one for each, in order"
            assert {answer.run_id: answer for answer in answers} == wanted, "in another order the answers differ"

    def test_the_run_is_not_changed(self) -> None:
        """A run is the same afterwards: it is somebody else's record.

        Repair: write into nothing that hangs on the trajectory; `content` holds data that can be changed.
        """
        runs = (*self.runs(), *odd_trajectories())
        before = [run.model_dump_json() for run in runs]
        check_answers(self.made(), runs)
        changed = [run.run_id for run, text in zip(runs, before, strict=True) if run.model_dump_json() != text]
        assert not changed, f"changed: {changed}"

    def test_it_looks_at_the_run_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Once it has judged a run, judging another opens no file: labels stand in files beside the runs.

        Repair: load what is needed (weights, prompts) when it is made, and keep it.
        """
        first, *others = self.runs()
        attributor = self.made()
        check_answers(attributor, [first])
        opened: list[str] = []

        def refused(file: Any, *_: Any, **__: Any) -> Any:
            opened.append(str(file))
            raise PermissionError(f"an attributor may not open {file}")

        with monkeypatch.context() as patch:
            for owner in (builtins, io, os):
                patch.setattr(owner, "open", refused)
            for run in others:
                try:
                    attributor.attribute(run)
                except PermissionError:
                    break
        assert not opened, f"it opened {opened[0]}"
