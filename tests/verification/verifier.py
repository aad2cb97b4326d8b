"""Rebuilds every label of a dataset from tape and ledger, with a logic of its own.

It shares no code with what makes datasets: it knows the records, the tape and the mode predicates of the core, and
nothing of the campaign but the files that it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.verification.alteration import alteration_doubts
from tests.verification.controls import null_doubts, sham_doubts
from tests.verification.counts import count_doubts
from tests.verification.delivery import delivery_doubts, hidden_edit_doubts
from tests.verification.discards import discard_doubts
from tests.verification.labelling import label_doubts, mode_doubts
from tests.verification.marks import mark_doubts
from tests.verification.material import Claim, Files, Violation
from tests.verification.order import order_doubts
from tests.verification.outcomes import outcome_doubts, subset_doubts
from tests.verification.prefix import prefix_doubts
from tests.verification.sight import observation_doubts, privacy_doubts
from tests.verification.wall import wall_doubts

__all__ = ["claim_doubts", "verify"]


def verify(folder: str | Path | Files) -> tuple[Violation, ...]:
    """All broken promises of the dataset in a folder, sorted; empty if every label holds.

    Raises:
        StoreError: a file is missing or a line is no record.
        OSError: there is no `campaign.json` beside the dataset.
    """
    files = folder if isinstance(folder, Files) else Files.open(folder)
    found = [
        *wall_doubts(files),
        *mark_doubts(files),
        *order_doubts(files),
        *delivery_doubts(files),
        *discard_doubts(files),
    ]
    found += [*count_doubts(files), *_completeness(files)]
    for claim in files.claims():
        found += claim_doubts(claim, files)
    return tuple(sorted({*found, *files.doubts}))


def claim_doubts(claim: Claim, files: Files) -> Iterator[Violation]:
    """All broken promises of one kept run."""
    settings = files.settings
    yield from hidden_edit_doubts(claim)
    yield from prefix_doubts(claim)
    yield from alteration_doubts(claim)
    yield from observation_doubts(claim)
    yield from privacy_doubts(claim)
    yield from outcome_doubts(claim, settings)
    yield from null_doubts(claim, settings)
    yield from sham_doubts(claim, settings)
    yield from mode_doubts(claim, files.plugins)
    yield from subset_doubts(claim, settings)
    yield from label_doubts(claim, settings)


def _completeness(files: Files) -> Iterator[Violation]:
    """The files name the same runs: clean ones without faults, kept ones with faults and a proof, and no others."""
    for task in files.tasks.values():
        if files.settings.checker not in ("", task.checker):
            words = (
                f"task {task.task_id} is stored with checker {task.checker!r}, but {files.settings.checker!r} judged it"
            )
            yield Violation(task.task_id, "outcome", words)
    yield from _strays(files)
    for case in files.cases.values():
        clean_run = files.trajectories.get(case.clean_run_id)
        if clean_run is not None and clean_run.system != case.system:
            yield Violation(case.clean_run_id, "files", f"case {case.case_id} is of {case.system!r}, its clean run not")
    kept = {entry.run_id for case in files.cases.values() for entry in case.faulty if entry.kept}
    clean = {case.clean_run_id for case in files.cases.values()}
    for run_id in sorted(set(files.trajectories) | set(files.labels) | set(files.proofs) | kept):
        labels = files.labels.get(run_id)
        if run_id not in kept | clean:
            yield Violation(run_id, "files", "no case knows this run as clean or as kept")
        elif run_id not in files.trajectories or labels is None:
            yield Violation(run_id, "files", "it lacks its trajectory or its labels")
        elif run_id in clean and (labels.faults or labels.redundant or run_id in files.proofs):
            yield Violation(run_id, "label", "a clean run has faults or a proof")
        elif run_id in kept and (not labels.faults or run_id not in files.proofs):
            yield Violation(run_id, "label", "a kept faulty run has no fault, or no proof")


def _strays(files: Files) -> Iterator[Violation]:
    """Nothing is kept beside a dataset that no proof rests on: it may be what is left of a run that was hidden."""
    known = {case.clean_run_id for case in files.cases.values()} | set(files.trajectories)
    known |= {arm.run_id for proof in files.proofs.values() for arm in proof.arms}
    for run_id in sorted(files.beside() - known):
        yield Violation(run_id, "files", "no proof names this run")
