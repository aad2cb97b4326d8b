"""The end of a file of records: locking it, and repairing what a killed process left there."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aegis_core.errors import StoreError, StoreWarning
from aegis_core.store.lines import decoded, is_torn, parsed

if sys.platform != "win32":
    import fcntl

__all__ = ["BINARY", "Repair", "locked", "named", "repair", "whole", "write_bytes"]

BINARY: int = getattr(os, "O_BINARY", 0)
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Repair:
    """What was done to the end of a file. `line` counts from 1, `offset` and `removed` are in bytes.

    `copy` is the file to which the bytes that were cut off were added, as a line of their own; None if they were not
    to be kept. `removed` is 0 if the last line was a whole record that only lacked its line feed.
    """

    path: Path
    line: int
    offset: int
    removed: int
    copy: Path | None

    def __str__(self) -> str:
        if not self.removed:
            return f"{self.path}, line {self.line}: a whole record without its line feed; the line feed was added"
        return (
            f"{self.path}, line {self.line}: cut off (the process that wrote it was stopped); "
            f"removed {self.removed} bytes{f', which are kept in {self.copy.name}' if self.copy else ''}"
        )


def repair(path: str | os.PathLike[str], *, keep: bool = True) -> Repair | None:
    """Move a torn last line into the file `NAME.torn` beside it; returns None if there was nothing to repair.

    Args:
        keep: False drops the torn line, for a file on which nothing depends.

    Raises:
        StoreError: the file can't be opened, or its last line is damaged in another way than by being cut off.
    """
    path = Path(path)
    with named(path, "repaired"):
        fd = os.open(path, os.O_RDWR | BINARY)
        try:
            with locked(fd):
                return _repair(fd, path, keep=keep)
        finally:
            os.close(fd)


def whole(fd: int, path: Path, known: int = 0) -> int:
    """Make sure that a file ends with a whole line, with a `StoreWarning` if it did not; returns its size in bytes.

    Args:
        known: a size at which it is known to.
    """
    size = os.lseek(fd, 0, os.SEEK_END)
    if size != known and _bytes(fd, size - 1, size) != b"\n":
        done = _repair(fd, path)
        warnings.warn(str(done), StoreWarning, stacklevel=4)
        size = os.lseek(fd, 0, os.SEEK_END)
    return size


@contextmanager
def named(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the operating system into a `StoreError` that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} can't be {what}: {error.strerror or error}") from error


@contextmanager
def locked(fd: int) -> Iterator[None]:
    """Keep other processes from writing the file meanwhile. A no-op on Windows, where one process a file may write."""
    if sys.platform == "win32":
        yield
        return
    with suppress(OSError):  # some network file systems have no locks; O_APPEND still keeps lines apart
        fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)


def write_bytes(fd: int, data: bytes) -> None:
    """Write all of it, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _repair(fd: int, path: Path, *, keep: bool = True) -> Repair | None:
    size = os.lseek(fd, 0, os.SEEK_END)
    start = _last_line(fd, size)
    tail = _bytes(fd, start, size)
    if not tail:
        return None
    line = _count_lines(fd, start) + 1
    if not is_torn(tail):
        parsed(decoded(tail, path, line), path, line)  # raises where the line is damaged and not merely cut off
        os.lseek(fd, 0, os.SEEK_END)
        write_bytes(fd, b"\n")
        return Repair(path, line, start, 0, None)
    copy = _keep(path, tail) if keep else None
    os.ftruncate(fd, start)
    return Repair(path, line, start, len(tail), copy)


def _bytes(fd: int, start: int, end: int) -> bytes:
    os.lseek(fd, start, os.SEEK_SET)
    chunks = []
    while start < end and (chunk := os.read(fd, end - start)):
        chunks.append(chunk)
        start += len(chunk)
    return b"".join(chunks)


def _last_line(fd: int, size: int) -> int:
    """Offset of the first byte after the last line feed."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        found = _bytes(fd, start, end).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _count_lines(fd: int, end: int) -> int:
    return sum(_bytes(fd, at, min(at + _CHUNK, end)).count(b"\n") for at in range(0, end, _CHUNK))


def _keep(path: Path, tail: bytes) -> Path:
    """Add torn bytes to the one file beside `path` that keeps them: a line for each repair, the latest last."""
    copy = path.with_name(f"{path.name}.torn")
    with copy.open("ab") as file:
        file.write(tail + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return copy
