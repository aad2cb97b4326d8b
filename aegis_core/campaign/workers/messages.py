"""What crosses between a campaign and its workers: lines of JSON, a word in front of each, and no pickles.

To a worker go one `Start`, and when it is ready one `Recorded`, then places of tasks, one a line, then `stop`. If the
pipe ends without that, the campaign is dead, and the worker ends itself. From a worker come:

ready PREPARED             once, first of all
made RUN_ID SECONDS RUN    a run was made; the rest is its line in the journal
found RUN_ID               a run was looked up
opened OPENED              the clean run was judged
judged JUDGED              a plan was judged
warned WARNED              a warning was given
failed FAILURE             it, or the task, ended by an exception; nothing comes after it
done                       the task ended
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from aegis_core import errors
from aegis_core.adapter import ReplayLevel
from aegis_core.campaign.configuration import Configuration, RunLimits
from aegis_core.campaign.preparation import Settings
from aegis_core.campaign.tasks import Task
from aegis_core.errors import AegisError, AegisWarning, CampaignError
from aegis_core.faults import FaultyRun, Labels, Plan, Proof
from aegis_core.plugins import Plugins
from aegis_core.records import Record
from aegis_core.run import Limits
from aegis_core.store import Position

__all__ = [
    "STOP",
    "Failure",
    "JudgedPlan",
    "OpenedCase",
    "Prepared",
    "Recorded",
    "Start",
    "Warned",
    "Word",
    "check_can_cross",
]

Word = Literal["ready", "made", "found", "opened", "judged", "warned", "failed", "done"]
STOP = b"stop\n"


class Start(Record):
    """What the campaign was asked for."""

    system: str
    tasks: tuple[Task, ...]
    checker: str | None
    injector: str
    adapter: str | None
    modes: tuple[str, ...] | None
    seed: int
    plans_per_run: int
    pair_share: float
    rehearse: bool
    plans: tuple[Plan, ...] | None
    limit: int | None
    limits: RunLimits
    replay: ReplayLevel | None
    command: str

    @classmethod
    def of(cls, settings: Settings, tasks: tuple[Task, ...]) -> Start:
        """The settings, with the tasks themselves; those that can't cross are refused by `check_can_cross`."""
        given = {name: getattr(settings, name) for name in Settings.__dataclass_fields__}
        limits = RunLimits(**asdict(settings.limits))
        return cls(**given | {"tasks": tasks, "limits": limits})

    def settings(self) -> Settings:
        """The settings of the campaign."""
        given = {name: getattr(self, name) for name in Settings.__dataclass_fields__}
        return Settings(**given | {"limits": Limits(**self.limits.model_dump())})


class Recorded(Record):
    """Where the journal is, and where in it the runs stand that are there already: line and offset by run id."""

    journal: Path
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, journal: Path, places: Mapping[str, Position]) -> Recorded:
        """The same for positions."""
        found = {run_id: (place.line, place.offset) for run_id, place in places.items()}
        return cls(journal=journal.absolute(), places=found)


class Prepared(Record):
    """What a worker found out from the settings: the configuration, and the name of the system."""

    configuration: Configuration
    system: str


class OpenedCase(Record):
    """The clean run of a task was judged, and so many plans were made for it."""

    clean_run_id: str
    n_plans: int


class JudgedPlan(Record):
    """A verdict, with ids in the place of runs."""

    run: FaultyRun
    arms: tuple[str, ...]
    live_model_calls: tuple[int, ...]
    proof: Proof | None = None
    labels: Labels | None = None


class Warned(Record):
    """A warning of Aegis's own."""

    category: str
    text: str

    def category_class(self) -> type[AegisWarning]:
        """The class of this name."""
        found = getattr(errors, self.category, AegisWarning)
        return found if isinstance(found, type) and issubclass(found, AegisWarning) else AegisWarning


class Failure(Record):
    """An exception: the names of its class and of those that it derives from, its text, and where it was raised."""

    kinds: tuple[str, ...]
    text: str
    trace: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What can be told of an exception in another process."""
        return cls(
            kinds=tuple(kind.__name__ for kind in type(error).__mro__),
            text=str(error),
            trace="".join(traceback.format_exception(error)),
        )

    def error(self, work: str) -> BaseException:
        """The same error of Aegis, or one that names what the worker did, as `made the runs of task 't1'`.

        The latter is no error of Aegis's, as the exception would have been none without workers: nobody foresaw it.
        Its `__cause__` holds the traceback of the worker.
        """
        if "KeyboardInterrupt" in self.kinds:
            return KeyboardInterrupt()
        error: Exception = RuntimeError(f"the worker that {work} ended by {self.kinds[0]}: {self.text}")
        for name in self.kinds:
            kind = getattr(errors, name, None)
            if isinstance(kind, type) and issubclass(kind, AegisError):
                error = kind(self.text)
                break
        error.__cause__ = _InWorker(self.trace)
        return error


class _InWorker(Exception):
    """Not raised: shows the traceback of another process where that of a cause is shown."""

    def __str__(self) -> str:
        return f"in a worker:\n{self.args[0]}"


def check_can_cross(settings: Settings, workers: int, plugins: Plugins | None) -> None:
    """Make sure that another process can look up all that the settings name.

    Raises:
        CampaignError: something is an object of this process; says what to give in its place.
    """
    named = {"the system": settings.system, "the checker": settings.checker}
    here = [
        f"{what} {name!r}" for what, name in named.items() if isinstance(name, str) and name.startswith("__main__:")
    ]
    if here:
        raise CampaignError(
            f"workers={workers}: {' and '.join(here)}: workers don't run the script itself again; name a module that "
            "can be imported, or use workers=1"
        )
    objects = [
        f"{what} ({remedy})"
        for what, value, remedy in (
            ("the system", settings.system, "write it as module:attribute"),
            ("the injector", settings.injector, "make it a plugin and give its name"),
            ("the adapter", settings.adapter, "give its name"),
            ("plugins", plugins, "leave them out: workers take those that are installed"),
        )
        if value is not None and not isinstance(value, str)
    ]
    if objects:
        raise CampaignError(
            f"workers={workers}: these were given as objects, which another process can't look up: "
            f"{', '.join(objects)}. Or use workers=1"
        )
