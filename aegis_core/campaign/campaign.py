"""The campaign: record, check, plan, inject, prove, and write the dataset; stoppable and resumable anywhere.

A campaign is a function of its configuration over its journal: it goes through tasks and plans in a fixed order and
asks for each run by id; what the journal has is looked up, what it lacks is made. Going on after a stop, a kill or
a higher limit is the same call again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aegis_core.adapter import Adapter
from aegis_core.campaign import checkers
from aegis_core.campaign.arms import Check, hashed_id
from aegis_core.campaign.configuration import Configuration, RunLimits, load_tasks, record, settle
from aegis_core.campaign.journal import Journal
from aegis_core.campaign.loop import Loop, Ready
from aegis_core.campaign.planner import ExplicitPlans, Planner, cells
from aegis_core.campaign.rehearsal import Rehearsal
from aegis_core.campaign.summary import Progress, Summary
from aegis_core.campaign.systems import load_factory, wrap
from aegis_core.campaign.tasks import Task
from aegis_core.dataset import DatasetWriter, layout
from aegis_core.errors import AegisError, CampaignError, PluginError
from aegis_core.faults import Outcome, Plan
from aegis_core.injector import Injector
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.run import Limits
from aegis_core.taxonomy import ErrorMode
from aegis_core.taxonomy.evidence import modes_with_evidence

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
        command: str = "",
        progress: Callable[[Progress], None] | None = None,
        plugins: Plugins | None = None,
    ) -> None:
        self.out = Path(out)
        self._system = system
        self._tasks = tasks if isinstance(tasks, str | Path) else tuple(tasks)
        self._checker = checker
        self._injector = injector
        self._adapter = adapter
        self._modes = tuple(modes) if modes is not None else None
        self._seed = seed
        self._plans_per_run = plans_per_run
        self._pair_share = pair_share
        self._rehearse = rehearse
        self._plans = tuple(plans) if plans is not None else None
        self._limit = limit
        self._limits = limits
        self._command = command
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
        ready = self._checked()
        settle(self.out, ready.configuration)
        plugins = self._plugins or default_plugins()
        with Journal(self.out) as journal:
            with DatasetWriter(self.out / layout.FOLDER) as writer:
                summary = Loop(ready, journal, writer, plugins, self._progress).go_through()
            record(self.out, ready.configuration)
        return summary

    def _checked(self) -> Ready:
        """Everything that can be wrong before the first run, found before it."""
        plugins = self._plugins or default_plugins()
        self._check_numbers()
        tasks = load_tasks(self._tasks)
        if self._checker is not None:  # what judges a task is stored with it, or the dataset contradicts itself
            tasks = tuple(task.model_copy(update={"checker": self._checker}) for task in tasks)
        check = self._check(tasks)
        injector = plugins.injector(self._injector) if isinstance(self._injector, str) else self._injector
        factory = load_factory(self._system)
        wrapped = wrap(factory, self._seed, plugins, self._adapter)
        modes = self._usable_modes(plugins, injector)
        offered = cells(modes, injector, wrapped.capabilities, factory.name) if self._plans is None else ()
        planner: Planner | ExplicitPlans = (
            Planner(
                offered,
                seed=self._seed,
                per_run=self._plans_per_run,
                pair_share=self._pair_share,
                rehearsal=Rehearsal(injector) if self._rehearse else None,
            )
            if self._plans is None
            else ExplicitPlans(self._plans)
        )
        configuration = Configuration(
            system=factory.name,
            adapter=wrapped.adapter.name,
            injector=injector.name,
            checker=self._checker or "",
            seed=self._seed,
            modes=modes,
            plans_per_run=self._plans_per_run,
            pair_share=self._pair_share,
            rehearse=self._rehearse,
            explicit_plans=hashed_id(*(p.model_dump(mode="json") for p in self._plans)) if self._plans else "",
            tasks=len(tasks),
            tasks_digest=hashed_id(*(task.model_dump(mode="json") for task in tasks)),
            limits=RunLimits(turns=self._limits.turns, calls=self._limits.calls, seconds=self._limits.seconds),
            replay=wrapped.level,
            limit=self._limit,
            command=self._command,
        )
        return Ready(configuration, tasks, factory, wrapped, injector, check, planner)

    def _check_numbers(self) -> None:
        wrong = [
            f"{name} is {value}, it has to be {least} or more"
            for name, value, least in (
                ("seed", self._seed, 0),
                ("plans_per_run", self._plans_per_run, 1),
                ("limit", self._limit, 1),
                ("limits.turns", self._limits.turns, 1),
                ("limits.calls", self._limits.calls, 1),
            )
            if value is not None and value < least
        ]
        if not 0 <= self._pair_share <= 1:
            wrong.append(f"pair_share is {self._pair_share}, it has to be between 0 and 1")
        if self._limits.seconds is not None and self._limits.seconds <= 0:
            wrong.append(f"limits.seconds is {self._limits.seconds}, it has to be more than 0")
        if self._plans is not None and not self._plans:
            wrong.append("plans is empty; leave it out to have plans drawn")
        if wrong:
            raise CampaignError("; ".join(wrong))

    def _check(self, tasks: tuple[Task, ...]) -> Check:
        """How final outputs are judged; every checker is looked up now, so that none is missing later."""
        known = {name: checkers.checker(name) for name in dict.fromkeys(task.checker for task in tasks)}

        def check(task: Task, output: str | None) -> Outcome:
            try:
                return known[task.checker](task, output or "")
            except AegisError:
                raise
            except Exception as error:  # plugin boundary: a user's own checker
                raise CampaignError(
                    f"the checker {task.checker!r} raised {type(error).__name__} at task {task.task_id!r}: {error}"
                ) from error

        return check

    def _usable_modes(self, plugins: Plugins, injector: Injector) -> tuple[str, ...]:
        """The modes of this campaign, each with evidence; those that the user named have to have it."""
        if self._plans is not None:
            named: Sequence[str] | None = [target.mode for plan in self._plans for target in plan.targets]
        else:
            named = self._modes
        if named is not None:
            if not named:
                raise CampaignError("modes is empty; leave it out to use all that the injector can cause")
            chosen = {mode.id: mode for mode in map(plugins.error_mode, named)}
            unproven = [mode.id for mode in chosen.values() if not _has_evidence(plugins, mode)]
            if unproven:
                proven = ", ".join(m.id for m in plugins.error_modes().values() if _has_evidence(plugins, m))
                raise CampaignError(
                    f"there is no evidence predicate for {', '.join(unproven)}, so no label of it can be proven; "
                    f"modes with evidence: {proven}"
                )
            return tuple(chosen)
        causable = {realisation.mode for realisation in injector.realisations()}
        usable = tuple(
            mode.id for mode in plugins.error_modes().values() if mode.id in causable and _has_evidence(plugins, mode)
        )
        if not usable:
            raise CampaignError(
                f"the injector {injector.name!r} causes no mode that can be proven; it causes: "
                f"{', '.join(sorted(causable)) or 'none'}"
            )
        return usable


def _has_evidence(plugins: Plugins, mode: ErrorMode) -> bool:
    if mode.id.startswith("FM-"):
        return mode.id in modes_with_evidence()
    try:
        plugins.evidence(mode.id)
    except PluginError:
        return False
    return True
