"""Writing records: adding to a file, and replacing a file."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from aegis_core.errors import StoreError
from aegis_core.records import Record
from aegis_core.store.lines import mend_text, too_deep
from aegis_core.store.tail import BINARY, locked, named, whole, write_bytes

if sys.platform != "win32":
    import fcntl

__all__ = ["Appender", "Rewriter", "append", "encode", "write_all", "write_document"]


def encode(record: Record, indent: int | None = None) -> bytes:
    """The line of a record, with its line feed; with an indent, several lines.

    Raises:
        StoreError: the record could not be read back: it is nested too deeply, or breaks its own schema.
    """
    try:
        line = _json(record, indent)
    except PydanticSerializationError:
        line = _mended(record, indent)
    if too_deep(line):
        raise StoreError(f"a {type(record).__name__} is nested too deeply to be read back; flatten its data")
    return line + b"\n"


def _mended(record: Record, indent: int | None) -> bytes:
    try:
        plain = type(record).model_validate(mend_text(record.model_dump()))
        return _json(plain, indent)
    except (PydanticSerializationError, ValidationError) as error:
        raise StoreError(f"a {type(record).__name__} can't be written as JSON: {error}") from error


def _json(record: Record, indent: int | None) -> bytes:
    """What `model_dump_json` gives, without the way through a text."""
    return record.__pydantic_serializer__.to_json(record, indent=indent)


class Appender:
    """Adds records to the end of a file, each whole or not at all; a context manager.

    Several processes and threads may append to one file. What a killed process left torn is repaired before the
    next record is written, with a `StoreWarning`.

    Args:
        path: is created, with its folder, if it does not exist.
        fsync: wait for the disk after every record: needed only against loss of power.

    Raises:
        StoreError: the file can't be opened, or a record can't be written; the file then holds no part of it.
    """

    def __init__(self, path: str | os.PathLike[str], *, fsync: bool = False) -> None:
        self.path = Path(path)
        self._fsync = fsync
        self._lock = threading.Lock()
        with named(self.path, "opened for writing"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o666)
        self._open = True
        self._size = 0

    def write(self, record: Record) -> None:
        """Append one record."""
        self.write_line(encode(record))

    def write_line(self, line: bytes) -> None:
        """Append one record that `encode` has made a line of, here or in another process."""
        with self._lock:
            if not self._open:
                raise StoreError(f"{self.path}: the appender is closed; open a new one")
            with named(self.path, "written"), locked(self._fd):
                size = whole(self._fd, self.path, self._size)
                try:
                    write_bytes(self._fd, line)
                except BaseException:
                    os.ftruncate(self._fd, size)
                    raise
                self._size = size + len(line)
                if self._fsync:
                    os.fsync(self._fd)

    def close(self) -> None:
        """Close the file; may be called more than once."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Rewriter:
    """Writes a file anew; it appears under its name only when `finish` puts it there. A context manager.

    An exception inside the block, or a kill, leaves the earlier file as it was. A killed process leaves a file
    `.NAME.partial`, which the next rewriter of the same file takes over.

    Args:
        sort_by: name of a text field by whose value the records are put in order; by default they stand in the order
            in which they came. Memory holds these values alone: the records wait in a nameless file beside it.

    Raises:
        StoreError: the file can't be written, or another process is rewriting it.
    """

    def __init__(self, path: str | os.PathLike[str], *, sort_by: str = "") -> None:
        self.path = Path(path)
        self._sort_by = sort_by
        self._places: list[tuple[str, int]] = []
        self._partial = self.path.with_name(f".{self.path.name}.partial")
        with named(self.path, "written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fd = self._own()
            os.ftruncate(fd, 0)
        self._file = os.fdopen(fd, "wb")
        self._done = False
        self._waiting: IO[bytes] | None = None

    def _own(self) -> int:
        """Open the partial file as the only process that writes it."""
        while True:
            fd = os.open(self._partial, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
            if not _only_writer(fd):
                os.close(fd)
                raise StoreError(f"{self.path}: another process is writing this file; wait for it or stop it")
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), self._partial.stat()):
                    return fd
            os.close(fd)  # between our opening and locking it, its owner made it the finished file

    def write(self, record: Record, *, indent: int | None = None) -> None:
        """Add one record."""
        line = encode(record, indent)
        with named(self.path, "written"):
            if self._sort_by:
                self._keep(line, str(getattr(record, self._sort_by)))
            else:
                self._file.write(line)

    def _keep(self, line: bytes, key: str) -> None:
        if self._waiting is None:
            self._waiting = tempfile.TemporaryFile(dir=self.path.parent)  # noqa: SIM115  closed with the rewriter
        self._places.append((key, self._waiting.tell()))
        self._waiting.write(line)

    def finish(self) -> None:
        """Put the file in its place; if that fails, the earlier file stays."""
        try:
            self._put()
        except BaseException:
            self.discard()
            raise

    def _put(self) -> None:
        with named(self.path, "written"):
            for line in self._sorted():
                self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
            if sys.platform == "win32":
                self._file.close()  # Windows does not rename an open file; elsewhere closing it would end the lock
            self._partial.replace(self.path)
            self._done = True
            self._file.close()

    def _sorted(self) -> Iterator[bytes]:
        if self._waiting is None:
            return
        self._places.sort()
        with self._waiting as waiting:
            for _, offset in self._places:
                waiting.seek(offset)
                yield waiting.readline()

    def discard(self) -> None:
        """Give up: the earlier file stays. Nothing happens once it is finished or discarded."""
        if self._done:
            return
        self._done = True
        if sys.platform == "win32":
            self._file.close()
        with suppress(FileNotFoundError):
            self._partial.unlink()
        with suppress(OSError):
            if self._waiting is not None:
                self._waiting.close()
        with suppress(OSError):  # a full disk can't take what is still in the buffer, and need not
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.discard()


def _only_writer(fd: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True


def append(path: str | os.PathLike[str], record: Record, *, fsync: bool = False) -> None:
    """Append one record to a file, as `Appender` does."""
    with Appender(path, fsync=fsync) as appender:
        appender.write(record)


def write_all(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Replace a file by these records, all or nothing, as `Rewriter` does."""
    with Rewriter(path) as rewriter:
        for record in records:
            rewriter.write(record)


def write_document(path: str | os.PathLike[str], record: Record) -> None:
    """Replace a file that holds one record, indented for people, all or nothing."""
    with Rewriter(path) as rewriter:
        rewriter.write(record, indent=2)
