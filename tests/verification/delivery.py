"""What stands in a trajectory must be what the tape of the same run has: steps, final output, and what was read.

This holds for every run of a dataset by itself, clean ones, controls and runs with fewer targets as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aegis_core.faults import Moment
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Step
from tests.verification.material import Claim, Files, Recorded, Settings, Violation, passages, texts_in
from tests.verification.outcomes import at_limit

__all__ = ["delivery_doubts", "hidden_edit_doubts"]

_CALLS = ("input", "model", "tool", "human", "node")
_USUAL = 0.75
"""Share of the answered runs that have to end in one way before that way is asked of all."""
_WAYS = ("is the last text that was delivered", "stands in the last step", "stands in a step")
"""How a final output can follow from the steps, the strictest way first."""


def delivery_doubts(files: Files) -> Iterator[Violation]:
    """Every run: each turn delivered what the tape says, and the final output follows from what was delivered."""
    runs = list(files.recorded())
    way, answering = _usual_way(runs), _answering(runs)
    for run in runs:
        words = [words for moment in _moments(run) for words in _turn_words(run, moment)]
        if run.tape.adapter != run.trajectory.adapter:
            words.append(f"it is of the adapter {run.trajectory.adapter!r}, its tape of {run.tape.adapter!r}")
        words += _final_words(run, way, answering, files.settings)
        yield from (Violation(run.tape.run_id, "tape", text) for text in words)


def hidden_edit_doubts(claim: Claim) -> Iterator[Violation]:
    """What any agent read was written by somebody, or stood in the clean run; else it was edited in secret."""
    given = {part.text for entry in claim.clean.tape.entries for part in entry.request}
    for run in claim.runs.values():
        agents = {agent.path for agent in run.trajectory.agents}
        edited = [text for entry in run.ledger.interventions for c in entry.changes for text in (c.before, c.after)]
        written = {claim.task.text, *edited, *_written(run)}
        for entry in run.tape.entries:
            for part in entry.request if entry.key.kind != "output" else ():
                own = part.author in agents
                if part.text in written or (not own and not given.isdisjoint((part.text, _unaltered(part.text, run)))):
                    continue
                words = f"run {run.tape.run_id}: nobody wrote what {entry.key} has as part {part.id}"
                yield Violation(claim.run_id, "tape", words)
        yield from (Violation(claim.run_id, "tape", words) for words in _same_request(claim.clean, run))


def _unaltered(text: str, run: Recorded) -> str:
    """A text with what was altered in it put back: an agent may wrap what it is given into a message of its own."""
    for entry in run.ledger.interventions:
        for change in entry.changes:
            text = text.replace(change.after, change.before) if change.after else text
    return text


def _same_request(clean: Recorded, run: Recorded) -> Iterator[str]:
    """The hash is of the request before any edit: where it is the clean twin's, so is the request."""
    edited = {entry.target.moment for entry in run.ledger.interventions if entry.target.strategy == "prompt_injection"}
    sent = {(entry.key, entry.request_hash): _sent(entry) for entry in clean.tape.entries}
    for entry in run.tape.entries:
        if entry.key.moment in edited:
            continue
        if sent.get((entry.key, entry.request_hash), _sent(entry)) != _sent(entry):
            yield f"run {run.tape.run_id}: {entry.key} was the clean twin's request, and has other texts than that"


def _sent(entry: TapeEntry) -> list[str]:
    return [part.text for part in entry.request]


def _moments(run: Recorded) -> tuple[Moment, ...]:
    steps = (Moment(agent=step.agent, branch=step.branch, turn=step.turn) for step in run.trajectory.steps)
    return tuple(dict.fromkeys((*(entry.key.moment for entry in run.tape.entries), *steps)))


def _written(run: Recorded) -> Iterator[str]:
    """All that agents produced or delivered, and that their calls gave them."""
    for step in run.trajectory.steps:
        yield from (step.text, *passages(step))
    for entry in run.tape.entries:
        if entry.key.kind == "output":
            yield from _sent(entry)
        yield from texts_in(entry.payload)


# -- the steps of a turn ------------------------------------------------------------------------------------------


def _turn_words(run: Recorded, moment: Moment) -> Iterator[str]:
    """The last texts of a turn are its output, altered where the ledger says so; those before come from its calls."""
    steps, outputs = run.turn(moment), run.entries(moment, "output")
    if not outputs:
        # A turn that was broken off delivered nothing; what it had called stands there all the same.
        yield from _unfounded(run, moment, steps)
        return
    expected = [text for text in _expected(run, moment, outputs) if text]
    said = [(text, step) for step in steps for text in passages(step) if text]
    if [text for text, _ in said[len(said) - len(expected) :]] != expected:
        yield f"the steps of {moment} do not end with what its tape says was delivered"
        return
    delivered = {step.index for _, step in said[len(said) - len(expected) :]}
    yield from _unfounded(run, moment, tuple(step for step in steps if step.index not in delivered))


def _expected(run: Recorded, moment: Moment, outputs: tuple[TapeEntry, ...]) -> Iterator[str]:
    entry = run.intervention(moment)
    altered = entry is not None and entry.fired and entry.target.strategy == "response_corruption"
    changes = {(change.part, change.before): change.after for change in entry.changes} if entry and altered else {}
    for output in outputs:
        for part in output.request:
            yield changes.get((part.id, part.text), part.text)


def _unfounded(run: Recorded, moment: Moment, steps: tuple[Step, ...]) -> Iterator[str]:
    """Steps before the output: what a call was sent, or what it gave."""
    calls = run.entries(moment, *_CALLS)
    texts = [text for call in calls for text in (*_sent(call), *texts_in(call.payload))]
    texts += [f"{call.error.type}: {call.error.message}" for call in calls if call.error is not None]
    inner = {(step.kind, step.text) for call in calls for step in call.inner}
    asked = [(call.key.name, _sent(call)) for call in calls if call.key.kind == "tool"]
    for step in steps:
        found = not step.text or (step.kind, step.text) in inner or any(step.text in text for text in texts)
        if not found and step.kind == "tool_call":
            found = any(name in step.text and all(text in step.text for text in sent) for name, sent in asked)
        if not found and step.kind == "error" and run.trajectory.error is not None:
            found = run.trajectory.error.message in step.text
        if not found:
            yield f"step {step.index}, a {step.kind} of {moment}, follows from no call on its tape"


# -- the final output ---------------------------------------------------------------------------------------------


def _usual_way(runs: list[Recorded]) -> int:
    """The strictest way in which most runs end; beyond all ways if the system makes its answers of something else."""
    answered = [run for run in runs if run.trajectory.final_output]
    met = Counter(_way(run) for run in answered)
    return next((way for way in range(len(_WAYS)) if sum(met[i] for i in range(way + 1)) >= _USUAL * len(answered)), 3)


def _way(run: Recorded) -> int:
    output = " ".join((run.trajectory.final_output or "").split())
    said = [(step.index, " ".join(text.split())) for step in run.trajectory.steps for text in passages(step) if text]
    if said and said[-1][1] == output:
        return 0
    if said and any(index == said[-1][0] and output in text for index, text in said):
        return 1
    return 2 if any(output in text for _, text in said) else 3


def _answering(runs: list[Recorded]) -> set[str]:
    """The agents that had the last word in runs with an answer: where another one has it, there may be none."""
    lasts = (outputs[-1] for run in runs if run.trajectory.final_output and (outputs := _outputs(run)))
    return {entry.key.moment.agent for entry in lasts}


def _outputs(run: Recorded) -> list[TapeEntry]:
    return [entry for entry in run.tape.entries if entry.key.kind == "output"]


def _final_words(run: Recorded, way: int, answering: set[str], settings: Settings) -> Iterator[str]:
    trajectory = run.trajectory
    if trajectory.final_output:
        if _way(run) > way:
            yield f"other than in most runs, its final output is not one that {_WAYS[way]}"
    elif way == 0 and trajectory.error is None and not at_limit(run, settings):
        outputs = _outputs(run)
        if outputs and any(_sent(outputs[-1])) and outputs[-1].key.moment.agent in answering:
            yield "it has no final output, although its last turn had one and no limit ended it"
