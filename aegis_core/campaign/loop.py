"""One pass of a campaign over its tasks: every run looked up or made, every plan proven, every case written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from aegis_core.campaign.cases import Opened, Source, case_id_of
from aegis_core.campaign.configuration import Configuration
from aegis_core.campaign.journal import Journal, RunRecord
from aegis_core.campaign.proof import Verdict
from aegis_core.campaign.summary import Progress, Summary, Tally
from aegis_core.campaign.tasks import Task
from aegis_core.dataset import DatasetWriter
from aegis_core.faults import Case, Labels, Outcome

__all__ = ["Loop"]


class Loop:
    """One pass over all tasks.

    Args:
        configuration, tasks: of the campaign.
        system: name of the system under study.
        journal: counts the runs that were made and found.
        writer: gets the dataset, case by case.
        source: tells what happens in each case.
        progress: is told after every clean run and every plan.
    """

    def __init__(
        self,
        configuration: Configuration,
        tasks: Sequence[Task],
        system: str,
        journal: Journal,
        writer: DatasetWriter,
        source: Source,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._limit = configuration.limit
        self._tasks = tasks
        self._system = system
        self._journal = journal
        self._writer = writer
        self._source = source
        self._tell = progress
        self._tally = Tally()

    def go_through(self) -> Summary:
        """Go through the tasks in order, up to the limit; returns the counts."""
        for ordinal, task in enumerate(self._tasks):
            if self._is_enough():
                break
            self._case(ordinal, task)
        self._report("done", self._tally.tasks)
        return self._tally.summary()

    def _is_enough(self) -> bool:
        return self._limit is not None and self._tally.kept >= self._limit

    def _case(self, ordinal: int, task: Task) -> None:
        clean: RunRecord | None = None
        verdicts: list[Verdict] = []
        for told in self._source.case(ordinal):
            if isinstance(told, Opened):
                clean = told.clean
                self._tally.clean(clean, told.n_plans)
                self._report("clean", ordinal + 1)
                continue
            self._tally.verdict(told)
            verdicts.append(told)
            self._report("plan", ordinal + 1)
            if self._is_enough():
                break
        if clean is not None:
            self._write(task, clean, tuple(verdicts))

    def _write(self, task: Task, clean: RunRecord, verdicts: tuple[Verdict, ...]) -> None:
        writer, case_id = self._writer, case_id_of(clean)
        writer.task(task)
        writer.case(
            Case(
                case_id=case_id,
                task_id=task.task_id,
                system=self._system,
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
                tasks=len(self._tasks),
                clean_right=self._tally.clean_right,
                planned=self._tally.planned,
                kept=self._tally.kept,
                runs_made=self._journal.made,
                runs_found=self._journal.found,
            )
        )
