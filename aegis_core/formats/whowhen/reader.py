"""Reading Who&When: from a document to a trajectory, and beyond the wall its label and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from aegis_core.errors import StoreError
from aegis_core.faults import Fault, Labels
from aegis_core.format import Format, LabelledRun
from aegis_core.formats.whowhen.documents import Document, documents, files, looks_right
from aegis_core.formats.whowhen.speakers import Subset, Utterance, agent_kind, utterance
from aegis_core.scoring.names import RunNames
from aegis_core.trajectory import Agent, Content, Step, Trajectory

__all__ = ["ORIGIN", "WhoWhen"]

ORIGIN = "whowhen"
"""The origin of its faults: the experts who labelled it."""
_SHORT: dict[Subset, str] = {"algorithm-generated": "ag", "hand-crafted": "hc"}
_KNOWN = {
    *("ground_truth", "is_correct", "is_corrected", "level"),
    *("mistake_agent", "mistake_step", "mistake_reason", "mistake_type", "labels"),
}
"""Fields that stay beyond the wall; others that the source may hold stay there too, and are a doubt."""
_SHOWN = 60
"""How many characters of a wrong value are told."""
_SPELLINGS = {"groundtruth": "ground_truth"}
"""As copies on the Hugging Face hub have it."""


class WhoWhen(Format):
    """Failed runs with one blamed agent and step each. Source: arXiv 2505.00212 and the repository of its authors.

    Every message is a step with the same 0-based index, so `mistake_step` is the step of the fault. Its text is kept
    as it is; the source's `role` is kept in its content. A turn is what one agent says until another speaks. The
    subset is told from the messages: those of the algorithm-generated one have a `name`.

    Labels are kept as written: the agent in the annotator's spelling, the step even where somebody else speaks. Both
    are told in `doubts`. They have no mode. Gold answer, reason and every other field that the trajectory has no place
    for are in `source`.
    """

    name = "whowhen"

    def sniff(self, path: Path) -> bool:
        """Whether a file begins with a run of Who&When, or one of the first few in a folder and in its folders."""
        try:
            return looks_right(path)
        except OSError:
            return False

    def read(self, path: Path, labels: Path | None = None) -> Iterator[LabelledRun]:
        """The runs of a file, or of all JSON files in a folder and below it, in the order of their numbers.

        Run ids are `ag-N` and `hc-N`, where N is the name of the file.

        Raises:
            StoreError: a file is no run of Who&When, its step is not one, or two files give the same run id; the
                message names file and place. `labels` was given.
        """
        if labels is not None:
            raise StoreError(
                f"{labels} was not read: in Who&When the labels stand in the files of the runs; leave it out"
            )
        return _read(path)


def _read(path: Path) -> Iterator[LabelledRun]:
    seen: dict[str, str] = {}
    for file in files(path):
        for document in documents(file):
            run = _run(document)
            run_id = run.trajectory.run_id
            if run_id in seen:
                raise StoreError(
                    f"{document.where}: gives the same run id, {run_id!r}, as {seen[run_id]}; read the two apart, or "
                    "rename one"
                )
            seen[run_id] = document.where
            yield run


def _run(document: Document) -> LabelledRun:
    entry = document.entry
    subset = _subset(document)
    said = [utterance(item) for item in entry.history]
    run_id = f"{_SHORT[subset]}-{document.name}"
    trajectory = Trajectory(
        run_id=run_id,
        task=entry.question,
        agents=_agents(said, entry.system_prompt or {}),
        steps=_steps(document, said),
        system=f"who-and-when/{subset}",
    )
    group = entry.question_ID or entry.question
    source = {_SPELLINGS.get(key, key): value for key, value in _beyond(document).items()}
    fault = _fault(document)
    return LabelledRun(
        trajectory,
        (Labels(run_id=run_id, case_id=group, faults=(fault,)),) if fault is not None else (),
        doubts=(*_doubts_of_the_run(document, said, source), *_doubts_of_the_label(document, trajectory, fault)),
        group=group,
        source=source,
    )


def _subset(document: Document) -> Subset:
    named = [bool(item.speaker) for item in document.entry.history]
    if any(named) and not all(named):
        odd = named.index(not named[0])
        raise StoreError(
            f"{document.where}: history[{odd}] has {'a' if named[odd] else 'no'} name, unlike those before it; either "
            "all messages have one (algorithm-generated) or none (hand-crafted)"
        )
    return "algorithm-generated" if named[0] else "hand-crafted"


def _agents(said: list[Utterance], prompts: dict[str, str]) -> tuple[Agent, ...]:
    """Who speaks or is spoken to, in that order; then those who have a system prompt and never spoke."""
    names = dict.fromkeys(name for one in said for name in (one.agent, one.recipient) if name)
    managers = {one.agent for one in said if one.is_routing}
    return tuple(
        Agent(path=name, kind=agent_kind(name, is_routing=name in managers), role=prompts.get(name, ""))
        for name in (names | dict.fromkeys(filter(None, prompts)))
    )


def _steps(document: Document, said: list[Utterance]) -> tuple[Step, ...]:
    steps = []
    turns: dict[str, int] = {}
    for index, (item, one) in enumerate(zip(document.entry.history, said, strict=True)):
        if not index or said[index - 1].agent != one.agent:
            turns[one.agent] = turns.get(one.agent, 0) + 1
        steps.append(
            Step(
                index=index,
                agent=one.agent,
                kind=one.kind,
                text=item.content,
                turn=turns[one.agent],
                content=(Content(type="json", data={"role": item.role}),),
                addressed_to=(one.recipient,) if one.recipient else (),
            )
        )
    return tuple(steps)


def _beyond(document: Document) -> dict[str, JsonValue]:
    """Everything that has no place in the trajectory."""
    entry = document.entry
    label = {"mistake_agent": entry.mistake_agent, "mistake_step": entry.mistake_step}
    return {key: value for key, value in {**label, **(entry.model_extra or {})}.items() if value is not None}


def _fault(document: Document) -> Fault | None:
    """The label, or None where the run has none. A step without an agent is no label, but a doubt."""
    step = _step(document)
    agent = document.entry.mistake_agent
    return Fault(agent=agent, step=step, origin=ORIGIN) if agent and agent.strip() else None


def _step(document: Document) -> int | None:
    written, length = document.entry.mistake_step, len(document.entry.history)
    if written is None or written == "":
        return None
    is_step = isinstance(written, str) and written.isascii() and written.isdecimal()
    digits = str(written).lstrip("0") or "0"
    if not is_step or len(digits) > len(str(length)) or int(digits) >= length:
        raise StoreError(
            f"{document.where}, field mistake_step: {_cut(repr(written))} is no step of this run; a text of digits "
            f"from '0' to '{length - 1}' is needed, the index into history. Compare with the source"
        )
    return int(digits)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _doubts_of_the_run(document: Document, said: list[Utterance], source: dict[str, JsonValue]) -> Iterator[str]:
    entry = document.entry
    if document.is_mended:
        yield "text: halves of surrogate pairs were replaced by U+FFFD"
    if not entry.question_ID:
        yield "question_ID: is missing, so the question itself stands for it"
    if unknown := sorted(set(source) - _KNOWN):
        yield f"fields: {', '.join(unknown)} are none of Who&When; they were kept beyond the wall"
    if unknown := sorted({key for item in entry.history for key in item.model_extra or {}}):
        yield f"history: its messages have fields {', '.join(unknown)}, which were left out"
    if unknown := sorted({one.note for one in said if one.note}):
        yield f"routing: {', '.join(map(repr, unknown))} in brackets is not known; read as a plain message"
    first = said[0]
    if first.agent == "human" and entry.history[0].content.split() != entry.question.split():
        yield "question: differs from the first message, which the human speaks, in more than white space"


def _doubts_of_the_label(document: Document, trajectory: Trajectory, fault: Fault | None) -> Iterator[str]:
    if fault is None:
        if document.entry.mistake_step not in {None, ""}:
            yield f"label: step {document.entry.mistake_step} is blamed, but no agent, so the run counts as unlabelled"
        return
    if fault.step is None:
        yield f"label: {fault.agent!r} is blamed, but at no step"
    names = RunNames(agent.path for agent in trajectory.agents)
    agent = names.agent(fault.agent)
    if agent is None:
        known = ", ".join(one.path for one in trajectory.agents)
        yield f"label: {fault.agent!r} is blamed, who is not in the run; known: {known}"
    elif agent != fault.agent:
        yield f"label: {fault.agent!r} is blamed, who is spelled {agent!r} in the run"
    speaker = None if fault.step is None else trajectory.steps[fault.step].agent
    if speaker is not None and speaker != agent:
        yield f"label: {fault.agent!r} is blamed, but {speaker!r} speaks at step {fault.step}"
