"""Labelled runs, and the contract of what reads and writes them: Aegis's own files, and the formats of others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.trajectory import Trajectory

__all__ = ["ChosenRuns", "Format", "LabelledRun", "LabelledRuns"]


@dataclass(frozen=True)
class LabelledRun:
    """A trajectory that was read, with its labels (one record per annotator) kept apart from it.

    All but the trajectory is beyond the wall: attributors see none of it.
    """

    trajectory: Trajectory
    labels: tuple[Labels, ...] = ()
    """One record an annotator. None at all: nobody labelled the run; a record without faults: nobody is to blame."""
    doubts: tuple[str, ...] = ()
    """Repairs and contradictions that the reader met, a sentence each; what tells of the label begins with `label:`."""
    group: str = ""
    """Id of the source task. Runs that share it stay together in a split; "" where nothing is known of it."""
    source: Mapping[str, JsonValue] = field(default_factory=dict)
    """What else the source says of the run, in its own words: gold answer, the annotator's reason, difficulty."""


class LabelledRuns(Protocol):
    """Labelled runs that can be gone through more than once."""

    def labelled_runs(self) -> Iterator[LabelledRun]:
        """All runs, one at a time, from the beginning at each call."""


@dataclass(frozen=True)
class ChosenRuns:
    """Labelled runs in memory: a part of a split, or runs from several sources."""

    runs: tuple[LabelledRun, ...]

    def labelled_runs(self) -> Iterator[LabelledRun]:
        """The runs, in their order."""
        return iter(self.runs)


class Format(ABC):
    """One format: a file or a folder."""

    name: str

    @abstractmethod
    def sniff(self, path: Path) -> bool:
        """Whether `path` looks like this format. Never raises, reads little."""

    @abstractmethod
    def read(self, path: Path, labels: Path | None = None) -> Iterator[LabelledRun]:
        """The runs in `path`, one at a time; `labels` where they stand in a file of their own.

        Raises:
            StoreError: the content breaks the format; the message names file and place.
        """

    def trajectories(self, path: Path) -> Iterator[Trajectory]:
        """The runs alone, for those who may not see labels; by default those that `read` gives.

        Override it where labels stand in a file of their own, so that a run can be looked at whose labels are damaged.

        Raises:
            StoreError: as for `read`.
        """
        return (run.trajectory for run in self.read(path))

    def write(self, runs: Iterable[LabelledRun], path: Path) -> None:
        """Write runs in this format.

        Raises:
            StoreError: the format can't be written, or can't hold what the runs contain.
        """
        del runs
        raise StoreError(
            f"{path} was not written: format {self.name!r} can only be read; `aegis plugins` lists those that can "
            "be written"
        )
