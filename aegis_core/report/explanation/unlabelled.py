"""What is told of a run without a label: discarded, or made for the proof of another one.

A dataset holds of such runs no more than their plans, and of those made for kept runs their trajectories and ledgers.
The rest is in the journal of its campaign.
"""

from __future__ import annotations

from dataclasses import dataclass

from aegis_core.campaign.journal import JournalReader, RunRecord
from aegis_core.dataset import Dataset, layout
from aegis_core.faults import Case, FaultyRun, Intervention, Ledger, Moment, Outcome, PartChange
from aegis_core.report.cases import CaseRun, runs_of_plan
from aegis_core.report.explanation.record import AlteredTurn, Arm, Explanation
from aegis_core.trajectory import Trajectory

__all__ = ["changes", "final_output", "is_recorded", "unlabelled"]


@dataclass(frozen=True)
class _Recorded:
    """A run, and what was done to it."""

    trajectory: Trajectory
    ledger: Ledger
    outcome: Outcome | None
    invalid: str


def unlabelled(told: Explanation, dataset: Dataset, row: CaseRun, journal: JournalReader | None) -> Explanation:
    """Add to what is told of every run what there is to tell of this one."""
    case = dataset.case(row.case_id)
    faulty = next(run for run in case.faulty if run.run_id in (row.run_id, row.of))
    found = _recorded(dataset, row, journal)
    if found is None:
        told = told.model_copy(update={"missing": "what was altered in it, and its answer"})
    else:
        clean = _trajectory(dataset, case, journal)
        altered = (_altered(entry, clean, found.trajectory) for entry in found.ledger.interventions)
        told = told.model_copy(
            update={
                "final_output": found.trajectory.final_output, "outcome": found.outcome, "invalid": found.invalid,
                "attempts": tuple(altered),
            }
        )  # fmt: skip
    if row.kind == "faulty":
        return _discarded(told, faulty, journal)
    update = {"verdict": "control", "kind": row.kind, "of": row.of, "plan": faulty.plan}
    return told.model_copy(update=update)


def final_output(dataset: Dataset, run_id: str, journal: JournalReader | None = None) -> str | None:
    """The answer of a run; None if it gave none, or is not there."""
    for file in (layout.TRAJECTORIES, layout.ARMS):
        if dataset.has(file) and run_id in dataset.ids(file):
            found = dataset.trajectory(run_id) if file is layout.TRAJECTORIES else dataset.arm(run_id)
            return found.final_output
    if journal is not None and run_id in journal.runs:
        return journal.read(run_id).trajectory.final_output
    return None


def is_recorded(dataset: Dataset, run_id: str, journal: JournalReader | None) -> bool:
    """Whether the trajectory of a run is there, in the dataset or in the journal."""
    files = (layout.TRAJECTORIES, layout.ARMS)
    known = any(dataset.has(file) and run_id in dataset.ids(file) for file in files)
    return known or (journal is not None and run_id in journal.runs)


def changes(ledger: Ledger) -> tuple[PartChange, ...]:
    """All that was altered in a run."""
    return tuple(change for entry in ledger.interventions for change in entry.changes)


def _recorded(dataset: Dataset, row: CaseRun, journal: JournalReader | None) -> _Recorded | None:
    if journal is not None and row.run_id in journal.runs:
        run = journal.read(row.run_id)
        return _Recorded(run.trajectory, run.ledger, run.outcome, run.invalid)
    if row.kind == "faulty" or not is_recorded(dataset, row.run_id, None):
        return None
    arm = next(arm for arm in dataset.proof(row.of).arms if arm.run_id == row.run_id)
    return _Recorded(dataset.arm(row.run_id), dataset.ledger(row.run_id), arm.outcome, arm.invalid)


def _trajectory(dataset: Dataset, case: Case, journal: JournalReader | None) -> Trajectory:
    """The clean run of a case from which something was made, so that the dataset has it."""
    if journal is not None and case.clean_run_id in journal.runs:
        return journal.read(case.clean_run_id).trajectory
    return dataset.trajectory(case.clean_run_id)


def _discarded(told: Explanation, faulty: FaultyRun, journal: JournalReader | None) -> Explanation:
    made = runs_of_plan(journal, told.task_id, faulty.plan) if journal is not None else ()
    return told.model_copy(
        update={
            "verdict": "discarded", "plan": faulty.plan, "reason": faulty.reason, "detail": faulty.detail,
            "arms": tuple(_arm(journal.read(run.run_id)) for run in made if journal is not None),
        }
    )  # fmt: skip


def _arm(run: RunRecord) -> Arm:
    return Arm(
        arm=run.arm,
        run_id=run.run_id,
        targets=run.targets,
        outcome=run.outcome,
        invalid=run.invalid,
        final_output=run.trajectory.final_output,
        changes=changes(run.ledger) if run.arm == "sham" else (),
    )


def _altered(entry: Intervention, clean: Trajectory, run: Trajectory) -> AlteredTurn:
    target, moment = entry.target, entry.target.moment
    return AlteredTurn(
        moment=moment,
        mode=target.mode,
        strategy=target.strategy,
        scope=target.scope,
        fired=entry.fired,
        not_fired=entry.reason,
        realisation=entry.realisation,
        changes=entry.changes,
        observed_by=entry.observed_by,
        said_clean=_said(clean, moment),
        said_faulty=_said(run, moment),
    )


def _said(run: Trajectory, moment: Moment) -> tuple[str, ...]:
    return tuple(step.text for step in run.turn(moment.agent, moment.turn, moment.branch))
