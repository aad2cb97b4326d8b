"""Who saw an alteration, found out anew: by counting runs of words in what other agents were given afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from aegis_core.faults import Intervention, Observation
from aegis_core.run.tape import CallKey, TapeEntry
from tests.verification.material import Claim, Recorded, Violation, passages

__all__ = ["observation_doubts", "privacy_doubts", "seen"]

_RUN = 3
"""Words in a run: enough that a lone figure or a common pair of words is not taken for the altered text."""
_TOLD = 5
"""The same for an order: agents who work on one task share many a run of three words."""


def observation_doubts(claim: Claim) -> Iterator[Violation]:
    """Every cause must have been seen by another agent, and every observation in the ledger must be true."""
    run = claim.faulty
    needed = {index for subset in claim.proof.sufficient for index in subset}
    for index in claim.everything:
        target = claim.plan.targets[index]
        entry = run.intervention(target.moment)
        if entry is None or not entry.fired:
            continue
        if index in needed and not seen(entry, claim.clean, run):
            words = f"no other agent was given anything after {target.moment} that shows the alteration"
            yield Violation(claim.run_id, "observed", words)
        if index in needed and not entry.observed_by:
            yield Violation(claim.run_id, "observed", f"the ledger names no observer of {target.moment}")
        for observation in entry.observed_by:
            if not _true(observation, entry, claim.clean, run):
                words = f"{observation.moment} {observation.how} no such span of {target.moment}: {observation.span!r}"
                yield Violation(claim.run_id, "observed", words)


def privacy_doubts(claim: Claim) -> Iterator[Violation]:
    """What an agent was told by prompt injection, it alone was told: others know it from its words, or not at all."""
    run = claim.faulty
    # What stood anywhere in the clean run needed no telling.
    usual = _told([part.text for entry in claim.clean.tape.entries for part in entry.request])
    usual |= _told(text for step in claim.clean.trajectory.steps for text in passages(step))
    for index in claim.everything:
        moment = claim.plan.targets[index].moment
        entry = run.intervention(moment)
        if entry is None or not entry.fired or entry.target.strategy != "prompt_injection":
            continue
        steps = (step for step in run.trajectory.steps if step.agent == moment.agent)
        told = _told(change.after for change in entry.changes) - _told(change.before for change in entry.changes)
        told -= usual | _told(text for step in steps for text in passages(step))
        for later in _later(entry, run):
            if common := _told(_given(later)) & told:
                words = f"{later.key.moment} was shown what {moment} was told: {' '.join(min(common))!r}"
                yield Violation(claim.run_id, "private", words)


def _told(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The runs of words in each line: what only meets where two lines do, nobody was told."""
    return set(_runs((line for text in texts for line in text.splitlines()), _TOLD))


def seen(entry: Intervention, clean: Recorded, run: Recorded) -> bool:
    """Whether a later input of another agent has gained, or lost, words as the altered text has."""
    gained, lost = _difference(_pairs(entry, clean, run))
    twins = {other.key: other for other in clean.tape.entries}
    for later in _later(entry, run):
        now, then = _runs(_given(later)), _runs(_given(twins.get(later.key)))
        came, went = now - then, then - now
        if came & gained or (later.key in twins and went & lost):
            return True
    return False


def _pairs(entry: Intervention, clean: Recorded, run: Recorded) -> list[tuple[str, str]]:
    """Texts before and after: of the edit, or for prompt injection of what the agent then said."""
    if entry.target.strategy == "prompt_injection":
        moment = entry.target.moment
        return [("\n".join(clean.passages(moment)), "\n".join(run.passages(moment)))]
    return [(change.before, change.after) for change in entry.changes]


def _later(entry: Intervention, run: Recorded) -> Iterator[TapeEntry]:
    """What other agents were given after the turn had begun."""
    moment = entry.target.moment
    for found in run.tape.entries[run.position(moment) :]:
        if found.key.kind != "output" and found.key.moment.agent != moment.agent:
            yield found


def _given(entry: TapeEntry | None) -> list[str]:
    return [part.text for part in entry.request] if entry is not None else []


def _difference(pairs: Iterable[tuple[str, str]]) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    gained: Counter[tuple[str, ...]] = Counter()
    lost: Counter[tuple[str, ...]] = Counter()
    for before, after in pairs:
        # A text that is shorter than a run counts as one, so that two figures can still be told apart.
        old, new = _runs([before]), _runs([after])
        gained += new - old
        lost += old - new
    return gained, lost


def _runs(texts: Iterable[str], length: int = _RUN) -> Counter[tuple[str, ...]]:
    """How often each run of words occurs, with the runs at either end of a text shortened."""
    found: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        words = text.split()
        size = min(length, len(words))
        found.update(tuple(words[at : at + size]) for at in range(len(words) - size + 1) if size)
    return found


def _true(observation: Observation, entry: Intervention, clean: Recorded, run: Recorded) -> bool:
    keys = [found.key for found in _later(entry, run) if found.key.moment == observation.moment]
    return any(_shows(observation, key, clean, run) for key in keys)


def _shows(observation: Observation, key: CallKey, clean: Recorded, run: Recorded) -> bool:
    span = observation.span.split()
    here = _contains(_given(run.tape.entry(key)), span)
    there = _contains(_given(clean.tape.entry(key)), span)
    return here and not there if observation.how == "holds" else there and not here


def _contains(texts: list[str], span: list[str]) -> bool:
    folded = " ".join(span)
    return any(folded in " ".join(text.split()) for text in texts)
