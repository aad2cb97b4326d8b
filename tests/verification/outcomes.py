"""How each run ended, decided anew, and which targets were needed to make it fail."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from aegis_core.faults import ArmResult, Outcome
from tests.verification.checking import check
from tests.verification.material import Claim, Recorded, Settings, Task, Violation

__all__ = ["at_limit", "fails", "minimal_sets", "outcome_doubts", "outcome_of", "subset_doubts"]

_ENDLESS = {"FM-1.3", "FM-1.5"}
"""The modes of which a run without end is a proof."""
_CALLS = ("model", "tool", "human")


def outcome_of(run: Recorded, task: Task, settings: Settings) -> Outcome:
    """The outcome of a run by its trajectory, its tape and the task's checker."""
    trajectory = run.trajectory
    if trajectory.error is not None:
        return Outcome(right=False, failure="crash", detail=trajectory.error.message)
    if trajectory.final_output is None and at_limit(run, settings):
        return Outcome(right=False, failure="no_end")
    return check(task, trajectory.final_output)


def at_limit(run: Recorded, settings: Settings) -> bool:
    """Whether one of the campaign's limits may have ended a run; of a limit in seconds no file tells."""
    turns = len(run.tape.moments())
    calls = len([entry for entry in run.tape.entries if entry.key.kind in _CALLS])
    limits = settings.limits
    return (
        (limits.turns is not None and turns >= limits.turns)
        or (limits.calls is not None and calls >= limits.calls)
        or limits.seconds is not None
    )


def fails(claim: Claim, arm: ArmResult, settings: Settings) -> bool:
    """Whether a faulty run failed in a way that proves something about its targets."""
    outcome = outcome_of(claim.runs[arm.run_id], claim.task, settings)
    if outcome.failure == "no_end":
        return {claim.plan.targets[index].mode for index in arm.targets} <= _ENDLESS
    return outcome.failure in ("wrong", "no_answer")


def minimal_sets(claim: Claim, settings: Settings) -> set[tuple[int, ...]]:
    """The smallest sets of targets that make the run fail, by the runs of all subsets."""
    arms = [arm for arm in claim.arms("fault") if not _left_alone(claim, arm)]
    failing = {tuple(sorted(arm.targets)) for arm in arms if fails(claim, arm, settings)}
    return {one for one in failing if not any(set(other) < set(one) for other in failing)}


def outcome_doubts(claim: Claim, settings: Settings) -> Iterator[Violation]:
    """Each arm ended as its proof says, the clean run right and the faulty run in a failure."""
    for arm in claim.proof.arms:
        outcome = outcome_of(claim.runs[arm.run_id], claim.task, settings)
        said = arm.outcome
        if not arm.invalid and (said is None or (said.right, said.failure) != (outcome.right, outcome.failure)):
            words = f"arm {arm.arm} {list(arm.targets)}, run {arm.run_id}, ended {_words(outcome)}, not {_words(said)}"
            yield Violation(claim.run_id, "outcome", words)
    clean = outcome_of(claim.clean, claim.task, settings)
    stored = claim.case.clean_outcome
    if not clean.right or (clean.right, clean.failure) != (stored.right, stored.failure):
        yield Violation(claim.run_id, "outcome", f"its clean twin ended {_words(clean)}")
    whole = claim.arms("fault", claim.everything)
    if [arm.run_id for arm in whole] != [claim.run_id]:
        yield Violation(claim.run_id, "outcome", "the proof does not name this run as the one with all its targets")
    elif not fails(claim, whole[0], settings):
        words = _words(outcome_of(claim.faulty, claim.task, settings))
        yield Violation(claim.run_id, "outcome", f"it ended {words}, which proves no fault")


def _words(outcome: Outcome | None) -> str:
    if outcome is None:
        return "unknown"
    return "right" if outcome.right else str(outcome.failure)


def subset_doubts(claim: Claim, settings: Settings) -> Iterator[Violation]:
    """All subsets were tried, and the minimal sufficient ones are those that the proof names."""
    for size in range(1, len(claim.everything) + 1):
        for subset in combinations(claim.everything, size):
            arms = claim.arms("fault", subset)
            if not arms or any(arm.invalid and not _left_alone(claim, arm) for arm in arms):
                said = ", ".join(arm.invalid for arm in arms) or "there is no such arm"
                yield Violation(claim.run_id, "subsets", f"targets {list(subset)} alone prove nothing: {said}")
    yield from _other_edits(claim)
    found = minimal_sets(claim, settings)
    if found != {tuple(sorted(subset)) for subset in claim.proof.sufficient}:
        words = f"minimal sufficient are {sorted(found)}, not {sorted(claim.proof.sufficient)}"
        yield Violation(claim.run_id, "subsets", words)


def _left_alone(claim: Claim, arm: ArmResult) -> bool:
    """Whether an arm found nothing to alter, so that it is the clean run and its targets alone do not suffice.

    So it may be for some targets of a kept run, never for all of them.
    """
    entries = claim.runs[arm.run_id].ledger.interventions
    return len(arm.targets) < len(claim.everything) and any(not entry.fired for entry in entries)


def _other_edits(claim: Claim) -> Iterator[Violation]:
    """A run with fewer targets proves something only if they were altered in it as in the whole one."""
    for arm in claim.arms("fault"):
        for index in arm.targets:
            moment = claim.plan.targets[index].moment
            here, there = claim.runs[arm.run_id].intervention(moment), claim.faulty.intervention(moment)
            if here is None or there is None:
                continue  # which the rule `alteration` says
            known = {change.before: change.after for change in there.changes}
            other = any(known.get(change.before, change.after) != change.after for change in here.changes)
            if other or here.realisation != there.realisation:
                words = f"run {arm.run_id}: {moment} was altered in another way than in the faulty run"
                yield Violation(claim.run_id, "subsets", words)
