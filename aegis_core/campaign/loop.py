"""One pass of a campaign over its tasks: every run looked up or made, every plan proven, every case written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from aegis_core.campaign.arms import Arm, Arms, Check, hashed_id, timed
from aegis_core.campaign.configuration import Configuration
from aegis_core.campaign.journal import Journal, RunRecord
from aegis_core.campaign.planner import ExplicitPlans, Planner
from aegis_core.campaign.proof import Prover, Verdict
from aegis_core.campaign.summary import Progress, Summary, Tally
from aegis_core.campaign.systems import Factory, Wrapped
from aegis_core.campaign.tasks import Task
from aegis_core.dataset import DatasetWriter
from aegis_core.faults import Case, Labels, Outcome, Plan
from aegis_core.injector import Injector
from aegis_core.plugins import Plugins
from aegis_core.run import Limits

__all__ = ["Loop", "Ready"]


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


class Loop:
    """One pass over all tasks.

    Args:
        ready: the campaign.
        journal: where runs are looked up and kept.
        writer: gets the dataset, case by case.
        plugins: judge the evidence of modes.
        progress: is told after every clean run and every plan.
    """

    def __init__(
        self,
        ready: Ready,
        journal: Journal,
        writer: DatasetWriter,
        plugins: Plugins,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        configuration = ready.configuration
        self._ready = ready
        self._journal = journal
        self._writer = writer
        self._tell = progress
        self._tally = Tally()
        self._arms = Arms(
            factory=ready.factory,
            wrapped=ready.wrapped,
            injector=ready.injector,
            check=ready.check,
            limits=Limits(**configuration.limits.model_dump()),
            seed=configuration.seed,
            digest=configuration.runs_digest(),
        )
        self._prover = Prover(self._run, plugins.judge)

    def go_through(self) -> Summary:
        """Go through the tasks in order, up to the limit; returns the counts."""
        for ordinal, task in enumerate(self._ready.tasks):
            if self._is_enough():
                break
            self._case(ordinal, task)
        self._report("done", self._tally.tasks)
        return self._tally.summary()

    def _is_enough(self) -> bool:
        limit = self._ready.configuration.limit
        return limit is not None and self._tally.kept >= limit

    def _run(self, arm: Arm, clean: RunRecord | None = None, fault: RunRecord | None = None) -> RunRecord:
        return self._journal.run(self._arms.run_id(arm), lambda: timed(lambda: self._arms.make(arm, clean, fault)))

    def _case(self, ordinal: int, task: Task) -> None:
        clean = self._run(Arm(task, "clean"))
        plans = self._ready.planner.plans(clean, ordinal) if clean.is_right else ()
        self._tally.clean(clean, plans)
        self._report("clean", ordinal + 1)
        case_id = hashed_id("case", clean.run_id)
        verdicts = tuple(self._verdicts(ordinal, task, clean, plans, case_id))
        self._write(task, clean, verdicts, case_id)

    def _verdicts(
        self, ordinal: int, task: Task, clean: RunRecord, plans: tuple[Plan, ...], case_id: str
    ) -> Iterator[Verdict]:
        kept: list[RunRecord] = []
        for plan in plans:
            if self._is_enough():
                return
            earlier = tuple(run.trajectory for run in kept)
            verdict = self._prover.prove(task, plan, clean, case_id=case_id, kept=earlier)
            if verdict.run.kept:
                kept.append(verdict.arms[0])
            self._tally.verdict(verdict)
            self._report("plan", ordinal + 1)
            yield verdict

    def _write(self, task: Task, clean: RunRecord, verdicts: tuple[Verdict, ...], case_id: str) -> None:
        writer = self._writer
        writer.task(task)
        writer.case(
            Case(
                case_id=case_id,
                task_id=task.task_id,
                system=self._ready.wrapped.name,
                clean_run_id=clean.run_id,
                clean_outcome=clean.outcome or Outcome(right=False, failure="crash", detail=clean.invalid),
                faulty=tuple(verdict.run for verdict in verdicts),
            )
        )
        if clean.is_right:
            writer.trajectory(clean.trajectory)
            writer.labels(Labels(run_id=clean.run_id, case_id=case_id))
        proven = [verdict for verdict in verdicts if verdict.proof is not None]
        if proven:
            writer.tape(clean.tape)
            writer.ledger(clean.ledger)
        for verdict in proven:
            self._write_proof(verdict)

    def _write_proof(self, verdict: Verdict) -> None:
        fault, *controls = verdict.arms
        self._writer.trajectory(fault.trajectory)
        if verdict.labels is not None and verdict.proof is not None:
            self._writer.labels(verdict.labels)
            self._writer.proof(verdict.proof)
        for run in verdict.arms:
            self._writer.tape(run.tape)
            self._writer.ledger(run.ledger)
        for run in controls:
            self._writer.arm(run.trajectory)

    def _report(self, event: Literal["clean", "plan", "done"], task: int) -> None:
        if self._tell is None:
            return
        self._tell(
            Progress(
                event=event,
                task=task,
                tasks=len(self._ready.tasks),
                clean_right=self._tally.clean_right,
                planned=self._tally.planned,
                kept=self._tally.kept,
                runs_made=self._journal.made,
                runs_found=self._journal.found,
            )
        )
