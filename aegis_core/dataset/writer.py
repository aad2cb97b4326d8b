"""Writing a dataset: all files at once, a record at a time, each file whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from aegis_core.dataset import layout
from aegis_core.dataset.dataset import Dataset
from aegis_core.dataset.layout import DatasetFile
from aegis_core.dataset.statistics import Statistics, statistics
from aegis_core.errors import StoreError
from aegis_core.faults import Case, Labels, Ledger, Proof
from aegis_core.records import FileRecord
from aegis_core.run.tape import Tape
from aegis_core.store import Rewriter, write_document
from aegis_core.trajectory import Trajectory

if TYPE_CHECKING:
    from aegis_core.campaign.tasks import Task

__all__ = ["DatasetWriter"]

R = TypeVar("R", bound=FileRecord)


class DatasetWriter:
    """Writes a dataset into a folder, replacing what is there; a context manager.

    Records stand in each file in the order in which they were given, so the same calls give the same bytes; but
    trajectories are put in the order of their ids, since the runs of a case are given together, the clean one first,
    and that order would tell an observer which is which.

    The files appear when the block ends; if it raises, the folder stays as it was. `summary.json` is written last and
    removed first: where it stands, all files belong together.

    Raises:
        StoreError: two records of one file have the same id, labels have no trajectory, or a file can't be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._ids: dict[str, set[str]] = {file.name: set() for file in layout.FILES}
        self._files: dict[str, Rewriter] = {}
        try:
            for file in layout.FILES:
                sort_by = file.key if file is layout.TRAJECTORIES else ""
                self._files[file.name] = Rewriter(self.path / file.name, sort_by=sort_by)
        except BaseException:
            self.discard()
            raise

    def trajectory(self, trajectory: Trajectory) -> None:
        """Add a clean run or a kept faulty run."""
        self._add(layout.TRAJECTORIES, trajectory)

    def labels(self, labels: Labels) -> None:
        """Add the faults of a run; empty for a clean one."""
        self._add(layout.LABELS, labels)

    def case(self, case: Case) -> None:
        """Add a case."""
        self._add(layout.CASES, case)

    def task(self, task: Task) -> None:
        """Add a task."""
        self._add(layout.TASKS, task)

    def tape(self, tape: Tape) -> None:
        """Add the tape of a run."""
        self._add(layout.TAPES, tape)

    def ledger(self, ledger: Ledger) -> None:
        """Add the ledger of a run."""
        self._add(layout.LEDGERS, ledger)

    def arm(self, trajectory: Trajectory) -> None:
        """Add a run that was made for a proof alone."""
        self._add(layout.ARMS, trajectory)

    def proof(self, proof: Proof) -> None:
        """Add what a label rests on."""
        self._add(layout.PROOFS, proof)

    def finish(self) -> Statistics:
        """Put all files in place and write the summary; returns it."""
        try:
            self._put()
        except BaseException:
            self.discard()
            raise
        summary = statistics(Dataset(self.path))
        write_document(self.path / layout.SUMMARY, summary)
        return summary

    def _put(self) -> None:
        lost = sorted(self._ids[layout.LABELS.name] - self._ids[layout.TRAJECTORIES.name])
        if lost:
            raise StoreError(f"{self.path}: labels of runs {lost[:5]} have no trajectory; write both or neither")
        with suppress(FileNotFoundError):
            (self.path / layout.SUMMARY).unlink()
        for file in layout.FILES:
            self._files[file.name].finish()

    def discard(self) -> None:
        """Give up on what is not yet in place."""
        for rewriter in self._files.values():
            rewriter.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.discard()

    def _add(self, file: DatasetFile[R], record: R) -> None:
        key: Any = getattr(record, file.key)
        ids = self._ids[file.name]
        if key in ids:
            raise StoreError(f"{self.path / file.name}: {file.key} {key!r} was written twice")
        self._files[file.name].write(record)
        ids.add(key)
