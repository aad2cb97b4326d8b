"""The contract of readers and writers of trajectories in formats that are not Aegis's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.trajectory import Trajectory

__all__ = ["Format", "LabelledRun"]


@dataclass(frozen=True)
class LabelledRun:
    """A trajectory that was read, with its labels (one record per annotator) kept apart from it.

    `doubts` are repairs and contradictions that the reader met, one sentence each.
    """

    trajectory: Trajectory
    labels: tuple[Labels, ...] = ()
    doubts: tuple[str, ...] = field(default=())


class Format(ABC):
    """One external format: a file or a folder."""

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
