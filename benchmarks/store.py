"""Writing and reading records through the store, against orjson and dicts that nobody checks.

The records are those of a real campaign: trajectories, and the journal's runs (trajectory, tape and ledger in one).
Both sides write the same content with the same care: a whole file by way of a partial one, flushed to the disk and
renamed; an appended record as one write to a file opened for appending. Only the store also locks and looks for a
torn last line when it appends, and validates every field when it reads.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aegis_core.campaign.journal import RunRecord
from aegis_core.errors import MissingDependencyError
from aegis_core.records import Record
from aegis_core.store import Appender, read, write_all
from aegis_core.trajectory import Trajectory
from benchmarks.campaigns import generate
from benchmarks.measuring import Contender, measure, quartiles, ratio, timed
from benchmarks.reporting import Figure, Goal, Report, machine

__all__ = ["Json", "orjson", "plain_json", "run"]

_GOAL = Goal(at_most=3.0)
_OPERATIONS = ("write", "append", "read")


@dataclass(frozen=True, kw_only=True)
class Json:
    """A library that turns plain data into JSON and back."""

    name: str
    dumps: Callable[[Any], bytes]  # Any: plain data
    loads: Callable[[bytes], Any]


def orjson() -> Json:
    """The fast library that the goal is about.

    Raises:
        MissingDependencyError: it is not installed.
    """
    if find_spec("orjson") is None:
        raise MissingDependencyError("the benchmark of the store compares with orjson; install it: pip install orjson")
    library = import_module("orjson")
    return Json(name="orjson", dumps=library.dumps, loads=library.loads)


def plain_json() -> Json:
    """Python's own."""
    return Json(name="json", dumps=lambda data: json.dumps(data, ensure_ascii=False).encode(), loads=json.loads)


def run(rounds: int = 40, tasks: int = 20, library: Callable[[], Json] = orjson) -> Report:
    """Time whole files of records.

    Args:
        rounds: how often each file is written, appended to from empty, and read.
        tasks: of the campaign that makes the records.
        library: what to compare with.
    """
    where, other = machine(), library()
    figures: list[Figure] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        generate("callables", Path(folder) / "campaign", tasks)
        runs = list(read(Path(folder) / "campaign" / "journal.jsonl", RunRecord))
        for kind, records in (("trajectories", [run.trajectory for run in runs]), ("runs", runs)):
            work = contenders(Path(folder), records, other)
            taken = measure(work, rounds=rounds)
            for operation in _OPERATIONS:
                for side in ("store", other.name):
                    name = f"{operation} {side}"
                    seconds = [1e6 * took / len(records) for took in taken.cpu(name)]
                    figures.append(Figure(name=f"{kind}: {name}, CPU each", estimate=quartiles(seconds), unit="us"))
            figures += [
                Figure(
                    name=f"{kind}: {operation}, store / {other.name}",
                    estimate=ratio(taken.cpu(f"{operation} store"), taken.cpu(f"{operation} {other.name}")),
                    goal=_GOAL,
                )
                for operation in _OPERATIONS
            ]
            size = (Path(folder) / "store.jsonl").stat().st_size
            notes.append(f"{kind}: {len(records)} of {size / len(records) / 1000:.1f} kB on average")
    return Report(
        benchmark="store",
        title=f"store read and validate, write, append against {other.name} and dicts",
        machine=where,
        figures=tuple(figures),
        notes=(*notes, "processor time, since a disk that others use says little of the code"),
    )


def contenders(
    folder: Path, records: Sequence[RunRecord] | Sequence[Trajectory], other: Json
) -> Mapping[str, Contender]:
    """Each operation with the store and with the other library, by name; both sides have a file from the start."""
    model: type[RunRecord | Trajectory] = type(records[0])
    plain = [other.loads(record.model_dump_json().encode()) for record in records]
    ours, theirs, added = folder / "store.jsonl", folder / "plain.jsonl", folder / "added.jsonl"
    write_all(ours, records)
    _write_plain(theirs, plain, other)
    work: dict[str, Callable[[], object]] = {
        "write store": lambda: write_all(ours, records),
        f"write {other.name}": lambda: _write_plain(theirs, plain, other),
        "append store": lambda: _append_store(added, records),
        f"append {other.name}": lambda: _append_plain(added, plain, other),
        "read store": lambda: list(read(ours, model)),
        f"read {other.name}": lambda: _read_plain(theirs, other),
    }
    return {name: _prepared(added, once) for name, once in work.items()}


def _prepared(added: Path, work: Callable[[], object]) -> Contender:
    def once() -> Any:  # Any: a Sample; what is timed begins with no file to append to
        added.unlink(missing_ok=True)
        return timed(work)

    return once


def _append_store(path: Path, records: Sequence[Record]) -> None:
    with Appender(path) as appender:
        for record in records:
            appender.write(record)


def _append_plain(path: Path, rows: Sequence[Any], other: Json) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for row in rows:
        os.write(fd, other.dumps(row) + b"\n")
    os.close(fd)


def _write_plain(path: Path, rows: Sequence[Any], other: Json) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        for row in rows:
            file.write(other.dumps(row) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _read_plain(path: Path, other: Json) -> list[Any]:
    with path.open("rb") as file:
        return [other.loads(line) for line in file]
