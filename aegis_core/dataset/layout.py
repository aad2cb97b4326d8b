"""The files of a dataset: their names, and which record each holds.

What learners and attributors may see is `trajectories.jsonl` alone. Everything else stands beyond the wall.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aegis_core.faults import Case, Labels, Ledger, Proof
from aegis_core.records import FileRecord
from aegis_core.run.tape import Tape
from aegis_core.trajectory import Trajectory

if TYPE_CHECKING:
    from aegis_core.campaign.tasks import Task

__all__ = [
    "ARMS",
    "CASES",
    "FILES",
    "FOLDER",
    "LABELS",
    "LEDGERS",
    "PROOFS",
    "SUMMARY",
    "TAPES",
    "TASKS",
    "TRAJECTORIES",
    "DatasetFile",
]

R = TypeVar("R", bound=FileRecord)


@dataclass(frozen=True)
class DatasetFile(Generic[R]):
    """One file of a dataset: a record a line, each with another value of its field `key`."""

    name: str
    key: str
    holds: str
    record: Callable[[], type[R]]


def _task() -> type[Task]:
    # Here and not above: a campaign writes datasets, so the two packages may import each other.
    from aegis_core.campaign.tasks import Task

    return Task


TRAJECTORIES = DatasetFile("trajectories.jsonl", "run_id", "clean runs and kept faulty runs", lambda: Trajectory)
LABELS = DatasetFile("labels.jsonl", "run_id", "the faults of each of these runs", lambda: Labels)
CASES = DatasetFile("cases.jsonl", "case_id", "a clean run and the faulty runs made from it", lambda: Case)
TASKS = DatasetFile("tasks.jsonl", "task_id", "tasks with checker and gold answer", _task)
TAPES = DatasetFile("tapes.jsonl", "run_id", "the tape of every run named in a proof", lambda: Tape)
LEDGERS = DatasetFile("ledgers.jsonl", "run_id", "the ledger of every run named in a proof", lambda: Ledger)
ARMS = DatasetFile("arms.jsonl", "run_id", "trajectories of controls and of subsets of targets", lambda: Trajectory)
PROOFS = DatasetFile("proofs.jsonl", "run_id", "what each label rests on", lambda: Proof)

FILES: tuple[DatasetFile[Any], ...] = (TRAJECTORIES, LABELS, CASES, TASKS, TAPES, LEDGERS, ARMS, PROOFS)
"""All files of records, in the order in which they are put in place. Any: each holds a record of its own."""

FOLDER = "dataset"
"""Where the dataset of a campaign stands, in the campaign's folder."""

SUMMARY = "summary.json"
"""One `Statistics` record; written last, so that it stands only beside finished files."""
