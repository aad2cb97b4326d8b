"""Makes one run of a campaign: a clean one, a faulty one, or a control.

clean   the system as it is
fault   the clean run served from its tape up to the first target, altered there by the injector, then live
null    the same cut and the whole edit path, but every text is put back unchanged
sham    the same site and strategy, and an edit of like size that does no harm
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import System
from aegis_core.campaign.controls import NullInjector, ShamInjector
from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.systems import Factory, Wrapped
from aegis_core.campaign.tasks import Task
from aegis_core.errors import CampaignError, RunLimitReached
from aegis_core.faults import ArmKind, Intervention, Ledger, Outcome, Plan
from aegis_core.injector import Injector
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo
from aegis_core.run.canonical import canonical
from aegis_core.run.driving import finish
from aegis_core.run.observation import first_difference, observe
from aegis_core.trajectory import Trajectory

__all__ = ["Arm", "Arms", "Check", "hashed_id", "timed"]

Check = Callable[[Task, str | None], Outcome]
"""Decides from a task and a final output."""


def hashed_id(*parts: JsonValue) -> str:
    """An id that is a function of these parts and tells nothing of them: 96 bits in hex."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Arm:
    """Which run: of a task, by a plan (None: clean), with the subset of its targets that is carried out."""

    task: Task
    kind: ArmKind
    plan: Plan | None = None
    targets: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Ending:
    """How a run ended: with an answer, or with an outcome that is clear without the checker."""

    output: str | None = None
    outcome: Outcome | None = None
    unanswered: str = ""
    """Why the adapter could not tell the answer."""


class Arms:
    """Makes the runs of one campaign.

    Args:
        factory, wrapped: the system under study.
        injector: writes the altered texts of the fault arms.
        check: judges final outputs.
        limits: end a run as `no_end`.
        seed: of the campaign; the factory gets it, and it enters every run id.
        digest: of the configuration that decides what a run is; enters every run id.
    """

    def __init__(
        self,
        *,
        factory: Factory,
        wrapped: Wrapped,
        injector: Injector,
        check: Check,
        limits: Limits,
        seed: int,
        digest: str,
    ) -> None:
        self._factory = factory
        self._wrapped = wrapped
        self._injector = injector
        self._check = check
        self._limits = limits
        self._seed = seed
        self._digest = digest

    def run_id(self, arm: Arm) -> str:
        """The id of a run, known before it is made. It does not show what kind of run it is."""
        plan = arm.plan.model_dump(mode="json") if arm.plan is not None else None
        task = arm.task.model_dump(mode="json")
        return hashed_id(self._digest, self._seed, task, plan, arm.kind, list(arm.targets))

    def make(self, arm: Arm, clean: RunRecord | None = None, fault: RunRecord | None = None) -> RunRecord:
        """Make a run.

        Args:
            clean: the recorded clean run of the task; every arm but the clean one is served from its tape.
            fault: for the sham, the fault arm whose edits it has to match in site and size.

        Raises:
            CampaignError: the factory failed, or an arm lacks the run that it starts from.
        """
        system = self._factory.build(self._seed)
        adapter = self._wrapped.adapter
        interventions = self._interventions(arm, fault)
        info = RunInfo(
            run_id=self.run_id(arm),
            task=arm.task.text,
            system=self._wrapped.name,
            adapter=adapter.name,
            agents=adapter.agents(system.app),
        )
        run = Run(
            info,
            replay=self._replay(arm, clean, interventions),
            interventions=interventions,
            limits=self._limits,
            normalise=adapter.normalise,
        )
        ending = self._run(run, system, arm.task)
        return self._recorded(arm, run, ending, clean)

    def _interventions(self, arm: Arm, fault: RunRecord | None) -> Interventions | None:
        if arm.plan is None:
            return None
        injector: Injector = self._injector
        if arm.kind == "null":
            injector = NullInjector()
        elif arm.kind == "sham":
            if fault is None:
                raise CampaignError("a sham needs the fault arm whose edits it has to match")
            injector = ShamInjector(fault.ledger.interventions)
        return Interventions(arm.plan, injector, arm=arm.kind, active=arm.targets)

    def _replay(self, arm: Arm, clean: RunRecord | None, interventions: Interventions | None) -> Replay | None:
        if interventions is None:
            return None
        if clean is None:
            raise CampaignError(f"a run of kind {arm.kind} is served from a clean run; none was given")
        return Replay(clean.tape, interventions.targets, self._wrapped.level, clean.trajectory)

    def _run(self, run: Run, system: System, task: Task) -> _Ending:
        adapter = self._wrapped.adapter
        output: str | None = None
        try:
            with adapter.attach(system.app, run) as attachment:
                result = (system.start or adapter.start)(attachment.app, task.text)
                if inspect.isawaitable(result):
                    result = _awaited(result, self._limits.seconds)
                output = (system.output or adapter.output)(result)
                if output is None and system.output is None:
                    output = run.final_output  # the adapter may have seen which text was the last
        except (Exception, SystemExit) as error:  # boundary: whatever the system under study raises is its outcome
            run.failed(error)
            if run.limit_reached or isinstance(error, RunLimitReached) or _is_step_limit(error):
                return _Ending(outcome=_failed("no_end", run.limit_reached or str(error)))
            return _Ending(outcome=_failed("crash", run.hidden(f"{type(error).__name__}: {error}")))
        if run.limit_reached:  # a framework may swallow the exception and answer all the same
            return _Ending(outcome=_failed("no_end", run.limit_reached))
        return _Ending(output=output, unanswered=run.unanswered if system.output is None else "")

    def _recorded(self, arm: Arm, run: Run, ending: _Ending, clean: RunRecord | None) -> RunRecord:
        trajectory, tape, ledger = canonical(run.trajectory(ending.output), run.tape(), run.ledger())
        if clean is not None:
            seen = {"clean": clean.trajectory, "faulty": trajectory, "clean_tape": clean.tape, "faulty_tape": tape}
            ledger = Ledger(
                run_id=ledger.run_id,
                interventions=tuple(
                    _placed(entry, clean.trajectory, trajectory).model_copy(
                        update={"observed_by": observe(entry, **seen)}  # type: ignore[arg-type]
                    )
                    for entry in ledger.interventions
                ),
            )
        invalid = _invalid(run, ledger)
        outcome = ending.outcome
        if outcome is None:
            outcome = self._check(arm.task, ending.output)
            if outcome.failure == "no_answer" and ending.unanswered:
                outcome = _failed("no_answer", ending.unanswered)
        return RunRecord(
            run_id=run.info.run_id,
            task_id=arm.task.task_id,
            arm=arm.kind,
            plan=arm.plan,
            targets=arm.targets,
            outcome=None if run.void else outcome,
            invalid=invalid,
            live_model_calls=run.live_model_calls,
            trajectory=trajectory,
            tape=tape,
            ledger=ledger,
        )


def _placed(entry: Intervention, clean: Trajectory, faulty: Trajectory) -> Intervention:
    """The entry with the step in which the target's turn departs from the clean one."""
    step = first_difference(clean, faulty, entry.target.moment)
    return entry.model_copy(update={"step": step.index}) if step is not None else entry


def timed(make: Callable[[], RunRecord]) -> tuple[RunRecord, float]:
    """A run and how many seconds it took."""
    began = time.monotonic()
    record = make()
    return record, time.monotonic() - began


def _failed(failure: str, detail: str) -> Outcome:
    return Outcome(right=False, failure=failure, detail=detail)  # type: ignore[arg-type]


def _invalid(run: Run, ledger: Ledger) -> str:
    if run.void:
        return f"drift: {run.void}"
    for entry in ledger.interventions:
        if not entry.fired:
            return entry.reason if entry.reason.startswith(("refused:", "not fired:")) else f"refused: {entry.reason}"
    return ""


def _is_step_limit(error: BaseException) -> bool:
    """Whether a framework ended the run because it took too many steps.

    Some derive that from RecursionError. Python itself raises the bare class, where code recurses without end: a crash.
    """
    return isinstance(error, RecursionError) and type(error) is not RecursionError


def _awaited(awaitable: Any, seconds: float | None) -> Any:  # Any: the user's own awaitable and its result
    async def ended() -> Any:
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await awaitable
        except TimeoutError as error:
            if limit.expired():
                raise RunLimitReached(f"more than {seconds} s") from error
            raise

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(ended())
    return finish(ended(), copy_context())
