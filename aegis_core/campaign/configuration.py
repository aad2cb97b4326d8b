"""What a campaign was told, as it stands in `campaign.json`; what decides whether a journal can be gone on with."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from aegis_core import __version__
from aegis_core.adapter import ReplayLevel
from aegis_core.campaign.arms import hashed_id
from aegis_core.campaign.tasks import Task
from aegis_core.dataset import Statistics, layout
from aegis_core.errors import CampaignError
from aegis_core.records import FileRecord, Record
from aegis_core.store import read, read_document, write_document

__all__ = ["FILE", "Configuration", "RunLimits", "Versions", "load_tasks", "record", "settle"]

FILE = "campaign.json"


class RunLimits(Record):
    """When a run is ended as `no_end`; None: no limit."""

    turns: int | None = Field(default=None, ge=1)
    calls: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)


class Versions(Record):
    """What the campaign was made with."""

    aegis: str = __version__
    python: str = Field(default_factory=lambda: ".".join(platform.python_version_tuple()[:2]))


class Configuration(FileRecord):
    """All that a campaign's runs, plans and proofs depend on, beside the journal.

    `checker` is empty where each task names its own; `explicit_plans` is a digest of plans that the user gave, empty
    where the planner draws them. `limit` is where the campaign stops: it may differ when it is gone on with, since
    it decides how far the journal reaches and not what stands in it. `command` is how `aegis` was called, without
    the folder, and empty where a program runs the campaign.
    """

    system: str
    adapter: str
    injector: str
    checker: str = ""
    seed: int = Field(ge=0)
    modes: tuple[str, ...]
    plans_per_run: int = Field(ge=1)
    pair_share: float = Field(ge=0, le=1)
    rehearse: bool = True
    explicit_plans: str = ""
    tasks: int = Field(ge=1)
    tasks_digest: str
    limits: RunLimits
    replay: ReplayLevel
    limit: int | None = Field(default=None, ge=1)
    command: str = ""
    versions: Versions = Field(default_factory=Versions)

    def runs_digest(self) -> str:
        """Digest of what decides what a run is, given its task, plan and arm; a part of every run id."""
        return hashed_id(
            self.system, self.adapter, self.injector, self.checker, self.replay, self.limits.model_dump(mode="json")
        )


def settle(folder: Path, configuration: Configuration) -> None:
    """Write `campaign.json`, or make sure that the one that is there is of this very campaign.

    What may differ (limit, command) is left as it is beside a dataset, which was made with it: see `record`.

    Raises:
        CampaignError: the folder holds another campaign, or something that is no campaign, or a dataset that would
            become smaller; says what differs.
    """
    path = folder / FILE
    if not path.exists():
        if (folder / "journal.jsonl").exists():
            raise CampaignError(
                f"{folder} has a journal but no {FILE}, so nobody knows what it is of; use another folder"
            )
        write_document(path, configuration)
        return
    earlier = read_document(path, Configuration)
    before, now = (record.model_dump(mode="json", exclude={"limit", "command"}) for record in (earlier, configuration))
    differing = [f"{name} was {before[name]!r}, is {now[name]!r}" for name in now if before[name] != now[name]]
    if differing:
        raise CampaignError(
            f"{folder} holds another campaign: {'; '.join(differing)}. "
            "Go on with the same settings, or use another folder"
        )
    finished = folder / layout.FOLDER / layout.SUMMARY
    if finished.exists():
        _check_limit(folder, earlier.limit, configuration.limit, read_document(finished, Statistics).faulty_runs_kept)
    else:
        record(folder, configuration)


def record(folder: Path, configuration: Configuration) -> None:
    """Write `campaign.json` again if it says something else: the limit with which the dataset was made now."""
    if read_document(folder / FILE, Configuration) != configuration:
        write_document(folder / FILE, configuration)


def _check_limit(folder: Path, earlier: int | None, limit: int | None, kept: int) -> None:
    """Refuse a limit that is reached before the dataset that is there is complete: it would be written smaller."""
    if limit is None or limit > kept or (limit == kept and limit == earlier):
        return
    made = "without a limit" if earlier is None else f"with the limit {earlier}"
    raise CampaignError(
        f"{folder} holds a dataset with {kept} kept faulty runs, made {made}; the limit {limit} would make it smaller. "
        f"Leave the limit out or give one above {kept}; for a smaller dataset use another folder (--out)"
    )


def load_tasks(tasks: str | Path | Iterable[Task]) -> tuple[Task, ...]:
    """The tasks of a file or iterable.

    Raises:
        CampaignError: there are none, or two have the same id.
        StoreError: the file can't be read, or a line holds no task.
    """
    where = f"the tasks file {tasks}" if isinstance(tasks, str | Path) else "the tasks"
    loaded = tuple(read(tasks, Task, whole=True) if isinstance(tasks, str | Path) else tasks)
    if not loaded:
        raise CampaignError(f"{where}: there is no task; write one a line, with task_id, text and answer")
    places: dict[str, int] = {}
    for place, task in enumerate(loaded, 1):
        if task.task_id in places:
            raise CampaignError(
                f"{where}: the id {task.task_id!r} of number {place} is that of number {places[task.task_id]} already; "
                "give each task an id of its own"
            )
        places[task.task_id] = place
    return loaded
