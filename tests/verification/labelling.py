"""What the label must be: derived from plan, minimal sets and the two trajectories, and the mode judged anew."""

from __future__ import annotations

from collections.abc import Iterator

from aegis_core.errors import AegisError
from aegis_core.faults import Evidence, Fault, Moment, Target
from aegis_core.plugins import Plugins
from aegis_core.taxonomy.evidence import TurnContext
from aegis_core.trajectory import Step
from tests.verification.alteration import first_difference
from tests.verification.material import Claim, Recorded, Settings, Violation
from tests.verification.outcomes import minimal_sets

__all__ = ["derived_fault", "derived_step", "judged", "label_doubts", "mode_doubts"]


def label_doubts(claim: Claim, settings: Settings) -> Iterator[Violation]:
    """The faults are the targets of the minimal sufficient sets, and the redundant ones are the others."""
    needed = {index for subset in minimal_sets(claim, settings) for index in subset}
    causes = [derived_fault(claim, index) for index in claim.everything if index in needed]
    rest = [derived_fault(claim, index) for index in claim.everything if index not in needed]
    for name, derived, said in (("faults", causes, claim.labels.faults), ("redundant", rest, claim.labels.redundant)):
        if sorted(derived, key=repr) != sorted(said, key=repr):
            wanted, given = ("; ".join(map(_words, faults)) or "none" for faults in (derived, said))
            yield Violation(claim.run_id, "label", f"{name} must be: {wanted}; the label says: {given}")
    if claim.labels.case_id != claim.case.case_id or claim.proof.case_id != claim.case.case_id:
        yield Violation(claim.run_id, "label", "label, proof and case do not name the same case")
    if claim.entry.plan != claim.plan or claim.case.clean_run_id != claim.proof.clean_run_id:
        yield Violation(claim.run_id, "label", "case and proof do not tell of the same plan and clean run")


def derived_fault(claim: Claim, index: int) -> Fault:
    """The fault that a target is."""
    target = claim.plan.targets[index]
    return Fault(
        agent=target.moment.agent,
        mode=target.mode,
        step=derived_step(claim, target.moment),
        strategy=target.strategy,
        scope=target.scope,
    )


def derived_step(claim: Claim, moment: Moment) -> int | None:
    """The step from which on a turn of the faulty run is another than the clean twin's."""
    return first_difference(claim.faulty, claim.clean, moment)


def _words(fault: Fault) -> str:
    return f"{fault.agent} {fault.mode} at step {fault.step} ({fault.strategy}, {fault.scope}, {fault.role})"


def mode_doubts(claim: Claim, plugins: Plugins) -> Iterator[Violation]:
    """The predicate of each cause's mode says that it happened, and the proof says so too, in the same words."""
    needed = {index for subset in claim.proof.sufficient for index in subset}
    said = claim.proof.evidence
    if [evidence.mode for evidence in said] != [target.mode for target in claim.plan.targets]:
        yield Violation(claim.run_id, "mode", "the evidence is not about the modes of the targets, one for one")
    for index in claim.everything:
        target = claim.plan.targets[index]
        try:
            verdict = judged(claim, index, plugins)
        except AegisError as error:
            yield Violation(claim.run_id, "mode", f"{target.mode} of {target.moment} can't be judged: {error}")
            continue
        if index in needed and not verdict.holds:
            yield Violation(claim.run_id, "mode", f"{target.mode} of {target.moment} does not hold: {verdict.because}")
        if index < len(said) and said[index].holds != verdict.holds:
            words = f"{target.mode} of {target.moment}: the proof says {said[index].holds}, judged anew {verdict.holds}"
            yield Violation(claim.run_id, "mode", words)
        elif index < len(said) and said[index] != verdict:
            words = f"the proof gives {said[index].because!r} {list(said[index].spans)} as evidence of {target.mode}"
            yield Violation(claim.run_id, "mode", f"{words}; judged anew: {verdict.because!r} {list(verdict.spans)}")


def judged(claim: Claim, index: int, plugins: Plugins) -> Evidence:
    """What the predicate of a target's mode says.

    Raises:
        AegisError: there is no such predicate, or it failed.
    """
    return plugins.judge(claim.plan.targets[index].mode, _context(claim, index))


def _context(claim: Claim, index: int) -> TurnContext:
    target = claim.plan.targets[index]
    moment = target.moment
    return TurnContext(
        task=claim.task.text,
        agent=moment.agent,
        role=claim.clean.trajectory.agent(moment.agent).role,
        strategy=target.strategy,
        clean=claim.clean.said(moment),
        faulty=claim.faulty.said(moment),
        clean_seen=_seen(claim.clean, claim, index),
        faulty_seen=_faulty_seen(claim, index),
        clean_said=_passed_on(claim.clean.turn(moment)),
        faulty_said=_passed_on(claim.faulty.turn(moment)),
        receivers_seen=_receivers(claim.faulty, target),
    )


def _receivers(run: Recorded, target: Target) -> tuple[tuple[str, ...], ...]:
    """What each of those was given who, by the ledger, saw the alteration; that they did is doubted in `sight.py`."""
    entry = run.intervention(target.moment)
    turns = dict.fromkeys(observation.moment for observation in entry.observed_by) if entry is not None else {}
    return tuple(_given(run, turn) for turn in turns)


def _passed_on(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """What reaches others of a turn: not what the agent only thought, called, or got from a tool or an error."""
    return tuple(step.text for step in steps if step.kind in ("message", "handoff", "plan"))


def _seen(run: Recorded, claim: Claim, index: int) -> tuple[str, ...]:
    """What the agent was given in the turn: its input, and what went to its model beside that."""
    return _given(run, claim.plan.targets[index].moment)


def _faulty_seen(claim: Claim, index: int) -> tuple[str, ...]:
    """The same in the faulty run, less a text that was altered on the way to the model, which never got it."""
    target, given = claim.plan.targets[index], _seen(claim.faulty, claim, index)
    entry = claim.faulty.intervention(target.moment)
    if entry is None or target.strategy != "prompt_injection":
        return given
    sent = {part.text for call in claim.faulty.entries(target.moment, "model") for part in call.request}
    kept = {change.before for change in entry.changes if change.after in given and change.before not in sent}
    return tuple(text for text in given if text not in kept)


def _given(run: Recorded, moment: Moment) -> tuple[str, ...]:
    given = [part.text for entry in run.entries(moment, "input", "model") for part in entry.request]
    return tuple(dict.fromkeys(given))
