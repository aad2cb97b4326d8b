"""One run's attribution: who is suspected, what they said there, and why. Never a label."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from aegis_core.attribution import Attribution
from aegis_core.records import Record
from aegis_core.report.excerpts import one_line
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.runs import is_environment
from aegis_core.taxonomy import ErrorMode
from aegis_core.trajectory import Trajectory

__all__ = ["Finding", "Suspect", "attribution_text", "finding"]

SHOWN = 5
"""How many suspects are told in words where nobody says it."""
_WIDTH = 110
_SAID = 300


class Suspect(Record):
    """A blame with what there is to know of it.

    `rank` counts from 1, the surest first. `is_stranger`: the run has no such agent, however it is spelt.
    `no_such_step`: nor such a step. `mode_name` is None without a mode, or for one that no taxonomy knows.
    `said` is the text of the step, None where no step of the run is named; a long one is cut.
    """

    rank: int
    agent: str
    step: int | None
    mode: str | None
    mode_name: str | None
    confidence: float
    said: str | None
    evidence: str
    is_stranger: bool = False
    no_such_step: bool = False


class Finding(Record):
    """What an attributor found in one run: suspects, an abstention with its reason, or why it could not judge."""

    run_id: str
    task: str
    attributor: str
    suspects: tuple[Suspect, ...] = ()
    abstained: str = ""
    not_judged: str = ""
    doubts: tuple[str, ...] = ()
    """What the reader doubts about the run; never about its label."""


def finding(
    run: Trajectory, name: str, answer: Attribution | None, modes: Mapping[str, ErrorMode], *, not_judged: str = ""
) -> Finding:
    """Put an answer together with the run that it is about.

    Args:
        run: the run that was judged.
        name: of the attributor.
        answer: its answer; None with the reason in `not_judged`.
        modes: all that are known, by id.
        not_judged: why there is no answer.
    """
    suspects = []
    names = RunNames(agent.path for agent in run.agents)
    for rank, blame in enumerate(answer.blames if answer is not None and not answer.abstained else (), 1):
        mode = modes.get(blame.mode or "")
        has_step = blame.step is not None and blame.step < len(run.steps)
        suspects.append(
            Suspect(
                rank=rank,
                agent=blame.agent,
                step=blame.step,
                mode=blame.mode,
                mode_name=mode.name if mode is not None else None,
                confidence=blame.confidence,
                said=one_line(run.steps[blame.step].text, _SAID) if has_step and blame.step is not None else None,
                evidence=blame.evidence,
                is_stranger=not is_environment(blame) and names.agent(blame.agent) is None,
                no_such_step=blame.step is not None and not has_step,
            )
        )
    return Finding(
        run_id=run.run_id,
        task=run.task,
        attributor=name,
        suspects=tuple(suspects),
        abstained=answer.abstained if answer is not None else "",
        not_judged=not_judged,
    )


def attribution_text(found: Finding, top: int = SHOWN) -> Iterator[str]:
    """The finding in lines: the task, then each suspect with agent, step, mode and confidence, its words, the evidence.

    Args:
        found: what was found in one run.
        top: how many suspects are told; the others are counted.
    """
    yield f"Run {found.run_id}, judged by {found.attributor}"
    yield f"  task: {one_line(found.task)}"
    if found.not_judged:
        yield f"  could not be judged: {found.not_judged}"
    elif found.abstained:
        yield f"  no answer: {found.abstained}"
    elif not found.suspects:
        yield "  blames nobody"
    yield from (f"  doubtful: {doubt}" for doubt in found.doubts)
    for suspect in found.suspects[:top]:
        yield ""
        yield from _suspect(suspect)
    if len(found.suspects) > top:
        yield ""
        yield f"  and {len(found.suspects) - top} more (--top N tells N of them)"


def _suspect(suspect: Suspect) -> Iterator[str]:
    where = "no step named" if suspect.step is None else f"step {suspect.step}"
    who = f"{suspect.agent} (not an agent of this run)" if suspect.is_stranger else suspect.agent
    yield f"  {suspect.rank}. {who}, {where}, confidence {suspect.confidence:.2f}"
    if suspect.mode is not None:
        yield f"     {suspect.mode}  {suspect.mode_name or '(a mode that no installed taxonomy knows)'}"
    if suspect.said is not None:
        yield from _indented(f"said: {suspect.said or '(nothing)'}")
    elif suspect.no_such_step:
        yield "     the run has no such step"
    if suspect.evidence:
        yield from _indented(f"why: {suspect.evidence}")


def _indented(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines()):
        yield from textwrap.wrap(
            line, _WIDTH, initial_indent="     " if not number else "       ", subsequent_indent="       ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
