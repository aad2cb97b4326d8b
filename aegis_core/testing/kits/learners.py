"""`LearnerConformance`: the contract of learners as checks that pytest runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import JsonValue

from aegis_core.attribution import Attribution
from aegis_core.errors import AegisError, LearnerError
from aegis_core.format import ChosenRuns, LabelledRun
from aegis_core.learner import Attributor
from aegis_core.plugins.kinds import Kind
from aegis_core.testing.kits.attributors import check_answers
from aegis_core.testing.kits.offer import OfferKit
from aegis_core.testing.kits.toys import labelled_runs, odd_trajectories

__all__ = ["LearnerConformance"]

_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")
"""How files begin that are, or hold, a pickle: loading one runs whatever its author wrote."""


class LearnerConformance(OfferKit):
    """What every learner has to keep to. Fill in `name`, and `config`, so that training takes seconds."""

    kind: ClassVar[Kind] = "learner"
    config: ClassVar[Mapping[str, JsonValue]] = {}

    def runs(self) -> tuple[LabelledRun, ...]:
        """Labelled runs to train on."""
        return labelled_runs()

    def _fitted(self, runs: tuple[LabelledRun, ...] | None = None) -> Attributor:
        fitted: Attributor = self.made().fit(ChosenRuns(self.runs() if runs is None else runs), dict(self.config))
        assert isinstance(fitted, Attributor), f"`fit` gives a {type(fitted).__name__}, not an Attributor"
        return fitted

    def _answers(self, attributor: Attributor) -> list[Attribution]:
        return check_answers(attributor, (run.trajectory for run in self.runs()))

    def test_what_it_has_trained_answers_for_runs(self) -> None:
        """The attributor blames agents and steps of the run that it is shown, and none of a training run.

        Repair: map what was learnt to `trajectory.agents`; abstain with a reason where nothing fits.
        """
        fitted = self._fitted()
        self._answers(fitted)
        check_answers(fitted, odd_trajectories())

    def test_the_same_runs_give_the_same_attributor(self) -> None:
        """Two trainings with equal runs and configuration answer alike, also after training on others.

        Repair: take the seed from the configuration, with a constant as default; keep no state in the learner.
        """
        wanted = self._answers(self._fitted())
        learner = self.made()
        learner.fit(ChosenRuns(self.runs()[:6]), dict(self.config))
        again = learner.fit(ChosenRuns(self.runs()), dict(self.config))
        assert self._answers(again) == wanted, "a second training answers otherwise"

    def test_the_order_of_runs_does_not_matter(self) -> None:
        """The runs are a set: in another order they give the same attributor.

        Repair: sort what is counted before ties are broken; shuffle by the seed, after sorting by run id.
        """
        assert self._answers(self._fitted(self.runs()[::-1])) == self._answers(self._fitted())

    def test_the_runs_are_not_changed(self) -> None:
        """Runs, labels and configuration are the same after training.

        Repair: work on what you have built yourself.
        """
        runs, config = self.runs(), dict(self.config)
        before = [_written(run) for run in runs]
        self.made().fit(ChosenRuns(runs), config)
        assert [_written(run) for run in runs] == before, "training changes the runs"
        assert config == dict(self.config), "training changes the configuration"

    def test_what_was_saved_answers_like_what_was_trained(self, tmp_path: Path) -> None:
        """A trained attributor survives saving and loading, by another instance of the learner.

        Repair: save all that answers depend on, the configuration included.
        """
        fitted = self._fitted()
        self.made().save(fitted, tmp_path / "model")
        assert self._answers(self.made().load(tmp_path / "model")) == self._answers(fitted)

    def test_nothing_is_pickled(self, tmp_path: Path) -> None:
        """What is saved can be loaded without running code of others.

        Repair: JSON for what is counted, safetensors for weights.
        """
        self.made().save(self._fitted(), tmp_path / "model")
        files = [path for path in (tmp_path / "model").rglob("*") if path.is_file()]
        assert files, "`save` wrote nothing into the folder that it was given"
        pickled = [path.name for path in files if path.read_bytes().startswith(_PICKLES)]
        assert not pickled, f"pickles, or archives that hold some: {pickled}"

    def test_where_nothing_can_be_learnt_it_says_so(self) -> None:
        """No runs at all, or none with a label: a `LearnerError` that says what is missing.

        Repair: look before you train; raise `LearnerError` with what to do.
        """
        unlabelled = tuple(LabelledRun(run.trajectory) for run in self.runs())
        for what, runs in (("no runs", ()), ("runs without labels", unlabelled)):
            with pytest.raises(LearnerError) as told:
                self._fitted(runs)
            assert str(told.value).strip(), f"{what}: the error says nothing"

    def test_a_folder_without_a_model_is_an_error(self, tmp_path: Path) -> None:
        """Loading from an empty folder is an error of Aegis that names it, not one of the file system.

        Repair: `LearnerError(f"{path} holds no model of ...")`; `store.read_document` raises a StoreError itself.
        """
        (tmp_path / "empty").mkdir()
        with pytest.raises(AegisError, match="empty"):
            self.made().load(tmp_path / "empty")


def _written(run: LabelledRun) -> tuple[str, ...]:
    return (run.trajectory.model_dump_json(), *(labels.model_dump_json() for labels in run.labels), str(run.source))
