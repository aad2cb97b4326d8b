"""Why a run is labelled as it is: everything that its proof holds, gathered from a dataset.

`explain` gathers; `words.explanation_text` says it in English.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from aegis_core.dataset import Dataset, layout
from aegis_core.errors import StoreError
from aegis_core.faults import (
    ArmKind,
    Case,
    Evidence,
    FaultRole,
    Intervention,
    Labels,
    Ledger,
    Moment,
    Observation,
    Outcome,
    PartChange,
    Plan,
    Proof,
    Scope,
    Strategy,
    Target,
)
from aegis_core.plugins import default_plugins
from aegis_core.records import FileRecord, Record
from aegis_core.run import Tape
from aegis_core.taxonomy import ErrorMode
from aegis_core.trajectory import Step, Trajectory

__all__ = ["Arm", "Explanation", "LabelledTarget", "explain", "find_run"]


class LabelledTarget(Record):
    """One target of the plan: what was done at it, what came of it, and whether the label rests on it.

    `step` is the labelled step of the faulty run; `said_clean` and `said_faulty` are the texts of the agent's turn in
    both runs. `needed` is False for a fault that was proven to fire but was not needed for the failure.
    """

    moment: Moment
    mode: str
    mode_name: str
    definition: str
    strategy: Strategy
    scope: Scope
    role: FaultRole
    step: int | None
    needed: bool
    realisation: str
    changes: tuple[PartChange, ...]
    observed_by: tuple[Observation, ...]
    said_clean: tuple[str, ...]
    said_faulty: tuple[str, ...]
    evidence: Evidence | None


class Arm(Record):
    """One run of the proof. `changes` is what was altered in it, for a sham."""

    arm: ArmKind
    run_id: str
    targets: tuple[int, ...]
    outcome: Outcome | None
    invalid: str
    final_output: str | None
    changes: tuple[PartChange, ...] = ()


class Explanation(FileRecord):
    """All that a run's label rests on; or that it is clean, or why it was discarded.

    `verdict`: `labelled`, `clean` or `discarded`. What only a labelled run has is empty for the others.
    `same_steps` counts the steps from the start that the run shares with its clean twin; `same_inputs` the inputs
    and calls that were served from the twin's tape unaltered.
    """

    run_id: str
    verdict: str
    case_id: str
    system: str
    task_id: str
    task: str
    answer: str
    checker: str
    clean_run_id: str
    clean_outcome: Outcome
    clean_output: str | None = None
    final_output: str | None = None
    outcome: Outcome | None = None
    same_steps: int = 0
    same_inputs: int = 0
    plan: Plan | None = None
    reason: str = ""
    detail: str = ""
    targets: tuple[LabelledTarget, ...] = ()
    arms: tuple[Arm, ...] = ()
    sufficient: tuple[tuple[int, ...], ...] = ()


def find_run(dataset: Dataset, run_id: str) -> tuple[Case, str]:
    """The case that a run belongs to and the run's full id, from its id or a beginning of it that only one run has.

    Raises:
        StoreError: no run, or several, begin with it.
    """
    found: dict[str, Case] = {}
    for case in dataset.cases():
        for known in (case.clean_run_id, *(run.run_id for run in case.faulty)):
            if known == run_id:
                return case, known
            if run_id and known.startswith(run_id):
                found[known] = case
    if len(found) == 1:
        ((known, case),) = found.items()
        return case, known
    if found:
        raise StoreError(f"{dataset.path}: several runs begin with {run_id!r}: {', '.join(sorted(found)[:5])}")
    labelled = [labels.run_id for labels in dataset.labels() if labels.faults]
    shown = ", ".join(labelled[:5]) + (", …" if len(labelled) > 5 else "")
    raise StoreError(f"{dataset.path}: no run {run_id!r} in any case; labelled runs: {shown or 'none'}")


def explain(dataset: Dataset, run_id: str, *, modes: Mapping[str, ErrorMode] | None = None) -> Explanation:
    """Gather all that the label of one run rests on.

    Args:
        dataset: a campaign's, with its proofs.
        run_id: of a kept, a discarded or a clean run; a beginning of it that only one run has will do.
        modes: error modes by id, by default all that are installed.

    Raises:
        StoreError: there is no such run, or the dataset lacks the files of the proof.
    """
    case, run_id = find_run(dataset, run_id)
    task = dataset.task(case.task_id)
    base = Explanation(
        run_id=run_id,
        verdict="clean",
        case_id=case.case_id,
        system=case.system,
        task_id=task.task_id,
        task=task.text,
        answer=task.answer,
        checker=task.checker,
        clean_run_id=case.clean_run_id,
        clean_outcome=case.clean_outcome,
        clean_output=_output(dataset, case.clean_run_id),
    )
    if run_id == case.clean_run_id:
        return base
    faulty = next(run for run in case.faulty if run.run_id == run_id)
    if not faulty.kept:
        return base.model_copy(
            update={
                "verdict": "discarded", "plan": faulty.plan, "reason": faulty.reason, "detail": faulty.detail,
                "final_output": _output(dataset, run_id),
            }
        )  # fmt: skip
    return _labelled(dataset, base, modes if modes is not None else default_plugins().error_modes())


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
    changes: tuple[PartChange, ...] = ()
    if arm.arm == "sham":
        entries = dataset.ledger(arm.run_id).interventions
        changes = tuple(change for entry in entries for change in entry.changes)
    return Arm(
        arm=arm.arm,
        run_id=arm.run_id,
        targets=arm.targets,
        outcome=arm.outcome,
        invalid=arm.invalid,
        final_output=_output(dataset, arm.run_id),
        changes=changes,
    )


def _output(dataset: Dataset, run_id: str) -> str | None:
    for file in (layout.TRAJECTORIES, layout.ARMS):
        if dataset.has(file) and run_id in dataset.ids(file):
            found = dataset.trajectory(run_id) if file is layout.TRAJECTORIES else dataset.arm(run_id)
            return found.final_output
    return None


def _n(proof: Proof) -> int:
    return len(proof.plan.targets)


def _n_same(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _n_served(clean: Tape, faulty: Tape) -> int:
    pairs = zip(clean.entries, faulty.entries, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
