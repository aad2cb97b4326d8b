"""What a mode's predicate is shown of a fault: the target's turn in both runs, what it saw, and what others got."""

from __future__ import annotations

from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.tasks import Task
from aegis_core.faults import Intervention, Moment
from aegis_core.run.tape import TapeEntry
from aegis_core.taxonomy.evidence import TurnContext
from aegis_core.trajectory import Step, StepKind

__all__ = ["turn_context"]

_HANDED_ON: frozenset[StepKind] = frozenset({"message", "handoff", "plan"})


def turn_context(entry: Intervention, task: Task, clean: RunRecord, fault: RunRecord) -> TurnContext:
    """The context of an intervention's turn, from the clean run and the faulty one."""
    moment = entry.target.moment
    role = next((agent.role for agent in fault.trajectory.agents if agent.path == moment.agent), "")
    receivers = dict.fromkeys(seen.moment for seen in entry.observed_by)
    return TurnContext(
        task=task.text,
        agent=moment.agent,
        role=role,
        strategy=entry.target.strategy,
        clean=tuple(step.text for step in _steps(clean, moment)),
        faulty=tuple(step.text for step in _steps(fault, moment)),
        clean_seen=_saw(clean, moment),
        faulty_seen=_saw(fault, moment, entry),
        clean_said=_handed_on(clean, moment),
        faulty_said=_handed_on(fault, moment),
        receivers_seen=tuple(_saw(fault, receiver) for receiver in receivers),
    )


def _steps(run: RunRecord, moment: Moment) -> tuple[Step, ...]:
    return run.trajectory.turn(moment.agent, moment.turn, moment.branch)


def _handed_on(run: RunRecord, moment: Moment) -> tuple[str, ...]:
    """What other agents get of a turn: results of tools and thoughts stay with the agent."""
    return tuple(step.text for step in _steps(run, moment) if step.kind in _HANDED_ON)


def _saw(run: RunRecord, moment: Moment, entry: Intervention | None = None) -> tuple[str, ...]:
    """The texts that went to an agent in a turn: its input, and what its model calls were sent besides.

    Where a request was altered inside the turn, the input's unaltered form of that text never reached the model.
    """
    entries = [e for e in run.tape.entries if e.key.moment == moment and e.key.kind in ("input", "model")]
    texts = list(dict.fromkeys(part.text for e in entries for part in e.request))
    for change in entry.changes if entry is not None and entry.target.strategy == "prompt_injection" else ():
        if change.after in texts and change.before in texts and not _sent_unaltered(entries, change.before):
            texts.remove(change.before)
    return tuple(texts)


def _sent_unaltered(entries: list[TapeEntry], text: str) -> bool:
    return any(e.key.kind == "model" and any(part.text == text for part in e.request) for e in entries)
