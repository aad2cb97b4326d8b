"""Every run that a campaign made, case by case, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from aegis_core.campaign.journal import JournalReader, MadeRun
from aegis_core.dataset import Dataset, layout
from aegis_core.faults import ArmKind, Case, FaultyRun, Outcome, Plan, Proof
from aegis_core.records import Record
from aegis_core.report.lookup import journal_of

__all__ = ["CaseRun", "case_runs", "runs_of_plan"]

Kind = Literal["clean", "faulty", "null", "sham", "subset"]
Fate = Literal["right", "failed", "void", "kept", "discarded", "undecided"]


class CaseRun(Record):
    """One run, and what became of it.

    `kind`: a clean run; a faulty run with all targets of its plan; or a run that was made for the proof of one: null
    control, sham control, or a subset of its targets. `fate`: a clean run or one made for a proof ended `right`,
    `failed` or is `void` (it proves nothing); a faulty run was `kept` or `discarded`; `undecided` is a run of a
    campaign that was interrupted before the verdict. `why` says more, and is empty where there is nothing to say.
    `of` is the clean run that a faulty one was made from, and the faulty run for whose proof another was made.
    `case_id` is empty for undecided runs.
    """

    run_id: str
    kind: Kind
    fate: Fate
    why: str = ""
    of: str = ""
    case_id: str = ""
    task_id: str


def case_runs(dataset: Dataset, *, proofs: bool = True) -> Iterator[CaseRun]:
    """Every run that was made, in the order of the cases; after each faulty run those that were made for its proof.

    Beside its campaign's journal all of them are there; where the dataset stands alone, runs made for proofs are those
    of kept runs only.

    Args:
        proofs: False leaves out all but clean and faulty runs.

    Raises:
        StoreError: the dataset has no cases, or a file is damaged.
    """
    journal = journal_of(dataset) if proofs else None
    made = _by_plan(journal.runs.values()) if journal is not None else None
    alone = proofs and journal is None and dataset.has(layout.PROOFS)
    proven = {proof.run_id: proof for proof in dataset.proofs()} if alone else {}
    listed = set()
    for case in dataset.cases():
        for run in _runs(case, made, proven):
            listed.add(run.run_id)
            yield run
    for left in journal.runs.values() if journal is not None else ():
        if left.run_id not in listed:
            yield _undecided(left)


def runs_of_plan(journal: JournalReader, task_id: str, plan: Plan) -> tuple[MadeRun, ...]:
    """The runs that were made to prove a plan, in the order in which they were made; the faulty run comes first."""
    return tuple(_by_plan(journal.runs.values()).get((task_id, _key(plan.model_dump(mode="json"))), ()))


_ByPlan = Mapping[tuple[str, str], list[MadeRun]]


def _by_plan(runs: Iterable[MadeRun]) -> _ByPlan:
    by_plan: dict[tuple[str, str], list[MadeRun]] = {}
    for run in runs:
        if run.plan is not None:
            by_plan.setdefault((run.task_id, _key(run.plan)), []).append(run)
    return by_plan


def _key(plan: Mapping[str, Any]) -> str:
    return json.dumps(plan, sort_keys=True)


def _runs(case: Case, made: _ByPlan | None, proofs: Mapping[str, Proof]) -> Iterator[CaseRun]:
    def row(run_id: str, kind: Kind, fate: Fate, why: str, of: str) -> CaseRun:
        return CaseRun(
            run_id=run_id, kind=kind, fate=fate, why=why, of=of, case_id=case.case_id, task_id=case.task_id
        )  # fmt: skip

    yield row(case.clean_run_id, "clean", *_ended(case.clean_outcome, ""), "")
    for faulty in case.faulty:
        why = ": ".join(filter(None, (faulty.reason, faulty.detail)))
        yield row(faulty.run_id, "faulty", "kept" if faulty.kept else "discarded", why, case.clean_run_id)
        for run_id, arm, outcome, invalid in _arms(case, faulty, made, proofs):
            if run_id not in (faulty.run_id, case.clean_run_id):
                yield row(run_id, _kind(arm), *_ended(outcome, invalid), faulty.run_id)


_Ended = tuple[str, ArmKind, Outcome | None, str]


def _arms(case: Case, faulty: FaultyRun, made: _ByPlan | None, proofs: Mapping[str, Proof]) -> Iterator[_Ended]:
    if made is not None:
        for run in made.get((case.task_id, _key(faulty.plan.model_dump(mode="json"))), ()):
            yield run.run_id, run.arm, run.outcome, run.invalid
    elif faulty.run_id in proofs:
        for arm in proofs[faulty.run_id].arms:
            yield arm.run_id, arm.arm, arm.outcome, arm.invalid


def _kind(arm: ArmKind) -> Kind:
    return "subset" if arm == "fault" else arm


def _ended(outcome: Outcome | None, invalid: str) -> tuple[Fate, str]:
    if invalid or outcome is None:
        return "void", invalid
    if outcome.failure is None:
        return "right", outcome.detail
    return "failed", ": ".join(filter(None, (outcome.failure, outcome.detail)))


def _undecided(run: MadeRun) -> CaseRun:
    whole = run.plan is not None and len(run.targets) == len(run.plan["targets"])
    kind = "faulty" if run.arm == "fault" and whole else _kind(run.arm)
    return CaseRun(run_id=run.run_id, kind=kind, fate="undecided", task_id=run.task_id)
