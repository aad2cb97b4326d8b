"""What a campaign was asked for, checked and made ready: everything that can be wrong before the first run.

Workers prepare themselves from the same settings, and have to come to the same configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aegis_core.adapter import Adapter, ReplayLevel
from aegis_core.campaign import checkers
from aegis_core.campaign.arms import Check, hashed_id
from aegis_core.campaign.configuration import Configuration, RunLimits, load_tasks
from aegis_core.campaign.planner import ExplicitPlans, Planner, cells
from aegis_core.campaign.rehearsal import Rehearsal
from aegis_core.campaign.systems import Factory, Wrapped, load_factory, wrap
from aegis_core.campaign.tasks import Task
from aegis_core.errors import AegisError, CampaignError, PluginError
from aegis_core.faults import Outcome, Plan
from aegis_core.injector import Injector
from aegis_core.plugins import Plugins
from aegis_core.run import Limits
from aegis_core.taxonomy import ErrorMode
from aegis_core.taxonomy.evidence import modes_with_evidence

__all__ = ["Ready", "Settings", "prepare", "tasks_of"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a campaign was asked for; the arguments of `Campaign` of the same names."""

    system: str | Callable[..., Any]  # Any: a framework's own object, or a System
    tasks: str | Path | Iterable[Task]
    checker: str | None
    injector: str | Injector
    adapter: str | Adapter | None
    modes: tuple[str, ...] | None
    seed: int
    plans_per_run: int
    pair_share: float
    rehearse: bool
    plans: tuple[Plan, ...] | None
    limit: int | None
    limits: Limits
    replay: ReplayLevel | None
    command: str


@dataclass(frozen=True)
class Ready:
    """A campaign whose configuration was checked."""

    configuration: Configuration
    tasks: tuple[Task, ...]
    factory: Factory
    wrapped: Wrapped
    injector: Injector
    check: Check
    planner: Planner | ExplicitPlans


def prepare(settings: Settings, plugins: Plugins) -> Ready:
    """Check the settings and look everything up that they name; makes no run, and writes nothing.

    Raises:
        CampaignError, UnknownModeError, PluginError, AdapterError, StoreError: something in them is wrong, says what.
    """
    _check_numbers(settings)
    tasks = tasks_of(settings)
    check = _check(tasks)
    injector = plugins.injector(settings.injector) if isinstance(settings.injector, str) else settings.injector
    factory = load_factory(settings.system)
    wrapped = wrap(factory, settings.seed, plugins, settings.adapter, settings.replay)
    modes = _usable_modes(settings, plugins, injector)
    return Ready(
        configuration=_configuration(settings, tasks, factory, wrapped, injector, modes),
        tasks=tasks,
        factory=factory,
        wrapped=wrapped,
        injector=injector,
        check=check,
        planner=_planner(settings, factory, wrapped, injector, modes),
    )


def tasks_of(settings: Settings) -> tuple[Task, ...]:
    """The tasks, each with the checker that judges it here.

    Raises:
        CampaignError, StoreError: as for `load_tasks`.
    """
    tasks = load_tasks(settings.tasks)
    if settings.checker is None:
        return tasks
    # What judges a task is stored with it, or the dataset contradicts itself.
    return tuple(task.model_copy(update={"checker": settings.checker}) for task in tasks)


def _planner(
    settings: Settings, factory: Factory, wrapped: Wrapped, injector: Injector, modes: tuple[str, ...]
) -> Planner | ExplicitPlans:
    if settings.plans is not None:
        return ExplicitPlans(settings.plans)
    return Planner(
        cells(modes, injector, wrapped.capabilities, factory.name),
        seed=settings.seed,
        per_run=settings.plans_per_run,
        pair_share=settings.pair_share,
        rehearsal=Rehearsal(injector) if settings.rehearse else None,
    )


def _configuration(
    settings: Settings,
    tasks: tuple[Task, ...],
    factory: Factory,
    wrapped: Wrapped,
    injector: Injector,
    modes: tuple[str, ...],
) -> Configuration:
    plans, limits = settings.plans, settings.limits
    return Configuration(
        system=factory.name,
        adapter=wrapped.adapter.name,
        injector=injector.name,
        checker=settings.checker or "",
        seed=settings.seed,
        modes=modes,
        plans_per_run=settings.plans_per_run,
        pair_share=settings.pair_share,
        rehearse=settings.rehearse,
        explicit_plans=hashed_id(*(plan.model_dump(mode="json") for plan in plans)) if plans else "",
        tasks=len(tasks),
        tasks_digest=hashed_id(*(task.model_dump(mode="json") for task in tasks)),
        limits=RunLimits(turns=limits.turns, calls=limits.calls, seconds=limits.seconds),
        replay=wrapped.level,
        limit=settings.limit,
        command=settings.command,
    )


def _check_numbers(settings: Settings) -> None:
    wrong = [
        f"{name} is {value}, it has to be {least} or more"
        for name, value, least in (
            ("seed", settings.seed, 0),
            ("plans_per_run", settings.plans_per_run, 1),
            ("limit", settings.limit, 1),
            ("limits.turns", settings.limits.turns, 1),
            ("limits.calls", settings.limits.calls, 1),
        )
        if value is not None and value < least
    ]
    if not 0 <= settings.pair_share <= 1:
        wrong.append(f"pair_share is {settings.pair_share}, it has to be between 0 and 1")
    if settings.limits.seconds is not None and settings.limits.seconds <= 0:
        wrong.append(f"limits.seconds is {settings.limits.seconds}, it has to be more than 0")
    if settings.plans is not None and not settings.plans:
        wrong.append("plans is empty; leave it out to have plans drawn")
    if wrong:
        raise CampaignError("; ".join(wrong))


def _check(tasks: tuple[Task, ...]) -> Check:
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


def _usable_modes(settings: Settings, plugins: Plugins, injector: Injector) -> tuple[str, ...]:
    """The modes of this campaign, each with evidence; those that the user named have to have it."""
    if settings.plans is not None:
        named: Sequence[str] | None = [target.mode for plan in settings.plans for target in plan.targets]
    else:
        named = settings.modes
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
