"""Finding runs on disk: in a dataset, in the folder of a campaign, or in a file of trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from aegis_core import store
from aegis_core.campaign.journal import FILE, JournalReader
from aegis_core.dataset import Dataset, layout
from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.report.unfinished import campaign_folder, how_far
from aegis_core.trajectory import Trajectory

__all__ = ["find_trajectory", "journal_of", "labelled_runs", "matching", "no_runs", "open_dataset", "trajectories"]


def open_dataset(path: Path) -> Dataset:
    """The dataset at a path, or that of the campaign whose folder it is.

    Raises:
        StoreError: there is none; of a campaign that is not finished it says how far it is and how it goes on.
    """
    folder = campaign_folder(path)
    if folder is not None and (unfinished := how_far(folder)):
        raise StoreError(unfinished)
    below = path / layout.FOLDER
    return Dataset(below if (below / layout.TRAJECTORIES.name).is_file() else path)


def journal_of(dataset: Dataset) -> JournalReader | None:
    """The journal of the campaign that a dataset belongs to; None where the dataset stands without its campaign."""
    return _journal(dataset.path)


def labelled_runs(dataset: Dataset) -> tuple[Labels, ...]:
    """The labels of all runs that have any."""
    return tuple(labels for labels in dataset.labels() if labels.faults)


def trajectories(path: Path) -> Iterator[Trajectory]:
    """The runs at a path: of a file of trajectories, or of a dataset (clean and kept faulty ones).

    Raises:
        StoreError: there is nothing to read, or a line is bad.
    """
    if path.is_file():
        return _read(path)
    return open_dataset(path).trajectories()


def find_trajectory(path: Path, run_id: str) -> Trajectory:
    """One run, by its id or a beginning of it that only one run has.

    In the folder of a campaign, finished or not, and in its dataset, every run that was made can be found: controls,
    discarded runs and clean ones that failed are in its journal. A dataset that stands alone has those of its proofs.

    Raises:
        StoreError: no run, or several, begin with it.
    """
    if path.is_file():
        return _in_file(path, run_id)
    journal = _journal(path)
    if journal is not None and how_far(journal.path.parent):
        return journal.read(matching(path, run_id, journal.runs)).trajectory
    dataset = open_dataset(path)
    files = [file for file in (layout.TRAJECTORIES, layout.ARMS) if dataset.has(file)]
    places = {known: file for file in reversed(files) for known in dataset.ids(file)}
    known = run_id
    if run_id not in places:
        known = matching(path, run_id, {*places, *_elsewhere(dataset, journal)})
    if known not in places:
        return _from_journal(dataset, journal, known)
    return dataset.trajectory(known) if places[known] is layout.TRAJECTORIES else dataset.arm(known)


def _elsewhere(dataset: Dataset, journal: JournalReader | None) -> Iterator[str]:
    """The runs that are known, but of which a dataset has no trajectory."""
    if journal is not None:
        yield from journal.runs
    elif dataset.has(layout.CASES):
        for case in dataset.cases():
            yield case.clean_run_id
            yield from (run.run_id for run in case.faulty)


def _from_journal(dataset: Dataset, journal: JournalReader | None, run_id: str) -> Trajectory:
    if journal is None:
        raise StoreError(
            f"{dataset.path}: the steps of run {run_id} are in the journal of its campaign alone, which does not stand "
            "beside this dataset; give the campaign's folder"
        )
    return journal.read(run_id).trajectory


def matching(path: Path, run_id: str, known: Iterable[str]) -> str:
    """The one run id that is `run_id` or begins with it.

    Raises:
        StoreError: there is none, or there are several; the message names `path`.
    """
    known = set(known)
    found = sorted([run_id] if run_id in known else (one for one in known if one.startswith(run_id)))
    if not found:
        raise StoreError(f"{path}: no run begins with {run_id!r}; {_where(path)}")
    if len(found) > 1:
        shown = ", ".join(found[:5])
        raise StoreError(f"{path}: {len(found)} runs begin with {run_id!r}: {shown}{', …' * (len(found) > 5)}")
    return found[0]


def no_runs(path: Path) -> str:
    """What is said of a path without a run; a file may hold the beginning of one."""
    if path.is_file() and path.read_bytes().strip():
        return f"{path} holds no whole run: what stands in it was cut off while it was being written; record it again"
    return f"{path} holds no run"


def _read(path: Path) -> Iterator[Trajectory]:
    if path.name == FILE and campaign_folder(path.parent) is not None:
        raise StoreError(f"{path} is the journal of a campaign; give the campaign's folder instead: {path.parent}")
    return store.read(path, Trajectory, unique=layout.TRAJECTORIES.key)


def _in_file(path: Path, run_id: str) -> Trajectory:
    """A run of a file; memory holds those that begin like it."""
    found, some = {}, False
    for run in _read(path):
        some = True
        if run.run_id.startswith(run_id):
            found[run.run_id] = run
    if not some:
        raise StoreError(no_runs(path))
    return found[matching(path, run_id, found)]


def _where(path: Path) -> str:
    if path.is_file():
        return f"`aegis show {path}` lists the runs"
    return f"`aegis explain {path} --all` lists every run that was made"


def _journal(path: Path) -> JournalReader | None:
    folder = campaign_folder(path)
    return JournalReader(folder) if folder is not None and (folder / FILE).is_file() else None
