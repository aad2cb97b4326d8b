"""Why a run is labelled as it is: everything that its proof holds, gathered from a dataset.

What a dataset has not (discarded runs, clean ones that failed) is gathered from the journal of its campaign, where
that stands beside it. `explain` gathers; `text.explanation_text` says it in English.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from aegis_core.dataset import Dataset
from aegis_core.errors import StoreError
from aegis_core.faults import Intervention, Labels, Ledger, Proof, Target
from aegis_core.plugins import default_plugins
from aegis_core.report.cases import CaseRun, case_runs
from aegis_core.report.explanation.record import Arm, Explanation, LabelledTarget
from aegis_core.report.explanation.unlabelled import changes, final_output, is_recorded, unlabelled
from aegis_core.report.lookup import journal_of, matching
from aegis_core.run import Tape
from aegis_core.taxonomy import ErrorMode
from aegis_core.trajectory import Step, Trajectory

__all__ = ["explain"]


def explain(dataset: Dataset, run_id: str, *, modes: Mapping[str, ErrorMode] | None = None) -> Explanation:
    """Gather all that the label of one run rests on.

    Args:
        dataset: a campaign's, with its proofs.
        run_id: of a kept, a discarded or a clean run, or of one that was made for a proof; a beginning of it that
            only one run has will do.
        modes: error modes by id, by default all that are installed.

    Raises:
        StoreError: there is no such run, or the dataset lacks the files of the proof.
    """
    row = _row(dataset, run_id)
    case = dataset.case(row.case_id)
    task = dataset.task(case.task_id)
    journal = journal_of(dataset)
    base = Explanation(
        run_id=row.run_id,
        verdict="clean",
        case_id=case.case_id,
        system=case.system,
        task_id=task.task_id,
        task=task.text,
        answer=task.answer,
        checker=task.checker,
        clean_run_id=case.clean_run_id,
        clean_outcome=case.clean_outcome,
        clean_output=final_output(dataset, case.clean_run_id, journal),
    )
    if row.kind == "clean":
        return base if is_recorded(dataset, row.run_id, journal) else base.model_copy(update={"missing": "its answer"})
    if row.fate == "kept":
        return _labelled(dataset, base, modes if modes is not None else default_plugins().error_modes())
    return unlabelled(base, dataset, row, journal)


def _row(dataset: Dataset, run_id: str) -> CaseRun:
    rows = {row.run_id: row for row in case_runs(dataset, proofs=False)}
    if run_id in rows:  # without a look at the journal, which is large
        return rows[run_id]
    rows = {row.run_id: row for row in case_runs(dataset)}
    row = rows[matching(dataset.path, run_id, rows)]
    if row.fate == "undecided":
        raise StoreError(
            f"{dataset.path}: run {row.run_id} was made after the dataset was written, by a campaign that was stopped, "
            f"and nothing is decided of it; `aegis show` shows it, and the command of the campaign goes on with it"
        )
    return row


def _labelled(dataset: Dataset, base: Explanation, modes: Mapping[str, ErrorMode]) -> Explanation:
    proof, labels, ledger = dataset.proof(base.run_id), dataset.labels_of(base.run_id), dataset.ledger(base.run_id)
    clean, faulty = dataset.trajectory(base.clean_run_id), dataset.trajectory(base.run_id)
    arms = tuple(_arm(dataset, proof, index) for index in range(len(proof.arms)))
    targets = tuple(_target(index, proof, labels, ledger, (clean, faulty), modes) for index in range(_n(proof)))
    return base.model_copy(
        update={
            "verdict": "labelled",
            "final_output": faulty.final_output,
            "outcome": next((arm.outcome for arm in arms if arm.run_id == base.run_id), None),
            "same_steps": _n_same(clean.steps, faulty.steps),
            "same_inputs": _n_served(dataset.tape(base.clean_run_id), dataset.tape(base.run_id)),
            "plan": proof.plan,
            "targets": targets,
            "arms": arms,
            "sufficient": proof.sufficient,
        }
    )


def _target(
    index: int,
    proof: Proof,
    labels: Labels,
    ledger: Ledger,
    runs: tuple[Trajectory, Trajectory],
    modes: Mapping[str, ErrorMode],
) -> LabelledTarget:
    target = proof.plan.targets[index]
    said_clean, said_faulty = (run.turn(target.moment.agent, target.moment.turn, target.moment.branch) for run in runs)
    needed = any(index in subset for subset in proof.sufficient)
    faults = labels.faults if needed else labels.redundant
    steps = {step.index for step in said_faulty}
    fault = next(
        (
            fault for fault in faults
            if (fault.agent, fault.mode) == (target.moment.agent, target.mode)
            and (fault.step is None or fault.step in steps)
        ),
        None,
    )  # fmt: skip
    if fault is None:
        raise StoreError(
            f"run {labels.run_id}: its proof names {target.moment} with {target.mode}, its labels do not; the dataset "
            "contradicts itself"
        )
    entry = _entry(ledger, target)
    mode = modes.get(target.mode)
    return LabelledTarget(
        moment=target.moment,
        mode=target.mode,
        mode_name=mode.name if mode else "",
        definition=mode.definition if mode else "",
        strategy=target.strategy,
        scope=target.scope,
        role=fault.role,
        step=fault.step,
        needed=needed,
        realisation=entry.realisation,
        changes=entry.changes,
        observed_by=entry.observed_by,
        said_clean=tuple(step.text for step in said_clean),
        said_faulty=tuple(step.text for step in said_faulty),
        evidence=proof.evidence[index] if index < len(proof.evidence) else None,
    )


def _entry(ledger: Ledger, target: Target) -> Intervention:
    for entry in ledger.interventions:
        if entry.target == target:
            return entry
    raise StoreError(f"run {ledger.run_id}: its ledger has no entry for {target.moment} with {target.mode}")


def _arm(dataset: Dataset, proof: Proof, index: int) -> Arm:
    arm = proof.arms[index]
    return Arm(
        arm=arm.arm,
        run_id=arm.run_id,
        targets=arm.targets,
        outcome=arm.outcome,
        invalid=arm.invalid,
        final_output=final_output(dataset, arm.run_id),
        changes=changes(dataset.ledger(arm.run_id)) if arm.arm == "sham" else (),
    )


def _n(proof: Proof) -> int:
    return len(proof.plan.targets)


def _n_same(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _n_served(clean: Tape, faulty: Tape) -> int:
    pairs = zip(clean.entries, faulty.entries, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
