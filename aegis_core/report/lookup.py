"""Finding runs on disk: in a dataset, in the folder of a campaign, or in a file of trajectories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aegis_core import store
from aegis_core.dataset import Dataset, layout
from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.trajectory import Trajectory

__all__ = ["find_trajectory", "labelled_runs", "open_dataset", "trajectories"]


def open_dataset(path: Path) -> Dataset:
    """The dataset at a path, or that of the campaign whose folder it is.

    Raises:
        StoreError: there is none.
    """
    below = path / "dataset"
    return Dataset(below if (below / layout.TRAJECTORIES.name).is_file() else path)


def labelled_runs(dataset: Dataset) -> tuple[Labels, ...]:
    """The labels of all runs that have any."""
    return tuple(labels for labels in dataset.labels() if labels.faults)


def trajectories(path: Path) -> Iterator[Trajectory]:
    """The runs at a path: of a file of trajectories, or of a dataset (clean and kept faulty ones).

    Raises:
        StoreError: there is nothing to read, or a line is bad.
    """
    if path.is_file():
        return store.read(path, Trajectory)
    return open_dataset(path).trajectories()


def find_trajectory(path: Path, run_id: str) -> Trajectory:
    """One run, by its id or a beginning of it that only one run has. In a dataset, runs made for proofs count too.

    Raises:
        StoreError: no run, or several, begin with it.
    """
    if path.is_file():
        found = [run for run in store.read(path, Trajectory) if run.run_id.startswith(run_id)]
        exact = [run for run in found if run.run_id == run_id]
        _check(path, run_id, [run.run_id for run in exact or found])
        return (exact or found)[0]
    dataset = open_dataset(path)
    files = [file for file in (layout.TRAJECTORIES, layout.ARMS) if dataset.has(file)]
    ids = {known: file for file in reversed(files) for known in dataset.ids(file)}
    matching = [run_id] if run_id in ids else [known for known in ids if known.startswith(run_id)]
    _check(dataset.path, run_id, matching)
    (known,) = matching
    return dataset.trajectory(known) if ids[known] is layout.TRAJECTORIES else dataset.arm(known)


def _check(path: Path, run_id: str, matching: list[str]) -> None:
    if not matching:
        raise StoreError(f"{path}: no run begins with {run_id!r}; `aegis show {path}` lists the runs")
    if len(matching) > 1:
        shown = ", ".join(sorted(matching)[:5])
        raise StoreError(f"{path}: {len(matching)} runs begin with {run_id!r}: {shown}{', …' * (len(matching) > 5)}")
