"""The campaign: record, check, plan, inject, prove, and write the dataset; stoppable and resumable anywhere.

A campaign is a function of its configuration over its journal: it goes through tasks and plans in a fixed order and
asks for each run by id; what the journal has is looked up, what it lacks is made. Going on after a stop, a kill or
a higher limit is the same call again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aegis_core.adapter import Adapter, ReplayLevel
from aegis_core.campaign.cases import Cases
from aegis_core.campaign.configuration import Configuration, record, settle
from aegis_core.campaign.journal import Journal
from aegis_core.campaign.loop import Loop
from aegis_core.campaign.preparation import Settings, prepare, tasks_of
from aegis_core.campaign.summary import Progress, Summary
from aegis_core.campaign.tasks import Task
from aegis_core.campaign.workers import Pool, check_can_cross
from aegis_core.dataset import DatasetWriter, layout
from aegis_core.errors import CampaignError
from aegis_core.faults import Plan
from aegis_core.injector import Injector
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.run import Limits

__all__ = ["Campaign"]

DEFAULT_LIMITS = Limits(turns=200, calls=400)


class Campaign:
    """Generates proven, labelled failures of a system.

    Args:
        system: factory of the system under study, as `module:attribute` or a callable; called for every run, with
            `seed` if it takes one.
        tasks: a JSONL file of tasks, or the tasks.
        out: the campaign's folder; made if it does not exist, gone on with if it holds this very campaign.
        checker: name of a built-in checker or `module:function` for all tasks; None: the one that each task names.
        injector: writes the altered texts; an installed one by name, or an object.
        adapter: of the system's framework; None: the one that can handle it.
        modes: error modes to cause; None: all that the injector can cause and for which there is evidence.
        seed: of everything random, at least 0.
        plans_per_run: faults tried in each right clean run, at most.
        pair_share: share of the plans that get a second target, 0 to 1.
        rehearse: ask the injector beforehand, on the texts of the clean run, which targets it would refuse; not for
            injectors that cost something to ask.
        plans: plans to try in every clean run that has their turns, instead of drawn ones.
        limit: stop as soon as so many faulty runs are kept; None: go through all tasks.
        limits: turns, calls and seconds after which a run is ended as `no_end`. A limit of seconds makes results
            depend on the machine.
        replay: how what precedes a fault is served: `node`, whole activations, or `call`, single calls of models and
            tools, with the agents' own code run again; None: `node` where the adapter says that it can do that.
        workers: processes that tasks are shared out to, at least 1, which is this process itself. The result is the
            same. More than one needs settings that another process can look up: names, no objects.
        command: how `aegis` is called to go on with it, without its name and the folder; for whoever finds it
            unfinished.
        progress: is told after every clean run and every plan.
        plugins: by default those installed.
    """

    def __init__(
        self,
        *,
        system: str | Callable[..., Any],  # Any: a framework's own object, or a System
        tasks: str | Path | Iterable[Task],
        out: str | Path,
        checker: str | None = None,
        injector: str | Injector = "rules",
        adapter: str | Adapter | None = None,
        modes: Sequence[str] | None = None,
        seed: int = 0,
        plans_per_run: int = 4,
        pair_share: float = 0.15,
        rehearse: bool = True,
        plans: Sequence[Plan] | None = None,
        limit: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        replay: ReplayLevel | None = None,
        workers: int = 1,
        command: str = "",
        progress: Callable[[Progress], None] | None = None,
        plugins: Plugins | None = None,
    ) -> None:
        self.out = Path(out)
        self._settings = Settings(
            system=system,
            tasks=tasks if isinstance(tasks, str | Path) else tuple(tasks),
            checker=checker,
            injector=injector,
            adapter=adapter,
            modes=tuple(modes) if modes is not None else None,
            seed=seed,
            plans_per_run=plans_per_run,
            pair_share=pair_share,
            rehearse=rehearse,
            plans=tuple(plans) if plans is not None else None,
            limit=limit,
            limits=limits,
            replay=replay,
            command=command,
        )
        self._workers = workers
        self._progress = progress
        self._plugins = plugins

    def run(self) -> Summary:
        """Run the campaign, or go on with it, to its end, and write the dataset.

        Returns the counts over the whole campaign, whichever session made the runs.

        Raises:
            CampaignError: it is misconfigured, the folder holds another campaign, or the user's factory or checker
                failed; nothing that was recorded is lost.
            UnknownModeError, PluginError, AdapterError, StoreError: as the name says; likewise.
        """
        if self._workers < 1:
            raise CampaignError(f"workers is {self._workers}, it has to be 1 or more")
        return self._run_here() if self._workers == 1 else self._run_in_workers()

    def _run_here(self) -> Summary:
        plugins = self._plugins or default_plugins()
        ready = prepare(self._settings, plugins)
        with self._opened(ready.configuration) as (journal, writer):
            cases = Cases(ready, journal.run, plugins.judge)
            loop = Loop(ready.configuration, ready.tasks, ready.wrapped.name, journal, writer, cases, self._progress)
            return loop.go_through()

    def _run_in_workers(self) -> Summary:
        check_can_cross(self._settings, self._workers, self._plugins)
        tasks = tasks_of(self._settings)
        with Pool(self._settings, tasks, self._workers) as pool:
            found = pool.prepared()
            with self._opened(found.configuration) as (journal, writer):
                pool.begin(journal)
                loop = Loop(found.configuration, tasks, found.system, journal, writer, pool, self._progress)
                return loop.go_through()

    @contextmanager
    def _opened(self, configuration: Configuration) -> Iterator[tuple[Journal, DatasetWriter]]:
        """The campaign's folder, while its runs are made; afterwards it says with what its dataset was made."""
        settle(self.out, configuration)
        with Journal(self.out) as journal:
            with DatasetWriter(self.out / layout.FOLDER) as writer:
                yield journal, writer
            record(self.out, configuration)
