"""Aegis's own files as a format: datasets, folders of campaigns, and single files of trajectories."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic_core import from_json

from aegis_core import store
from aegis_core.dataset import Dataset, layout
from aegis_core.dataset.labelled import labelled
from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.format import Format, LabelledRun
from aegis_core.store.lines import is_torn
from aegis_core.trajectory import Trajectory

__all__ = ["AegisFiles", "ends_before_a_run"]

_FIRST_LINE = 1 << 26
"""Longest first line, in bytes, at which a file is still looked at."""
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class AegisFiles(Format):
    """`trajectories.jsonl` with what stands beside it, or any JSONL file of trajectories, alone or with its labels."""

    name = "aegis"

    def sniff(self, path: Path) -> bool:
        """Whether a folder or its `dataset/` has `trajectories.jsonl`, or a file begins with a trajectory."""
        try:
            return _folder(path) is not None if path.is_dir() else _begins_with_a_trajectory(path)
        except OSError:
            return False

    def read(self, path: Path, labels: Path | None = None) -> Iterator[LabelledRun]:
        """Clean runs and kept faulty runs with their labels; `labels` takes the place of the dataset's `labels.jsonl`.

        Of a file that is called `trajectories.jsonl` the folder is read; any other file of trajectories has no labels
        but those that are given.

        Raises:
            StoreError: there are no such files, a line is bad, two runs have the same id, or labels name a run that is
                not there.
        """
        given = None if labels is None else store.read(labels, Labels)
        if path.is_dir():
            return Dataset(_folder(path) or path).labelled_runs(given)
        if path.name == layout.TRAJECTORIES.name:
            return Dataset(path.parent).labelled_runs(given)
        return labelled(self.trajectories(path), given or (), {}, str(labels))

    def trajectories(self, path: Path) -> Iterator[Trajectory]:
        """Clean runs and kept faulty runs; of all files, only that of the trajectories is read."""
        if path.is_dir():
            return Dataset(_folder(path) or path).trajectories()
        return store.read(path, Trajectory, unique=layout.TRAJECTORIES.key)

    def write(self, runs: Iterable[LabelledRun], path: Path) -> None:
        """Write a folder with `trajectories.jsonl` and `labels.jsonl`, both or neither; doubts and source are not kept.

        Raises:
            StoreError: `path` is a file or holds a dataset, or two runs have one id.
        """
        if path.is_file() or any((path / file.name).exists() for file in layout.FILES):
            raise StoreError(f"{path} was not written: it is a file, or holds a dataset; name a new folder")
        seen: set[str] = set()
        trajectories, labels = (store.Rewriter(path / file.name) for file in (layout.TRAJECTORIES, layout.LABELS))
        with trajectories, labels:
            for run in runs:
                run_id = run.trajectory.run_id
                if run_id in seen:
                    raise StoreError(f"{path} was not written: two runs have the id {run_id!r}; give each its own")
                seen.add(run_id)
                trajectories.write(run.trajectory)
                for record in run.labels:
                    labels.write(record)


def _folder(path: Path) -> Path | None:
    """The folder of the dataset at `path`, or None."""
    return next((one for one in (path, path / layout.FOLDER) if (one / layout.TRAJECTORIES.name).is_file()), None)


def _begins_with_a_trajectory(path: Path) -> bool:
    """Also where the reader will refuse its encoding, and say so in words."""
    line = _first_line(path)
    encoding = next((name for mark, name in _MARKS.items() if line.startswith(mark)), None)
    try:
        value = from_json(line if encoding is None else line.decode(encoding, "ignore"))
    except ValueError:
        return False
    return isinstance(value, dict) and {"run_id", "agents", "steps"} <= set(value)


def ends_before_a_run(path: Path) -> bool:
    """Whether a JSONL file is empty, or was cut off in the first line, which may have become a trajectory."""
    line = _first_line(path) if path.suffix == ".jsonl" else b"?"
    if not line or line.endswith(b"\n") or not is_torn(line):
        return not line
    text = codecs.getincrementaldecoder("utf-8")().decode(line.rstrip(b"\0"))
    return not text or set(from_json(text, allow_partial=True)) <= set(Trajectory.model_fields)


def _first_line(path: Path) -> bytes:
    """The first line that is not blank."""
    with path.open("rb") as file:
        lines = iter(lambda: file.readline(_FIRST_LINE), b"")
        return next((line for line in lines if line.strip()), b"")
