"""Opening runs of any format: chosen by name, or by what the file or folder looks like."""

from __future__ import annotations

import codecs
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aegis_core.errors import MissingDependencyError, PluginError, PluginWarning, StoreError
from aegis_core.format import Format, LabelledRun
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.trajectory import Trajectory

__all__ = ["Source", "open_runs"]

_FIRST_LINE = 1 << 16
"""How much of the first line is looked at, in bytes, to see whether a file that no format knows is text at all."""


@dataclass(frozen=True)
class Source:
    """A file or folder of runs, and the format that reads it. Nothing is read until it is asked for."""

    path: Path
    format: Format
    labels: Path | None = None

    def labelled_runs(self) -> Iterator[LabelledRun]:
        """The runs, one at a time, read anew at each call.

        Raises:
            StoreError: the content breaks the format; the message names file and place.
        """
        return self.format.read(self.path, self.labels)

    def trajectories(self) -> Iterator[Trajectory]:
        """The runs without their labels, which are not read where they stand in a file of their own.

        Raises:
            StoreError: the content breaks the format; the message names file and place.
        """
        return self.format.trajectories(self.path)

    def doubted_trajectories(self) -> Iterator[tuple[Trajectory, tuple[str, ...]]]:
        """The same, each with what the reader doubts about the run itself: what tells of the label is left out.

        Raises:
            StoreError: as for `trajectories`.
        """
        if type(self.format).trajectories is not Format.trajectories:  # it reads no labels, and so tells no doubts
            yield from ((run, ()) for run in self.trajectories())
            return
        for run in self.labelled_runs():
            yield run.trajectory, tuple(doubt for doubt in run.doubts if not doubt.startswith("label:"))


def open_runs(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  the word that a user of the command line types
    labels: str | os.PathLike[str] | None = None,
    *,
    plugins: Plugins | None = None,
) -> Source:
    """Open a file or folder of runs.

    Args:
        path: what to read.
        format: name of its format; without it, all formats that plugins offer are asked whether it looks like theirs.
        labels: a file of labels, for formats in which labels stand apart from the runs.
        plugins: where formats are looked up; by default everything that is installed.

    Raises:
        StoreError: there is nothing at `path`, it looks like no known format, or like several.
        PluginError: no plugin offers the format that was named, or what offers it is broken.
    """
    path = Path(path)
    labels = None if labels is None else Path(labels)
    for given in (path, labels):
        if given is not None and not given.exists():
            raise StoreError(f"{given} does not exist; give the path of an existing file or folder")
    plugins = default_plugins() if plugins is None else plugins
    chosen = plugins.format(format) if format is not None else _recognised(path, plugins)
    return Source(path, chosen, labels)


def _recognised(path: Path, plugins: Plugins) -> Format:
    names = plugins.names("format")
    found, unusable = [], []
    for name in names:
        try:
            candidate = plugins.format(name)
        except MissingDependencyError as error:
            unusable.append(str(error))
            continue
        except PluginError as error:
            unusable.append(str(error))
            warnings.warn(f"aegis: format {name!r} was passed over: {error}", PluginWarning, stacklevel=3)
            continue
        if _sniffs(candidate, path):
            found.append(candidate)
    if len(found) == 1:
        return found[0]
    choose = "choose with format=NAME (on the command line --format NAME)"
    if found:
        raise StoreError(f"{path} looks like several formats: {', '.join(one.name for one in found)}; {choose}")
    if path.is_file() and (own := _of_a_damaged_file(path)) is not None:
        return own
    from aegis_core.formats.whowhen.documents import fault_of  # this module is loaded by every discovery

    fault = f"; {told}" if (told := fault_of(path)) else ""
    could_not = "".join(f". Not asked: {reason}" for reason in unusable)
    known = ", ".join(names) or "none; `aegis plugins` says why"
    raise StoreError(
        f"{path} looks like no format that is known; known: {known}; if it is one of these, {choose}{could_not}{fault}"
    )


def _of_a_damaged_file(path: Path) -> Format | None:
    """Aegis's own format for a file that holds no whole run, so that the same is said of it everywhere.

    Raises:
        StoreError: the file can't be read, or is no text.
    """
    from aegis_core.formats.own import AegisFiles, ends_before_a_run  # this module is loaded by every discovery
    from aegis_core.store.lines import decoded
    from aegis_core.store.tail import named

    with named(path, "read"):
        if ends_before_a_run(path):
            return AegisFiles()
        with path.open("rb") as file:
            line = file.readline(_FIRST_LINE)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(line)
    except UnicodeDecodeError:
        decoded(line, path, 1)
    return None


def _sniffs(candidate: Format, path: Path) -> bool:
    try:
        return bool(candidate.sniff(path))
    except Exception as error:  # plugin boundary: one format's fault must not hide the others
        warnings.warn(
            f"aegis: format {candidate.name!r} was passed over for {path}: {type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=4,
        )
        return False
