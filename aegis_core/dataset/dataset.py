"""Reading a dataset: a folder of files of records, read lazily and validated line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aegis_core import store
from aegis_core.dataset import layout
from aegis_core.dataset.labelled import check_faults, labelled
from aegis_core.dataset.layout import DatasetFile
from aegis_core.errors import StoreError
from aegis_core.faults import Case, Labels, Ledger, Proof
from aegis_core.format import LabelledRun
from aegis_core.records import FileRecord
from aegis_core.run.tape import Tape
from aegis_core.trajectory import Trajectory

if TYPE_CHECKING:
    from aegis_core.campaign.tasks import Task

__all__ = ["Dataset"]

R = TypeVar("R", bound=FileRecord)


class Dataset:
    """A dataset in a folder. Nothing is read until it is asked for.

    Methods in the plural give all records of a file, one at a time and in the order of the file; those that take an
    id find one record by an index of offsets, which is made at the first such call and anew if the file changes.

    Args:
        path: the folder that holds `trajectories.jsonl`.

    Raises:
        StoreError: the folder is no dataset; and later, wherever a file is missing or a line is bad.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._indices: dict[str, tuple[tuple[int, ...], dict[str, store.Position]]] = {}
        if not self.has(layout.TRAJECTORIES):
            raise StoreError(self._why_not())

    def _why_not(self) -> str:
        needed = layout.TRAJECTORIES.name
        if not self.path.exists():
            return f"{self.path} does not exist; a dataset is a folder with {needed}, as `aegis generate` writes it"
        if not self.path.is_dir():
            return f"{self.path} is not a folder; a dataset is a folder with {needed}"
        below = self.path / "dataset"
        if (below / needed).is_file():
            return f"{self.path} is no dataset but a campaign; its dataset is {below}"
        return f"{self.path} is no dataset: it has no {needed}; `aegis generate` writes one"

    def has(self, file: DatasetFile[Any]) -> bool:
        """Whether the dataset has this file; one that no campaign wrote may lack all but the trajectories."""
        return (self.path / file.name).is_file()

    def trajectories(self) -> Iterator[Trajectory]:
        """Clean runs and kept faulty runs: all that a learner or attributor may see. No two have the same id."""
        file = layout.TRAJECTORIES
        return store.read(self._path(file), file.record(), unique=file.key)

    def labels(self) -> Iterator[Labels]:
        """The faults of each run; empty for a clean one.

        Raises:
            StoreError: a file is bad; or a fault is of a step, or a proven one of an agent, that its run does not have.
        """
        return map(self._checked, self._all(layout.LABELS))

    def cases(self) -> Iterator[Case]:
        """Clean runs with the faulty runs made from them, kept or discarded."""
        return self._all(layout.CASES)

    def tasks(self) -> Iterator[Task]:
        """Tasks with checker and gold answer."""
        return self._all(layout.TASKS)

    def tapes(self) -> Iterator[Tape]:
        """The tape of every run named in a proof."""
        return self._all(layout.TAPES)

    def ledgers(self) -> Iterator[Ledger]:
        """The ledger of every run named in a proof."""
        return self._all(layout.LEDGERS)

    def arms(self) -> Iterator[Trajectory]:
        """The runs that were made for proofs alone: controls and subsets of targets."""
        return self._all(layout.ARMS)

    def proofs(self) -> Iterator[Proof]:
        """What each label rests on."""
        return self._all(layout.PROOFS)

    def labelled_runs(self, labels: Iterable[Labels] | None = None) -> Iterator[LabelledRun]:
        """Clean runs and kept faulty runs with their labels: those that are given, or the dataset's if it has any.

        The group of a run is the task of its case; without cases, what its labels give as their case; without labels,
        the text of its task.

        Raises:
            StoreError: a file is bad, or there are labels of a run that is not in the dataset, of a step that its run
                does not have, or proven ones of an agent that it does not have.
        """
        where = f"{self.path / layout.LABELS.name}" if labels is None else "the labels that were given"
        if labels is None:
            labels = self._all(layout.LABELS) if self.has(layout.LABELS) else ()
        cases = self.cases() if self.has(layout.CASES) else ()
        return labelled(self.trajectories(), labels, {case.case_id: case.task_id for case in cases}, where)

    def trajectory(self, run_id: str) -> Trajectory:
        """A clean or kept faulty run by its id."""
        return self._one(layout.TRAJECTORIES, run_id)

    def labels_of(self, run_id: str) -> Labels:
        """The faults of a run."""
        return self._checked(self._one(layout.LABELS, run_id))

    def case(self, case_id: str) -> Case:
        """A case by its id."""
        return self._one(layout.CASES, case_id)

    def task(self, task_id: str) -> Task:
        """A task by its id."""
        return self._one(layout.TASKS, task_id)

    def tape(self, run_id: str) -> Tape:
        """The tape of a run."""
        return self._one(layout.TAPES, run_id)

    def ledger(self, run_id: str) -> Ledger:
        """The ledger of a run."""
        return self._one(layout.LEDGERS, run_id)

    def arm(self, run_id: str) -> Trajectory:
        """A run that was made for proofs alone."""
        return self._one(layout.ARMS, run_id)

    def proof(self, run_id: str) -> Proof:
        """What the label of a run rests on."""
        return self._one(layout.PROOFS, run_id)

    def ids(self, file: DatasetFile[Any]) -> tuple[str, ...]:
        """The ids of all records of a file, in its order."""
        return tuple(self._index(file))

    def _all(self, file: DatasetFile[R]) -> Iterator[R]:
        return store.read(self._path(file), file.record())

    def _checked(self, labels: Labels) -> Labels:
        if labels.faults or labels.redundant:
            check_faults(labels, self.trajectory(labels.run_id), str(self.path / layout.LABELS.name))
        return labels

    def _one(self, file: DatasetFile[R], key: str) -> R:
        position = self._index(file).get(key)
        if position is None:
            known = self.ids(file)
            shown = ", ".join(known[:5]) + (f", and {len(known) - 5} more" if len(known) > 5 else "")
            raise StoreError(f"{self._path(file)} has no {file.key} {key!r}; known: {shown or 'none'}")
        return store.read_at(self._path(file), position, file.record())

    def _index(self, file: DatasetFile[Any]) -> dict[str, store.Position]:
        path = self._path(file)
        stat = path.stat()
        state = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        kept = self._indices.get(file.name)
        if kept is None or kept[0] != state:
            kept = self._indices[file.name] = (state, store.index(path, file.key))
        return kept[1]

    def _path(self, file: DatasetFile[Any]) -> Path:
        path = self.path / file.name
        if not path.is_file():
            raise StoreError(f"{self.path} has no {file.name} ({file.holds}); only a campaign writes it")
        return path
