"""The journal of a campaign: every run that was made, in order, so that none is ever made twice.

The journal is the memory of a campaign; everything else (plans, proofs, dataset) is a function of the configuration
over it. A run is looked up by its id, which is derived from what the run is, and made only if it is not there.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import Field, model_validator

from aegis_core.errors import CampaignError, RecordError, SchemaVersionError, StoreError, StoreWarning
from aegis_core.faults import ArmKind, Ledger, Outcome, Plan
from aegis_core.records import FileRecord
from aegis_core.run import Tape
from aegis_core.store import Appender, Position, encode, index, peek, read_at, repair
from aegis_core.store.lines import decoded, parse
from aegis_core.trajectory import Trajectory

__all__ = ["FILE", "Journal", "JournalReader", "MadeRun", "RunRecord", "RunTime", "read_run", "reread"]

FILE = "journal.jsonl"


class RunRecord(FileRecord):
    """One run that a campaign made, with all that was recorded of it, in canonical form.

    `targets` are indices into the targets of `plan`: the subset that was carried out. A clean run has no plan.
    `outcome` is None only where the run ended before it could be judged. `live_model_calls` counts the model calls
    that were really made, not served from a tape.
    """

    run_id: str = Field(min_length=1)
    task_id: str
    arm: ArmKind
    plan: Plan | None = None
    targets: tuple[int, ...] = ()
    outcome: Outcome | None = None
    invalid: str = ""
    """Why the run proves nothing, as `reason: detail` with a reason for discarding; empty for a valid run."""
    live_model_calls: int = Field(default=0, ge=0)
    trajectory: Trajectory
    tape: Tape
    ledger: Ledger

    @model_validator(mode="after")
    def _consistent(self) -> RunRecord:
        ids = {self.run_id, self.trajectory.run_id, self.tape.run_id, self.ledger.run_id}
        if len(ids) != 1:
            raise RecordError(f"run {self.run_id}: its parts carry other run ids: {sorted(ids)}")
        if (self.arm == "clean") != (self.plan is None):
            raise RecordError(f"run {self.run_id}: a clean run has no plan, every other one has")
        if self.outcome is None and not self.invalid:
            raise RecordError(f"run {self.run_id}: it has neither an outcome nor a reason why not")
        return self

    @property
    def is_right(self) -> bool:
        """Whether the run is valid and its answer is right."""
        return not self.invalid and self.outcome is not None and self.outcome.right


class RunTime(FileRecord):
    """How long a run really took, in seconds. Kept apart from all that has to be the same for one seed."""

    run_id: str
    seconds: float = Field(ge=0)


class Journal:
    """Looks runs up, or has them made and appends them. A context manager; one process at a time.

    Opening it repairs what a killed process left torn: of the journal with a `StoreWarning` that says where the torn
    line is kept (`journal.jsonl.torn`), of the times in silence, since nothing depends on them.

    Args:
        folder: of the campaign; `journal.jsonl` and `times.jsonl` stand in it.

    Raises:
        CampaignError: another process is writing this campaign.
        StoreError: a file is damaged in another way than by being cut off; says what to do about it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = _own(folder)
        self._places: dict[str, Position] = {}
        self._lines = 0
        try:
            self._mend(folder / "times.jsonl", keep=False)
            self._mend(self.path, keep=True)
            if self.path.exists():
                with _remedy(self.path):
                    self._places = index(self.path, "run_id")
                self._lines = max((place.line for place in self._places.values()), default=0)
            self._runs = Appender(self.path)
            self._times = Appender(folder / "times.jsonl")
        except BaseException:
            self._unlock()
            raise
        self.made = 0
        """Runs made since the journal was opened."""
        self.found = 0
        """Runs looked up instead."""

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, run_id: str) -> bool:
        return run_id in self._places

    def run(self, run_id: str, make: Callable[[], tuple[RunRecord, float]]) -> RunRecord:
        """The recorded run with this id; if there is none, `make` makes it (and says how many seconds it took).

        What comes back was read from its line, whether just made or not: a resumed campaign sees what the first saw.
        """
        if run_id in self._places:
            self.found += 1
            return self.read(run_id)
        record, seconds = make()
        if record.run_id != run_id:
            raise CampaignError(f"run {record.run_id} was made where {run_id} was asked for")
        line = encode(record)
        self.add(run_id, line, seconds)
        return reread(line, self.path, self._places[run_id])

    def add(self, run_id: str, line: bytes, seconds: float) -> None:
        """Append the line of a run that was made here or by a worker; one that is there already is only counted."""
        if run_id in self._places:
            self.found += 1
            return
        offset = self.path.stat().st_size
        self._runs.write_line(line)
        self._lines += 1
        self._places[run_id] = Position(line=self._lines, offset=offset)
        self._times.write(RunTime(run_id=run_id, seconds=round(seconds, 6)))
        self.made += 1

    def places(self) -> dict[str, Position]:
        """Where the runs that are recorded so far stand, by id."""
        return dict(self._places)

    def read(self, run_id: str) -> RunRecord:
        """A recorded run.

        Raises:
            CampaignError: the journal has no such run.
        """
        try:
            place = self._places[run_id]
        except KeyError:
            raise CampaignError(f"{self.path} has no run {run_id!r}") from None
        return read_run(self.path, place)

    def close(self) -> None:
        """Let go of the files."""
        self._runs.close()
        self._times.close()
        self._unlock()

    def _mend(self, path: Path, *, keep: bool) -> None:
        if not path.exists():
            return
        with _remedy(path) if keep else _remedy(path, "Take that line out of it: nothing depends on it"):
            done = repair(path, keep=keep)
        if done is not None and keep:
            warnings.warn(str(done), StoreWarning, stacklevel=3)

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class MadeRun:
    """What a line of the journal says of a run, without its trajectory, tape and ledger.

    `plan` and `outcome` are plain data, as they stand in the file; `place` is where the run can be read.
    """

    run_id: str
    task_id: str
    arm: ArmKind
    plan: Mapping[str, Any] | None  # Any: plain data of a Plan
    targets: tuple[int, ...]
    outcome: Outcome | None
    invalid: str
    place: Position


class JournalReader:
    """Reads the journal of a campaign without a lock: of a finished one, an interrupted one, or one that is under way.

    Args:
        folder: of the campaign.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    @cached_property
    def runs(self) -> Mapping[str, MadeRun]:
        """All runs by id, in the order in which they were made; none if there is no journal.

        Raises:
            StoreError: a line is damaged; says what to do about it.
        """
        if not self.path.exists():
            return {}
        with _remedy(self.path):
            return {run.run_id: run for run in map(self._made, peek(self.path))}

    def read(self, run_id: str) -> RunRecord:
        """One of the runs, whole.

        Raises:
            CampaignError: the journal has no such run.
            StoreError: its line is damaged.
        """
        if run_id not in self.runs:
            raise CampaignError(f"{self.path} has no run {run_id!r}")
        return read_run(self.path, self.runs[run_id].place)

    def _made(self, line: tuple[Position, Mapping[str, Any]]) -> MadeRun:
        place, data = line
        try:
            outcome = data.get("outcome")
            return MadeRun(
                run_id=str(data["run_id"]),
                task_id=str(data["task_id"]),
                arm=data["arm"],
                plan=data.get("plan"),
                targets=tuple(data.get("targets", ())),
                outcome=Outcome.model_validate(outcome) if outcome is not None else None,
                invalid=str(data.get("invalid", "")),
                place=place,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path}, line {place.line}: is not the record of a run ({error!r})") from error


def read_run(path: Path, place: Position) -> RunRecord:
    """The run that stands at this place of a journal; the error of a damaged line says what to do about it."""
    with _remedy(path):
        return read_at(path, place, RunRecord)


def reread(line: bytes, path: Path, place: Position) -> RunRecord:
    """The run of a line that was just made, as everyone else will read it."""
    return parse(decoded(line, path, place.line), RunRecord, path, place.line)


@contextmanager
def _remedy(path: Path, advice: str = "") -> Iterator[None]:
    """Add to the error of a damaged line what can be done about it in a campaign."""
    try:
        yield
    except SchemaVersionError:
        raise
    except StoreError as error:
        if isinstance(error.__cause__, OSError):
            raise
        usual = (
            f"Take that line out of {path.name} (keep a copy), and give the command of the campaign again: it makes "
            "the run of that line anew, and looks all others up"
        )
        raise StoreError(f"{error}. If the file was damaged: {advice or usual}") from error


def _own(folder: Path) -> int | None:
    """Lock the campaign for this process; the lock goes with the process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":  # no advisory locks there: one process a campaign is up to the user
        return None
    import fcntl

    fd = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise CampaignError(f"another process is writing the campaign in {folder}; wait for it or stop it") from None
    except OSError:
        os.close(fd)  # a file system without locks
        return None
    return fd
