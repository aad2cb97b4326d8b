"""`FormatConformance`: the contract of formats as checks that pytest runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from aegis_core.errors import StoreError
from aegis_core.format import Format, LabelledRun
from aegis_core.plugins.kinds import Kind
from aegis_core.testing.kits.offer import OfferKit
from aegis_core.testing.kits.toys import labelled_runs

__all__ = ["FormatConformance"]

_FOREIGN: dict[str, bytes] = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n\n",
    "notes.txt": b"Nothing of the kind.\n",
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "null.json": b"null",
    "number.jsonl": b"7\n8\n",
    "list.json": b"[]",
    "object.json": b"{}",
    "deep.json": b"[" * 5000,
    "rows.jsonl": b'{"rows": [1, 2]}\n{"rows": [3]}\n',
    "torn.jsonl": b'{"rows": [1, ',
    "latin.jsonl": b'{"name": "\xe9t\xe9"}\n',
    "utf16.json": '{"name": "x"}'.encode("utf-16"),
}


class FormatConformance(OfferKit):
    """What every format has to keep to.

    Fill in `name`; `sample`, where the format can't be written; `kept`, where it does not hold all of a run.
    """

    kind: ClassVar[Kind] = "format"
    in_lines: ClassVar[bool] = True
    """Whether its files hold one record a line, so that what is damaged has a line number."""
    writes: ClassVar[bool] = True
    """Whether it can be written."""
    file_name: ClassVar[str] = "runs"
    """What the kit calls what it has written."""

    def sample(self, folder: Path) -> Path:
        """A file or folder in this format, with two runs at least, made inside this folder."""
        path = folder / self.file_name
        self.made().write(self.runs(), path)
        return path

    def runs(self) -> tuple[LabelledRun, ...]:
        """Runs that are written."""
        return labelled_runs(4)

    def kept(self, run: LabelledRun) -> Any:
        """What of a run survives writing and reading."""
        return run.trajectory, run.labels

    def damaged(self, sample: Path) -> Path:
        """The file of a sample whose second line is damaged by the kit, if it has lines."""
        return sample if sample.is_file() else sorted(sample.rglob("*.jsonl"))[-1]

    def _format(self) -> Format:
        made: Format = self.made()
        return made

    def _read(self, path: Path) -> list[LabelledRun]:
        return list(self._format().read(path))

    def test_it_knows_its_own_files_and_no_others(self, tmp_path: Path) -> None:
        """`sniff` says True of what the format reads, False of anything else, and raises nothing.

        Repair: look for what only this format has; `return False` where a file can't be read or decoded.
        """
        assert self._format().sniff(self.sample(tmp_path / "own")) is True, "it does not know its own sample"
        foreign = tmp_path / "foreign"
        foreign.mkdir()
        for name, data in _FOREIGN.items():
            (foreign / name).write_bytes(data)
        for path in (*sorted(foreign.iterdir()), foreign, tmp_path / "nothing"):
            try:
                found = self._format().sniff(path)
            except Exception as error:  # what is checked
                raise AssertionError(f"sniff raises {error!r} at {path.name}") from error
            assert found is False, f"it takes {path.name} for its own"

    def test_reading_changes_nothing_and_can_be_repeated(self, tmp_path: Path) -> None:
        """What is read is the same each time, and the files are untouched.

        Repair: open for reading; keep nothing of what was read in the format.
        """
        path = self.sample(tmp_path)
        before = _files(tmp_path)
        runs = self._read(path)
        assert len(runs) > 1, "give a `sample` with two runs at least"
        assert self._read(path) == runs, "a second reading gives other runs"
        assert _files(tmp_path) == before, "reading or sniffing changes files"
        ids = [run.trajectory.run_id for run in runs]
        assert len(set(ids)) == len(ids), f"two runs share an id: {ids}"

    def test_runs_can_be_had_without_their_labels(self, tmp_path: Path) -> None:
        """`trajectories` gives the runs of `read`, in their order.

        Repair: leave it as it is in `Format`, or read the same places.
        """
        path = self.sample(tmp_path)
        assert list(self._format().trajectories(path)) == [run.trajectory for run in self._read(path)]

    def test_labels_belong_to_their_runs(self, tmp_path: Path) -> None:
        """Labels carry the id of the run beside which they stand.

        Repair: `Labels(run_id=trajectory.run_id, ...)`.
        """
        for run in self._read(self.sample(tmp_path)):
            strange = [labels.run_id for labels in run.labels if labels.run_id != run.trajectory.run_id]
            assert not strange, f"run {run.trajectory.run_id!r} has labels of {strange}"

    def test_what_was_written_is_read_again(self, tmp_path: Path) -> None:
        """Reading, writing and reading gives equal runs, as far as `kept` says; what can't be written says so.

        Repair: write every field that `kept` names; raise a StoreError for what the format can't hold.
        """
        runs = self._read(self.sample(tmp_path / "one"))
        other = tmp_path / "other" / self.file_name
        if not self.writes:
            with pytest.raises(StoreError):
                self._format().write(runs, other)
            return
        self._format().write(iter(runs), other)
        assert self._kept(self._read(other)) == self._kept(runs), "what was written is read otherwise"

    def _kept(self, runs: Iterable[LabelledRun]) -> list[Any]:
        return [self.kept(run) for run in runs]

    def test_writing_overwrites_nothing(self, tmp_path: Path) -> None:
        """Where something is already, writing is refused, and what is there stays as it was.

        Repair: look first, and raise a StoreError that names the path.
        """
        path = self.sample(tmp_path)
        if not self.writes:
            return
        before = _files(tmp_path)
        with pytest.raises(StoreError, match=path.name):
            self._format().write(self.runs(), path)
        assert _files(tmp_path) == before, "what was there has changed"

    def test_what_is_not_there_is_an_error_that_names_it(self, tmp_path: Path) -> None:
        """Reading a path without a file is a StoreError with the path, not one of the file system.

        Repair: `raise StoreError(f"{path}: ...") from error`.
        """
        with pytest.raises(StoreError, match="no-such-file"):
            self._read(tmp_path / "no-such-file")

    def test_a_damaged_line_is_named(self, tmp_path: Path) -> None:
        """A file that is damaged in the middle is a StoreError that names the file and the line.

        Repair: count lines from 1 while you read, and say file and line in every error; skip nothing in silence.
        """
        path = self.sample(tmp_path)
        file = self.damaged(path)
        lines = file.read_bytes().splitlines(keepends=True)
        if self.in_lines:
            assert len(lines) > 1, f"{file.name} has one line; say `in_lines = False`, or give another `sample`"
            lines[1] = lines[1][: len(lines[1]) // 2] + b"\n"
        else:
            lines = [file.read_bytes()[: file.stat().st_size // 2]]
        file.write_bytes(b"".join(lines))
        with pytest.raises(StoreError) as told:
            self._read(path)
        assert file.name in str(told.value), f"the error does not name the file: {told.value}"
        named = "line 2" in str(told.value) or f"{file.name}:2" in str(told.value)
        assert named or not self.in_lines, f"the error does not name the line: {told.value}"


def _files(folder: Path) -> dict[str, bytes]:
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
