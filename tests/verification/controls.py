"""The null control and the sham control: the site bears an edit, and only this fault makes the run fail."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from aegis_core.faults import ArmResult, Intervention, Target
from tests.verification.alteration import site_doubts
from tests.verification.material import Claim, Recorded, Rule, Settings, Violation
from tests.verification.outcomes import outcome_of

__all__ = ["null_doubts", "sham_doubts"]

_LIKE = 4
"""How many times larger or smaller an edit may be and still count as of like size.

One that exchanges words may be smaller yet: it goes as far as there are words that can be exchanged.
"""
_SENTENCE = 12
"""Words that a sham may have beyond that: it can't say less than one harmless sentence."""


def null_doubts(claim: Claim, settings: Settings) -> Iterator[Violation]:
    """The text went through the whole edit path and came back unchanged, and the run is right."""
    for arm in _arms(claim, "null control"):
        if isinstance(arm, Violation):
            yield arm
            continue
        run = claim.runs[arm.run_id]
        for index, entry, words in _entries(claim, arm):
            if entry is not None:
                words = [*words, *_null_words(claim, entry, run, claim.without(arm, index))]
            yield from (Violation(claim.run_id, "null control", text) for text in words)
        yield from _ended(claim, arm, "null control", settings)


def sham_doubts(claim: Claim, settings: Settings) -> Iterator[Violation]:
    """The same site bore another edit, not the fault's, and the run is right."""
    for arm in _arms(claim, "sham control"):
        if isinstance(arm, Violation):
            yield arm
            continue
        run = claim.runs[arm.run_id]
        for index, entry, words in _entries(claim, arm):
            if entry is not None:
                words = [*words, *_sham_words(claim, entry, run, claim.without(arm, index))]
            yield from (Violation(claim.run_id, "sham control", text) for text in words)
        yield from _ended(claim, arm, "sham control", settings)


def _arms(claim: Claim, rule: Rule) -> Iterator[ArmResult | Violation]:
    """The control's arms; a violation in the place of what is missing or proves nothing."""
    arms = claim.arms("null" if rule == "null control" else "sham", claim.everything)
    if not arms:
        yield Violation(claim.run_id, rule, "the proof has no such arm with all targets")
    for arm in arms:
        if arm.invalid:
            yield Violation(claim.run_id, rule, f"run {arm.run_id} proves nothing: {arm.invalid}")
        elif arm.run_id in (claim.run_id, claim.proof.clean_run_id):
            yield Violation(claim.run_id, rule, f"run {arm.run_id} is no run of its own")
        else:
            yield arm


def _entries(claim: Claim, arm: ArmResult) -> Iterator[tuple[int, Intervention | None, list[str]]]:
    """For each target what was done to it (None if that was nothing, or nothing of this kind), with what is wrong."""
    run = claim.runs[arm.run_id]
    for index in claim.chronological(arm):
        target: Target = claim.plan.targets[index]
        entry = run.intervention(target.moment)
        if entry is None or not entry.fired or not entry.changes:
            yield index, None, [f"run {arm.run_id}: nothing went through the edit path at {target.moment}"]
        elif entry.arm != arm.arm or (entry.target.strategy, entry.target.scope) != (target.strategy, target.scope):
            yield index, None, [f"run {arm.run_id}: the edit at {target.moment} is of another kind"]
        else:
            yield index, entry, []
    if len(run.ledger.interventions) != len(arm.targets):
        yield -1, None, [f"run {arm.run_id}: the ledger has another number of edits than there are targets"]


def _null_words(claim: Claim, entry: Intervention, run: Recorded, twin: Recorded | None) -> Iterator[str]:
    moment = entry.target.moment
    if any(change.before != change.after for change in entry.changes):
        yield f"{moment}: the text was changed"
    fault = claim.faulty.intervention(moment)
    if fault is not None and not {c.part for c in fault.changes} <= {c.part for c in entry.changes}:
        yield f"{moment}: not all parts that the fault altered were sent through the edit path"
    yield from (f"{moment}: {words}" for words in site_doubts(entry, run, twin))
    if [step.model_copy(update={"visible_to": ()}) for step in run.turn(moment)] != [
        step.model_copy(update={"visible_to": ()}) for step in claim.clean.turn(moment)
    ]:
        yield f"{moment}: the turn is not the clean twin's, although nothing was changed"


def _sham_words(claim: Claim, entry: Intervention, run: Recorded, twin: Recorded | None) -> Iterator[str]:
    moment = entry.target.moment
    if all(change.before == change.after for change in entry.changes):
        yield f"{moment}: the text was not changed"
    fault = claim.faulty.intervention(moment)
    if fault is not None:
        done = {change.part: change.after for change in fault.changes}
        if any(done.get(change.part) == change.after != change.before for change in entry.changes):
            yield f"{moment}: the edit is the fault's own"
        if fault.fired:
            yield from (f"{moment}: {words}" for words in _size_words(fault, entry))
    yield from (f"{moment}: {words}" for words in site_doubts(entry, run, twin))


def _size_words(fault: Intervention, sham: Intervention) -> Iterator[str]:
    """The sham touches the texts that the fault did, with an edit of like size, in words and not in marks alone."""
    altered, touched = _touched(fault), _touched(sham)
    if not touched <= altered and not {c.before for c in sham.changes if c.before != c.after} <= {
        c.before for c in fault.changes
    }:
        yield f"the sham altered {sorted(touched)}, the fault {sorted(altered)}"
    (gone, come), wanted = _moved(sham), sum(_moved(fault))
    made = gone + come
    if made == 0:
        yield "the sham changed no word"
    elif made > wanted * _LIKE + _SENTENCE or (made * _LIKE < wanted and not (gone and come)):
        yield f"the sham changed {made} words, the fault {wanted}: no edit of like size"


def _touched(entry: Intervention) -> set[str]:
    return {change.part for change in entry.changes if change.before != change.after}


def _moved(entry: Intervention) -> tuple[int, int]:
    """Words that an edit took out, and that it put in; marks and spaces do not count."""
    gone = come = 0
    for change in entry.changes:
        before, after = _words(change.before), _words(change.after)
        blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        stayed = sum(block.size for block in blocks)
        gone, come = gone + len(before) - stayed, come + len(after) - stayed
    return gone, come


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _ended(claim: Claim, arm: ArmResult, rule: Rule, settings: Settings) -> Iterator[Violation]:
    outcome = outcome_of(claim.runs[arm.run_id], claim.task, settings)
    if not outcome.right:
        yield Violation(claim.run_id, rule, f"run {arm.run_id} ended {outcome.failure}")
