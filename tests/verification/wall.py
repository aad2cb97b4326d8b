"""Nothing in `trajectories.jsonl` may tell a faulty run from a clean one, or where the fault is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aegis_core.dataset import layout
from aegis_core.faults import Moment
from tests.verification.material import Claim, Files, Recorded, Violation

__all__ = ["wall_doubts"]

_Line = dict[str, Any]  # one trajectory as it stands in the file


def wall_doubts(files: Files) -> Iterator[Violation]:
    """What an observer could go by, looking at the file alone or, for the last one, at one run alone."""
    path = files.dataset.path / layout.TRAJECTORIES.name
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    odd = list(_forms(lines))
    yield from odd
    if odd:
        return  # what follows reads those fields
    yield from _ids(lines)
    yield from _names(lines, files.run_ids())
    yield from _clock(lines)
    faulty = {run_id for run_id, labels in files.labels.items() if labels.faults}
    yield from _absences(lines, faulty)
    for claim in files.claims():
        yield from _twins(claim)
        yield from _hidden_readers(claim)


# -- the form of the records --------------------------------------------------------------------------------------


def _forms(lines: list[_Line]) -> Iterator[Violation]:
    """Every record has the same fields in the same order."""
    expected: dict[str, tuple[str, ...]] = {}
    for line in lines:
        for place, fields in _fields(line):
            if expected.setdefault(place, fields) != fields:
                odd = ", ".join(sorted(set(expected[place]) ^ set(fields))) or "another order"
                yield Violation(str(line["run_id"]), "wall", f"the fields of {place} are not those of others: {odd}")


def _fields(line: _Line) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "the trajectory", tuple(line)
    for name in ("agents", "steps"):
        for item in line[name]:
            yield f"an item of {name}", tuple(item)
    for step in line["steps"]:
        if step["usage"] is not None:
            yield "usage", tuple(step["usage"])
        for content in step["content"]:
            yield "an item of content", tuple(content)


def _ids(lines: list[_Line]) -> Iterator[Violation]:
    """Ids have one look: digits for digits, letters for letters, of one length (but for the number of a call)."""
    looks: dict[str, str] = {}
    for line in lines:
        ids = [("run", line["run_id"]), *(("call", step["call_id"]) for step in line["steps"] if step["call_id"])]
        for kind, value in ids:
            look = re.sub(r"[0-9]+", "0", value) if kind == "call" else re.sub(r"[0-9a-f]", "0", value)
            if looks.setdefault(kind, look) != look:
                yield Violation(line["run_id"], "wall", f"the {kind} id {value!r} does not look like those of others")


def _names(lines: list[_Line], run_ids: frozenset[str]) -> Iterator[Violation]:
    """No run is named anywhere but in the field for it."""
    for line in lines:
        rest = json.dumps({name: value for name, value in line.items() if name != "run_id"}, ensure_ascii=False)
        for run_id in sorted(run_ids):
            if run_id in rest:
                yield Violation(line["run_id"], "wall", f"the id of run {run_id} stands in the trajectory")


# -- what is derived ----------------------------------------------------------------------------------------------


def _clock(lines: list[_Line]) -> Iterator[Violation]:
    """Times and tokens follow from texts alone, by one rule for all runs."""
    lasting: dict[str, tuple[float, object]] = {}
    for line in lines:
        steps = line["steps"]
        for step in steps:
            sources = step["parents"] or ([step["index"] - 1] if step["index"] else [])
            if step["start"] != max((steps[source]["end"] for source in sources), default=0.0):
                yield Violation(line["run_id"], "wall", f"step {step['index']} does not begin when its sources end")
            tokens = step["usage"] and step["usage"]["output_tokens"]
            took = (round(step["end"] - step["start"], 6), tokens)
            text = json.dumps([step["agent"], step["kind"], step["text"], step["content"]])
            if lasting.setdefault(text, took) != took:
                words = f"step {step['index']} has another length or usage than an equal one in another run"
                yield Violation(line["run_id"], "wall", words)


def _absences(lines: list[_Line], faulty: set[str]) -> Iterator[Violation]:
    """What a kind of step leaves out in faulty runs it leaves out in some clean run too, if that has such a step."""
    in_clean: dict[tuple[str, str], set[tuple[bool, ...]]] = {}
    for line in lines:
        for step in line["steps"] if line["run_id"] not in faulty else ():
            in_clean.setdefault((step["agent"], step["kind"]), set()).add(_filled(step))
    for line in lines:
        for step in line["steps"] if line["run_id"] in faulty else ():
            known = in_clean.get((step["agent"], step["kind"]))
            if known and _filled(step) not in known:
                words = f"step {step['index']} fills in other fields than such a step of {step['agent']} ever does"
                yield Violation(line["run_id"], "wall", words)


def _filled(step: Mapping[str, Any]) -> tuple[bool, ...]:
    return tuple(bool(step[name]) for name in ("model", "usage", "call_id", "content"))


# -- against the clean twin ---------------------------------------------------------------------------------------


def _twins(claim: Claim) -> Iterator[Violation]:
    """A faulty run, and each run of its proof, is described as the clean twin is."""
    right = claim.clean.trajectory
    for run_id, run in claim.runs.items():
        for name in ("task", "agents", "system", "adapter", "schema_version"):
            if getattr(run.trajectory, name) != getattr(right, name):
                yield Violation(claim.run_id, "wall", f"the {name} of run {run_id} is not that of its clean twin")
    if right.task != claim.task.text:
        yield Violation(claim.run_id, "wall", "its task is not the text of the task")


def _hidden_readers(claim: Claim) -> Iterator[Violation]:
    """An edit of an input must not take the step that it was made from out of its readers' sight.

    A reader that was given the altered text was given the step, as far as the trajectory may know.
    """
    run = claim.faulty
    edits = [
        (change.before, change.after)
        for entry in run.ledger.interventions
        if entry.target.strategy == "prompt_injection"
        for change in entry.changes
    ]
    for step in run.trajectory.steps:
        hidden = {after for before, after in edits if step.text and step.text in before and step.text not in after}
        for moment in sorted(_readers(run, hidden), key=str) if hidden else ():
            if moment.agent == step.agent:
                continue
            turn = run.turn(moment)
            if moment.agent not in step.visible_to:
                words = f"step {step.index} is not visible to {moment} only because it was altered for that turn"
                yield Violation(claim.run_id, "wall", words)
            if turn and all(step.index not in later.parents for later in turn):
                words = f"{moment} does not follow from step {step.index} only because that was altered for it"
                yield Violation(claim.run_id, "wall", words)


def _readers(run: Recorded, altered: set[str]) -> set[Moment]:
    """The turns that were given an altered text."""
    return {
        entry.key.moment
        for entry in run.tape.entries
        if entry.key.kind == "input"
        for part in entry.request
        if part.text in altered
    }
