"""Up to the target's turn a run must be its twin: the same steps, the same tape."""

from __future__ import annotations

from collections.abc import Iterator

from aegis_core.faults import ArmResult, Target
from tests.verification.material import Claim, Recorded, Violation

__all__ = ["prefix_doubts"]


def prefix_doubts(claim: Claim) -> Iterator[Violation]:
    """Every arm against its twin, for each of its targets."""
    for arm in claim.proof.arms:
        for index in claim.chronological(arm) if arm.arm != "clean" and not arm.invalid else ():
            target, run = claim.plan.targets[index], claim.runs[arm.run_id]
            twin = claim.without(arm, index)
            if twin is None:
                continue
            for words in (*_steps(target, run, twin), *_tape(target, run, twin)):
                yield Violation(claim.run_id, "prefix", f"{_named(arm)}: {words}")


def _named(arm: ArmResult) -> str:
    return f"arm {arm.arm} {list(arm.targets)}, run {arm.run_id}"


def _steps(target: Target, run: Recorded, twin: Recorded) -> Iterator[str]:
    firsts = [next((step.index for step in one.turn(target.moment)), len(one.trajectory.steps)) for one in (run, twin)]
    if firsts[0] != firsts[1]:
        yield f"{target.moment} begins at step {firsts[0]}, in its twin at step {firsts[1]}"
    for step, other in zip(run.trajectory.steps[: firsts[0]], twin.trajectory.steps, strict=False):
        # Who will read a step depends on what comes later; the rule `wall` looks at that.
        if step != other.model_copy(update={"visible_to": step.visible_to}):
            yield f"step {step.index}, before {target.moment}, is not that of its twin"


def _tape(target: Target, run: Recorded, twin: Recorded) -> Iterator[str]:
    """What comes before the turn on the tape; what happens inside the turn is for the rule `alteration`."""
    cuts = [one.position(target.moment) for one in (run, twin)]
    if cuts[0] != cuts[1]:
        yield f"{target.moment} begins at entry {cuts[0]} of the tape, in its twin at entry {cuts[1]}"
    pairs = zip(run.tape.entries[: cuts[0]], twin.tape.entries, strict=False)
    for number, (entry, other) in enumerate(pairs):
        if entry != other:
            yield f"entry {number} of the tape ({entry.key}), before {target.moment}, is not that of its twin"
