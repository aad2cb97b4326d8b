"""What the ledger says was altered must be what the tapes show: the text that stood there, and the one delivered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from aegis_core.faults import ArmResult, Intervention, Moment, PartChange
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Step
from tests.verification.material import Claim, Recorded, Violation

__all__ = ["alteration_doubts", "first_difference", "site_doubts"]


def alteration_doubts(claim: Claim) -> Iterator[Violation]:
    """Every target of the faulty run and of the runs with fewer targets."""
    for arm in claim.arms("fault"):
        run = claim.runs[arm.run_id]
        for index in () if arm.invalid else claim.chronological(arm):
            target = claim.plan.targets[index]
            entry = run.intervention(target.moment)
            where = f"run {arm.run_id}, {target.moment}"
            if entry is None or entry.target != target or entry.arm != "fault":
                yield Violation(claim.run_id, "alteration", f"{where}: the ledger has no fault on this very target")
            elif not entry.fired:
                yield Violation(claim.run_id, "alteration", f"{where}: it did not fire ({entry.reason})")
            elif all(change.before == change.after for change in entry.changes):
                yield Violation(claim.run_id, "alteration", f"{where}: the text was not changed")
            else:
                for words in site_doubts(entry, run, claim.without(arm, index)):
                    yield Violation(claim.run_id, "alteration", f"{where}: {words}")
        yield from _strangers(claim, arm)
    for arm in claim.proof.arms:
        run = claim.runs[arm.run_id]
        for entry in run.ledger.interventions:
            yield from (
                Violation(claim.run_id, "alteration", f"run {arm.run_id}, {w}") for w in _told(claim, entry, run)
            )


def _told(claim: Claim, entry: Intervention, run: Recorded) -> Iterator[str]:
    """What a ledger says beside the texts: why nothing was done, in which way it was, and from which step on."""
    moment = entry.target.moment
    if entry.fired == bool(entry.reason):
        yield f"{moment}: one that fired has no reason why not, and one that did not has one"
    wanted = entry.target.realisation
    if entry.fired and entry.arm == "fault" and wanted is not None and entry.realisation != wanted:
        yield f"{moment}: altered by {entry.realisation!r}, planned as {wanted!r}"
    if entry.fired and entry.step != first_difference(run, claim.clean, moment):
        yield f"{moment}: step {entry.step} is not the first that differs from the clean twin"


def first_difference(run: Recorded, twin: Recorded, moment: Moment) -> int | None:
    """The first step of a turn that is not its twin's; of a turn that only ends earlier, its last step."""
    steps, others = run.turn(moment), twin.turn(moment)
    for position, step in enumerate(steps):
        if position >= len(others) or _content(step) != _content(others[position]):
            return step.index
    return steps[-1].index if steps and len(steps) < len(others) else None


def _content(step: Step) -> tuple[object, ...]:
    return (step.kind, step.text, step.content, step.addressed_to)


def _strangers(claim: Claim, arm: ArmResult) -> Iterator[Violation]:
    """Nothing may have been done to a run beside what its arm says."""
    named = {claim.plan.targets[index].moment for index in arm.targets}
    for entry in claim.runs[arm.run_id].ledger.interventions:
        if entry.target.moment not in named:
            words = f"run {arm.run_id}: the ledger has an alteration of {entry.target.moment}, which is no target here"
            yield Violation(claim.run_id, "alteration", words)


def site_doubts(entry: Intervention, run: Recorded, twin: Recorded | None) -> Iterator[str]:
    """Whether a fired intervention of any arm did at its site what the ledger says, and nothing else.

    `twin` is the run that is the same up to this site; without one, the run's own tape has to do.
    """
    by_part = {change.part: change for change in entry.changes}
    if entry.target.strategy == "prompt_injection":
        yield from _input(entry, by_part, run, twin)
    elif entry.target.strategy == "response_corruption":
        yield from _output(entry, by_part, run, twin)
    else:
        yield f"no label can rest on the strategy {entry.target.strategy}"


# -- prompt injection: an input on the tape -----------------------------------------------------------------------


def _input(
    entry: Intervention, by_part: Mapping[str, PartChange], run: Recorded, twin: Recorded | None
) -> Iterator[str]:
    sites = [found for found in run.entries(entry.target.moment, "input", "model") if _holds(found, by_part, "after")]
    if not sites:
        yield "no input of the turn on its tape holds the altered texts in the parts that the ledger names"
    elif twin is not None:
        site = sites[0]
        other = twin.tape.entry(site.key)
        if other is None:
            yield f"{site.key} is not on the tape of its twin"
        elif not _holds(other, by_part, "before"):
            yield f"{site.key} of its twin does not hold what the ledger gives as the text before"
        elif other.request_hash != site.request_hash:
            yield f"{site.key} was another request than in its twin before anything was altered"
        elif [part for part in site.request if part.id not in by_part] != [
            part for part in other.request if part.id not in by_part
        ]:
            yield f"{site.key} differs from its twin in parts that the ledger does not name"


def _holds(entry: TapeEntry, by_part: Mapping[str, PartChange], side: str) -> bool:
    texts = {part.id: part.text for part in entry.request}
    return all(texts.get(part) == getattr(change, side) for part, change in by_part.items())


# -- response corruption: what the agent produced, and what was delivered -----------------------------------------


def _output(
    entry: Intervention, by_part: Mapping[str, PartChange], run: Recorded, twin: Recorded | None
) -> Iterator[str]:
    moment = entry.target.moment
    produced = run.entries(moment, "output")
    if produced and _holds(produced[0], by_part, "before"):
        if twin is not None and twin.entries(moment, "output")[:1] != produced[:1]:
            yield "the agent did not produce what it did in its twin"
        yield from _delivered(entry, run)
        return
    # The edit was made of what the model answered, so that the agent itself went on with it.
    answers = run.entries(moment, "model")
    answered = [text for answer in answers[-1:] for text in _texts(answer.payload)]
    if any(change.before not in answered for change in entry.changes):
        yield "neither what the agent produced nor what its model answered is what the ledger gives as the text before"
    elif twin is not None and twin.entries(moment, "model") != answers:
        yield "the model did not answer what it did in its twin"
    yield from _passed_on(entry, run)


def _delivered(entry: Intervention, run: Recorded) -> Iterator[str]:
    """The steps must be what was produced, with the altered texts in place of the original ones."""
    after = {change.part: change.after for change in entry.changes}
    produced = [part for found in run.entries(entry.target.moment, "output")[:1] for part in found.request]
    expected = [after.get(part.id, part.text) for part in produced if after.get(part.id, part.text)]
    said = [text for text in run.passages(entry.target.moment) if text]
    if said[len(said) - len(expected) :] != expected:
        yield "the steps of the turn are not what the agent produced with the alteration applied"


def _passed_on(entry: Intervention, run: Recorded) -> Iterator[str]:
    said = "\n".join(run.said(entry.target.moment))
    for change in entry.changes:
        if change.before != change.after and change.after not in said:
            yield f"the altered text of part {change.part} was not delivered"


def _texts(payload: JsonValue) -> Iterator[str]:
    """Every text in plain data."""
    if isinstance(payload, str):
        yield payload
    elif isinstance(payload, list):
        for item in payload:
            yield from _texts(item)
    elif isinstance(payload, dict):
        for item in payload.values():
            yield from _texts(item)
