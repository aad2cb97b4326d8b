"""Why faulty runs were not kept: each reason must hold of the runs that were made for it.

Those stand in the campaign's journal; where a dataset was moved away from it, only what the case says can be looked at.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from aegis_core.errors import AegisError
from aegis_core.faults import ArmResult
from tests.verification.checking import check
from tests.verification.labelling import derived_step, judged
from tests.verification.material import Claim, Files, Violation
from tests.verification.outcomes import outcome_of

__all__ = ["discard_doubts"]

_UNMADE = ("drift", "refused", "not fired")
"""Reasons for which a run proves nothing; whatever comes after these needs a faulty run that was made whole."""


def discard_doubts(files: Files) -> Iterator[Violation]:
    """Every discarded run: its reason is one that there is, and holds."""
    for case in files.cases.values():
        for entry in case.faulty:
            if entry.kept:
                continue
            if entry.reason not in (*_UNMADE, *_HOLDS):
                yield Violation(entry.run_id, "discard", f"{entry.reason!r} is no reason to discard a run")
                continue
            claim = files.discarded(case, entry)
            if claim is None and files.journal:
                yield Violation(entry.run_id, "discard", "no run of this id and plan was made for the case's task")
            words = _told(files, case.task_id, entry.detail) if claim is None else _words(claim, files)
            if entry.reason == "still right" or claim is not None:
                yield from (Violation(entry.run_id, "discard", text) for text in words)
    yield from _hidden(files)


def _told(files: Files, task_id: str, detail: str) -> Iterator[str]:
    """Of a run that is said to be still right the case has the answer, unless that is a long one."""
    quoted = re.fullmatch(r"the answer is (['\"].*['\"])", detail, re.DOTALL)
    answer = str(ast.literal_eval(quoted[1])) if quoted else ""
    if not quoted:
        yield "said to be still right, but with no answer"
    elif len(answer) < 80 and not check(files.tasks[task_id], answer).right:
        yield f"said to be still right, but the answer {answer!r} is not"


def _words(claim: Claim, files: Files) -> Iterator[str]:
    reason, whole = claim.entry.reason, claim.arms("fault", claim.everything)[0]
    if reason in _UNMADE:
        if not any(arm.invalid.startswith(reason) for arm in claim.proof.arms):
            yield f"discarded as {reason!r}, but none of its runs is"
        return
    if whole.invalid:
        yield f"discarded as {reason!r}, but its run proves nothing: {whole.invalid}"
        return
    right = outcome_of(claim.faulty, claim.task, files.settings).right
    if right != (reason == "still right"):
        yield f"discarded as {reason!r}, but its run ended {'right' if right else 'in a failure'}"
    elif not _HOLDS[reason](claim, files):
        yield f"discarded as {reason!r}, which its runs do not show"


def _hidden(files: Files) -> Iterator[Violation]:
    """No run of a finished case may be passed over in silence; the last case ends where a campaign had enough."""
    cases = list(files.cases.values())
    for case in cases[: -1 if files.settings.limited else None]:
        listed = {entry.run_id for entry in case.faulty}
        for run_id in files.journal.tried(case.task_id):
            if run_id not in listed:
                yield Violation(
                    run_id, "discard", f"case {case.case_id} does not mention this run that was made for it"
                )


# -- each reason --------------------------------------------------------------------------------------------------


def _ended(failure: str) -> Callable[[Claim, Files], bool]:
    def holds(claim: Claim, files: Files) -> bool:
        found = (outcome_of(claim.runs[arm.run_id], claim.task, files.settings) for arm in claim.arms("fault"))
        return any(outcome.failure == failure for outcome in found)

    return holds


def _unobserved(claim: Claim, _: Files) -> bool:
    entries = claim.faulty.ledger.interventions
    return any(not e.observed_by or derived_step(claim, e.target.moment) is None for e in entries)


def _overheard(claim: Claim, _: Files) -> bool:
    """The span that the case quotes was told to the target and shown to another."""
    quoted = re.search(r"was told: (['\"].*['\"])$", claim.entry.detail, re.DOTALL)
    span = str(ast.literal_eval(quoted[1])) if quoted else ""
    told = [change.after for entry in claim.faulty.ledger.interventions for change in entry.changes]
    agents = {entry.target.moment.agent for entry in claim.faulty.ledger.interventions}
    entries = (entry for entry in claim.faulty.tape.entries if entry.key.moment.agent not in agents)
    shown = [part.text for entry in entries if entry.key.kind != "output" for part in entry.request]
    return bool(span) and all(any(span in " ".join(text.split()) for text in texts) for texts in (told, shown))


def _unrealised(claim: Claim, files: Files) -> bool:
    try:
        return any(not judged(claim, index, files.plugins).holds for index in claim.everything)
    except AegisError:
        return False


def _control_failed(kind: str) -> Callable[[Claim, Files], bool]:
    def holds(claim: Claim, files: Files) -> bool:
        def right(arm: ArmResult) -> bool:
            return not arm.invalid and outcome_of(claim.runs[arm.run_id], claim.task, files.settings).right

        return any(not right(arm) for arm in claim.proof.arms if arm.arm == kind)

    return holds


def _arms_differ(claim: Claim, _: Files) -> bool:
    whole = {entry.target: (entry.realisation, entry.changes) for entry in claim.faulty.ledger.interventions}
    parts = (entry for arm in claim.arms("fault") for entry in claim.runs[arm.run_id].ledger.interventions)
    return any(whole.get(entry.target) != (entry.realisation, entry.changes) for entry in parts)


def _redundant(claim: Claim, files: Files) -> bool:
    """Step by step the same as a run that the case keeps."""
    kept = (files.trajectories.get(entry.run_id) for entry in claim.case.faulty if entry.kept)
    run_id = claim.run_id
    return any(run is not None and run.model_copy(update={"run_id": run_id}) == claim.faulty.trajectory for run in kept)


_HOLDS: dict[str, Callable[[Claim, Files], bool]] = {
    "still right": lambda _claim, _files: True,
    "crash": _ended("crash"),
    "no end": _ended("no_end"),
    "not observed": _unobserved,
    "overheard": _overheard,
    "mode not realised": _unrealised,
    "null control failed": _control_failed("null"),
    "fragile site": _control_failed("sham"),
    "arms differ": _arms_differ,
    "redundant": _redundant,
}
