"""Who saw an alteration.

An alteration is observed if the input of a later turn or call of another agent holds an altered span, or lacks a
span that the same input of the clean twin holds. For prompt injection the altered span is the difference between
the target's own clean and faulty output. For the environment it is enough that the caller itself went on with the
altered result. The final output of a run is no observer.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aegis_core.faults import Intervention, Moment, Observation, PartChange
from aegis_core.run.outputs import step_texts
from aegis_core.run.tape import CallKey, Tape, TapeEntry
from aegis_core.trajectory import Step, Trajectory

__all__ = ["altered_places", "first_difference", "observe", "output_change", "overheard"]

_CHUNK = 12
_CONTEXT = 2
_DIFF_LIMIT = 3000
"""Words up to which a difference is aligned word by word; beyond, what lies between common ends is one span."""

_TOKEN = re.compile(r"\S+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class _Spans:
    """Word sequences that came in by the alteration, and those that went out by it, each with a little context."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]


def observe(
    intervention: Intervention, *, clean: Trajectory, faulty: Trajectory, clean_tape: Tape, faulty_tape: Tape
) -> tuple[Observation, ...]:
    """The first place in each later turn where the alteration of a fired intervention was seen, in tape order."""
    changes = intervention.changes
    if intervention.target.strategy == "prompt_injection":
        changes = output_change(intervention, clean, faulty)
    spans = _spans(changes)
    if not intervention.fired or not (spans.gained or spans.lost):
        return ()
    twin = {entry.key: _text(entry) for entry in clean_tape.entries}
    found: dict[object, Observation] = {}
    for entry in _later(intervention, faulty_tape):
        if entry.key.moment not in found and (seen := _seen(entry, spans, twin)) is not None:
            found[entry.key.moment] = seen
    return tuple(found.values())


def first_difference(clean: Trajectory, faulty: Trajectory, moment: Moment) -> Step | None:
    """The first step of a turn of the faulty run that differs from the clean twin; None if there is none.

    Of a turn that only lacks steps of the clean one at its end, it is the last step that is there.
    """
    before = clean.turn(moment.agent, moment.turn, moment.branch)
    after = faulty.turn(moment.agent, moment.turn, moment.branch)
    for one, other in itertools.zip_longest(before, after):
        if other is None:
            return after[-1] if after else None
        if one is None or _content(one) != _content(other):
            return other
    return None


def _content(step: Step) -> tuple[object, ...]:
    """What the agent made of a step. Who saw it afterwards is a matter of later turns."""
    return (step.kind, step.text, step.content, step.addressed_to)


def overheard(
    intervention: Intervention, *, faulty: Trajectory, clean_tape: Tape, faulty_tape: Tape
) -> tuple[Observation, ...]:
    """Where another agent was itself shown what was injected into the target's input, in tape order.

    What the target said afterwards does not count, even if it repeats what it was told: that is its own doing. Where
    this is not empty, the failure may be the work of another agent that followed the injection.
    """
    moment = intervention.target.moment
    if intervention.target.strategy != "prompt_injection" or not intervention.fired:
        return ()
    said = _folded(_delivered(step for step in faulty.steps if step.agent == moment.agent))
    injected = _Spans(tuple(span for span in _spans(intervention.changes).gained if span not in said), ())
    twin = {entry.key: _text(entry) for entry in clean_tape.entries}
    found: dict[object, Observation] = {}
    for entry in _later(intervention, faulty_tape):
        if entry.key.moment not in found and (seen := _seen(entry, injected, twin)) is not None:
            found[entry.key.moment] = seen
    return tuple(found.values())


def altered_places(changes: Iterable[PartChange]) -> tuple[str, ...]:
    """Where texts were altered: the words around each altered span, in order, with every figure as `#`.

    Two alterations are at the same places in this sense even if what they altered there was different, because an
    earlier alteration had reached it.
    """
    found: list[str] = []
    for change in changes:
        before, after = _TOKEN.findall(change.before), _TOKEN.findall(change.after)
        for _, i1, i2, _, _ in _differences(before, after):
            around = (*before[max(0, i1 - _CONTEXT) : i1], "_", *before[i2 : i2 + _CONTEXT])
            found.append(_FIGURE.sub("#", " ".join(around)))
    return tuple(found)


def output_change(intervention: Intervention, clean: Trajectory, faulty: Trajectory) -> tuple[PartChange, ...]:
    """The difference between the target's clean and faulty output, as one change; empty if there is none."""
    moment = intervention.target.moment
    before, after = (_delivered(run.turn(moment.agent, moment.turn, moment.branch)) for run in (clean, faulty))
    return (PartChange(part="output", before=before, after=after),) if before != after else ()


def _delivered(steps: Iterable[Step]) -> str:
    return "\n".join(text for step in steps for text in step_texts(step))


def _later(intervention: Intervention, tape: Tape) -> Iterator[TapeEntry]:
    """The inputs that come after the target's turn has begun: of other agents, or (environment) of the caller."""
    moment = intervention.target.moment
    reached = False
    for entry in tape.entries:
        if entry.key.moment == moment:
            reached = True
        own = entry.key.moment.agent == moment.agent
        environment = intervention.target.strategy == "environment"
        if entry.key.kind == "output":
            continue
        if reached and (not own or (environment and entry.key.kind in ("model", "input"))):
            yield entry


def _seen(entry: TapeEntry, spans: _Spans, twin: dict[CallKey, str]) -> Observation | None:
    text = _text(entry)
    clean = twin.get(entry.key, "")
    for span in spans.gained:
        if span in text and span not in clean:
            return Observation(moment=entry.key.moment, how="holds", span=span)
    for span in spans.lost:
        if span in clean and span not in text:
            return Observation(moment=entry.key.moment, how="lacks", span=span)
    return None


def _text(entry: TapeEntry) -> str:
    return "\n".join(_folded(part.text) for part in entry.request)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _spans(changes: Iterable[PartChange]) -> _Spans:
    gained: list[str] = []
    lost: list[str] = []
    for change in changes:
        before, after = _TOKEN.findall(change.before), _TOKEN.findall(change.after)
        for tag, i1, i2, j1, j2 in _differences(before, after):
            if tag != "delete":
                gained += _chunks(after, j1, j2)
            if tag != "insert":
                lost += _chunks(before, i1, i2)
    return _Spans(tuple(dict.fromkeys(gained)), tuple(dict.fromkeys(lost)))


def _differences(before: list[str], after: list[str]) -> list[tuple[str, int, int, int, int]]:
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if not left and not right:
        return []
    if max(len(left), len(right)) > _DIFF_LIMIT or not left or not right:
        tag = "insert" if not left else "delete" if not right else "replace"
        return [(tag, start, start + len(left), start, start + len(right))]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return [
        (tag, i1 + start, i2 + start, j1 + start, j2 + start)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _chunks(words: list[str], start: int, end: int) -> list[str]:
    """The span in pieces of at most `_CHUNK` words.

    Each has the words around it, so that a lone figure is not found by chance in some other sentence.
    """
    return [
        " ".join(words[max(0, at - _CONTEXT) : min(at + _CHUNK, end) + _CONTEXT]) for at in range(start, end, _CHUNK)
    ]
