"""Marks by which faulty runs could be told though every single record looks in order: in figures, readers, characters.

What can be derived is derived again: usage and times from the texts, readers from the tape. What can't be is counted.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator

from aegis_core.faults import Moment
from aegis_core.trajectory import Step, Trajectory
from tests.verification.material import Files, Recorded, Violation, passages

__all__ = ["mark_doubts"]

_SPEAKS = ("message", "tool_call", "handoff", "plan", "thought")
"""Kinds of steps that a model makes."""
_LONG = 24
"""Characters from which a text can't stand in another by chance."""
_MANY = 8
"""Runs of either sort that there must be before a sign can be said to part them."""
_MOST = 0.8
"""Share of the runs of one sort that have to bear a sign that none of the other sort bears."""


def mark_doubts(files: Files) -> Iterator[Violation]:
    """Every run by itself, then clean and faulty runs against each other."""
    for run in files.recorded():
        for words in _derived(run.trajectory):
            yield Violation(run.trajectory.run_id, "wall", words)
    yield from _readers(files)
    yield from _only_in_faulty(files)
    yield from _parting(files)


# -- usage and times ----------------------------------------------------------------------------------------------


def _derived(trajectory: Trajectory) -> Iterator[str]:
    """Tokens are a quarter of the characters; a step lasts 0.2 s and 0.02 s a token after the last of its sources."""
    models = {agent.path for agent in trajectory.agents if agent.kind in ("worker", "manager")}
    tokens = [_tokens(step) for step in trajectory.steps]
    ends: list[float] = []
    for step, own in zip(trajectory.steps, tokens, strict=True):
        sources = step.parents or tuple(range(max(step.index - 1, 0), step.index))
        read = _quarter(len(trajectory.task)) + sum(tokens[source] for source in sources)
        start = max((ends[source] for source in sources), default=0.0)
        ends.append(start + 0.2 + 0.02 * own)
        usage = (read, own) if step.kind in _SPEAKS and step.agent in models else None
        if usage != (step.usage and (step.usage.input_tokens, step.usage.output_tokens)):
            yield f"the usage of step {step.index} does not follow from the texts, which give {usage}"
        if abs(step.start - start) > 1e-4 or abs(step.end - ends[-1]) > 1e-4:
            yield f"the times of step {step.index} do not follow from the texts"


def _tokens(step: Step) -> int:
    data = [content.data for content in step.content if content.data is not None]
    written = (json.dumps(item, sort_keys=True, ensure_ascii=False) for item in data)
    return _quarter(len(step.text) + sum(map(len, written)))


def _quarter(characters: int) -> int:
    return (characters + 3) // 4


# -- readers ------------------------------------------------------------------------------------------------------


def _readers(files: Files) -> Iterator[Violation]:
    """A step is visible to whom the tape shows reading it, and beyond that to nobody to whom it is in no clean run."""
    runs = [run for run in files.recorded() if run.tape.run_id in files.trajectories]
    clean = [run for run in runs if not run.ledger.interventions]
    unread = {(step.agent, step.kind, name) for run in clean for step, found in _read(run) for name in found[1]}
    for run in runs:
        for step, (hidden, unfounded) in _read(run):
            beyond = [name for name in unfounded if (step.agent, step.kind, name) not in unread]
            for names, words in ((hidden, "hidden from"), (beyond, "visible without having been read to")):
                if names:
                    named = ", ".join(sorted(names))
                    yield Violation(run.tape.run_id, "wall", f"step {step.index} is {words} {named}")


def _read(run: Recorded) -> Iterator[tuple[Step, tuple[set[str], set[str]]]]:
    """Each step with those who read it and are not named, and those who are named and did not read it."""
    injected = [entry for entry in run.ledger.interventions if entry.target.strategy == "prompt_injection"]
    changes = [change for entry in injected for change in entry.changes if change.after]
    ends = {entry.key.moment: number for number, entry in enumerate(run.tape.entries)}
    inputs: list[tuple[int, str, list[str]]] = []
    for number, entry in enumerate(run.tape.entries):
        if entry.key.kind in ("input", "model"):
            texts = [part.text for part in entry.request]
            for change in changes:
                texts = [text.replace(change.after, change.before) for text in texts]
            inputs.append((number, entry.key.moment.agent, texts))
    said_by = [(_end(ends, step, run), [text for text in passages(step) if text]) for step in run.trajectory.steps]
    for place, step in enumerate(run.trajectory.steps):
        end, said = said_by[place]
        later = [(number, agent, texts) for number, agent, texts in inputs if number >= end and agent != step.agent]
        certain = set()
        for number, agent, texts in later:
            again = {
                text for other, (at, words) in enumerate(said_by) if other != place and at <= number for text in words
            }
            if _stands([text for text in said if text not in again], texts, _LONG):  # else it may be the other's
                certain.add(agent)
        possible = {agent for _, agent, texts in later if _stands(said, texts, 1)}
        named = set(step.visible_to)
        yield step, (certain - named, named - possible - set(step.addressed_to))


def _end(ends: dict[Moment, int], step: Step, run: Recorded) -> int:
    """The number of the last entry of a step's turn on the tape."""
    return ends.get(Moment(agent=step.agent, branch=step.branch, turn=step.turn), len(run.tape.entries))


def _stands(said: list[str], texts: list[str], least: int) -> bool:
    return any(len(passage) >= least and passage in text for passage in said for text in texts)


# -- signs that part clean from faulty runs -----------------------------------------------------------------------


def _sorts(files: Files) -> tuple[list[Trajectory], list[Trajectory]]:
    faulty = {run_id for run_id, labels in files.labels.items() if labels.faults}
    runs = files.trajectories.values()
    return [run for run in runs if run.run_id not in faulty], [run for run in runs if run.run_id in faulty]


def _only_in_faulty(files: Files) -> Iterator[Violation]:
    """Characters that nobody sees, and names of models, are in faulty runs no others than in clean ones."""
    clean, faulty = _sorts(files)
    usual = {sign for run in clean for sign in _unseen(run)}
    models: dict[tuple[str, str], set[str | None]] = {}
    for step in (step for run in clean for step in run.steps):
        models.setdefault((step.agent, step.kind), set()).add(step.model)
    for run in faulty:
        for sign in sorted(set(_unseen(run)) - usual):
            yield Violation(run.run_id, "wall", f"{sign} is in no clean run")
        for step in run.steps:
            if step.model not in models.get((step.agent, step.kind), {step.model}):
                words = f"step {step.index} is of the model {step.model!r}, which {step.agent} has in no clean run"
                yield Violation(run.run_id, "wall", words)


def _parting(files: Files) -> Iterator[Violation]:
    """No sign is borne by nearly all runs of one sort and by none of the other."""
    sorts = [[{sign for look in _LOOKS for sign in look(run)} for run in runs] for runs in _sorts(files)]
    if min(map(len, sorts)) < _MANY:
        return
    for (some, others), name in zip((sorts, sorts[::-1]), ("clean", "faulty"), strict=True):
        for sign in sorted(_all(some) - _all(others)):
            share = sum(sign in signs for signs in some) / len(some)
            if share >= _MOST:
                yield Violation(
                    "trajectories.jsonl", "wall", f"{sign} is in {share:.0%} of {name} runs and in no other"
                )


def _all(signs: list[set[str]]) -> set[str]:
    return {sign for borne in signs for sign in borne}


def _texts(run: Trajectory) -> Iterator[str]:
    yield run.final_output or ""
    for step in run.steps:
        yield step.text
        yield json.dumps([content.data for content in step.content], ensure_ascii=False)


def _unseen(run: Trajectory) -> Iterator[str]:
    for character in sorted({character for text in _texts(run) for character in text} - {" ", "\n"}):
        if unicodedata.category(character)[0] in "CZ":
            yield f"the character U+{ord(character):04X}"


def _characters(run: Trajectory) -> Iterator[str]:
    yield from {f"the character {character!r}" for text in _texts(run) for character in text}


def _edges(run: Trajectory) -> Iterator[str]:
    """White space where nobody looks for it."""
    for text in _texts(run):
        if text != text.strip():
            yield "white space at the edge of a text"
        if "  " in text:
            yield "two spaces together"
        if text != unicodedata.normalize("NFC", text):
            yield "a text that is not composed"


def _figures(run: Trajectory) -> Iterator[str]:
    """What a run fills in, in which steps, and who reads them."""
    for step in run.steps:
        for name in ("call_id", "content", "model", "usage", "parents", "addressed_to", "visible_to"):
            yield f"{'a' if getattr(step, name) else 'no'} {name} in a {step.kind} of {step.agent}"
    yield from (f"{agent.path} is a {agent.kind} with tools {agent.tools}" for agent in run.agents)


_LOOKS: tuple[Callable[[Trajectory], Iterator[str]], ...] = (_characters, _edges, _figures)
