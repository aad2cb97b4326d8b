"""Campaigns that have no dataset yet: how far they are, and how they go on."""

from __future__ import annotations

import shlex
from pathlib import Path

from aegis_core.campaign import configuration
from aegis_core.campaign.configuration import Configuration
from aegis_core.campaign.journal import JournalReader
from aegis_core.dataset import layout
from aegis_core.store import read_document

__all__ = ["campaign_folder", "how_far"]


def campaign_folder(path: Path) -> Path | None:
    """The folder of the campaign that a path is of: the folder itself, or that of the dataset at the path."""
    for folder in (path, path.parent if path.name == layout.FOLDER else path.resolve().parent):
        below = folder == path or path.resolve().name == layout.FOLDER
        if below and (folder / configuration.FILE).is_file():
            return folder
    return None


def how_far(folder: Path) -> str:
    """A sentence or two on a campaign without a dataset; "" for one that has a whole one.

    Raises:
        StoreError: its files are damaged.
    """
    dataset = folder / layout.FOLDER
    if all((dataset / name).is_file() for name in (layout.TRAJECTORIES.name, layout.SUMMARY)):
        return ""
    said = read_document(folder / configuration.FILE, Configuration)
    runs = JournalReader(folder).runs.values()
    begun = sum(run.arm == "clean" for run in runs)
    stop = f", to stop at {said.limit} kept faulty runs" if said.limit is not None else ""
    return (
        f"{folder} is a campaign that is not finished, so it has no dataset yet: {begun} of {said.tasks} tasks begun"
        f"{stop}; {len(runs)} runs made. If it is not running any more, go on with it: {_command(folder, said)}"
    )


def _command(folder: Path, said: Configuration) -> str:
    if not said.command:
        return f"run the program that began it again (a `Campaign` with the same settings and out={str(folder)!r})"
    return f"aegis {said.command} --out {shlex.quote(str(folder))}"
