"""Reading records: one after the other, or by their place."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from aegis_core.errors import StoreError, StoreWarning
from aegis_core.records import Record
from aegis_core.store.lines import decoded, is_torn, parse, parsed
from aegis_core.store.tail import named

__all__ = ["Position", "index", "peek", "read", "read_at", "read_document"]

M = TypeVar("M", bound=Record)


@dataclass(frozen=True)
class Position:
    """Where a record stands in a file: its line, from 1, and the offset of its first byte."""

    line: int
    offset: int


def read(path: str | os.PathLike[str], model: type[M], *, unique: str = "", whole: bool = False) -> Iterator[M]:
    """The records of a file, one at a time: memory holds one line, whatever the size of the file.

    A torn last line is left out with a `StoreWarning`. Empty lines are passed over.

    Args:
        whole: whether the file was written by a person, not by a process that may have been stopped: a torn line is an
            error then.
        unique: a text field that has another value in every record; memory holds these values too.

    Raises:
        SchemaVersionError: a line was written by a newer Aegis.
        StoreError: the file can't be read, a line holds no such record, or two lines have the same value in the field
            that is to be unique; the message names file, line and field.
    """
    path = Path(path)
    seen: dict[str, int] = {}
    for place, raw in _lines(path, torn="raise" if whole else "warn"):
        record = parse(raw, model, path, place.line)
        if unique:
            _note(getattr(record, unique), unique, place.line, seen, path)
        yield record


def read_at(path: str | os.PathLike[str], position: Position, model: type[M]) -> M:
    """The one record that stands at a position; errors as for `read`."""
    path = Path(path)
    with named(path, "read"), path.open("rb") as file:
        file.seek(position.offset)
        raw = file.readline()
    return parse(raw, model, path, position.line)


def read_document(path: str | os.PathLike[str], model: type[M]) -> M:
    """The record of a file that holds one alone, as `write_document` writes it; errors as for `read`."""
    path = Path(path)
    with named(path, "read"):
        raw = path.read_bytes()
    return parse(raw, model, path, 1)


def _note(value: str, field: str, line: int, seen: dict[str, int], path: Path) -> None:
    first = seen.setdefault(value, line)
    if first != line:
        raise StoreError(
            f"{path}, line {line}, field {field}: {value!r} already stands in line {first}; remove one of the two"
        )


def index(path: str | os.PathLike[str], field: str) -> dict[str, Position]:
    """Where each record of a file stands, by the value of a text field that is unique in it; errors as for `read`."""
    path = Path(path)
    places: dict[str, Position] = {}
    lines: dict[str, int] = {}
    for place, raw in _lines(path):
        value = parsed(decoded(raw, path, place.line), path, place.line).get(field)
        if not isinstance(value, str):
            raise StoreError(
                f"{path}, line {place.line}, field {field}: a text is needed here; check that this is the right kind "
                "of file"
            )
        _note(value, field, place.line, lines, path)
        places[value] = place
    return places


def peek(path: str | os.PathLike[str]) -> Iterator[tuple[Position, dict[str, Any]]]:
    """The records of a file as plain data, each with its place, for a look at a few of their fields.

    Much faster than `read`, and nothing is validated. A torn last line is passed over in silence: the process that
    writes the file may just be at it.

    Raises:
        StoreError: the file can't be read, or a line is not a JSON object.
    """
    path = Path(path)
    for place, raw in _lines(path, torn="pass"):
        yield place, parsed(decoded(raw, path, place.line), path, place.line)


def _lines(path: Path, *, torn: Literal["warn", "pass", "raise"] = "warn") -> Iterator[tuple[Position, bytes]]:
    offset = 0
    with named(path, "read"):
        file = path.open("rb")
    with file:
        for line, raw in enumerate(file, 1):
            if not raw.endswith(b"\n") and is_torn(raw):
                if torn == "raise":
                    raise StoreError(
                        f"{path}, line {line}: ends in the middle of a record; complete or remove the line"
                    )
                if torn == "warn":
                    warnings.warn(
                        f"{path}, line {line}: cut off after {len(raw)} bytes (the process that wrote it was stopped); "
                        "left out. The next record that is written moves it aside, as `aegis_core.store.repair` does",
                        StoreWarning,
                        stacklevel=3,
                    )
                return
            if raw.startswith(b"{") or decoded(raw, path, line).strip():
                yield Position(line, offset), raw
            offset += len(raw)
