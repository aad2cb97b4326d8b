"""Starting a run in the middle by LangGraph's own checkpoints. Opt-in: campaigns serve runs from their tapes.

    graph.invoke(given, config, durability="sync")            # with a checkpointer, every step is kept
    made = fork(graph, config, "Reader", lambda text: text.replace("42", "24"))
    made.observed_by                                          # who was shown the altered text: () proves nothing

The branch goes into a thread of its own, so the recorded one stays as it is. What checkpoints can't do is refused
(`ForkRefused`), and a branch in which nobody was shown the altered text has not carried it out; `fork_or_replay` then
serves the run from its tape instead. Time travel undoes nothing that tools did to the world.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

from aegis_core.errors import AdapterError
from aegis_core.faults import Moment, Plan, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape
from aegis_core.trajectory import Trajectory
from aegis_langgraph import _compat
from aegis_langgraph.adapter import LangGraphAdapter
from aegis_langgraph.names import Shape, survey
from aegis_langgraph.texts.state import Naming, Text, texts_of, write

__all__ = ["ForkRefused", "Forked", "fork", "fork_or_replay"]

Change = Callable[[str], str]
Config = Mapping[str, Any]


class ForkRefused(AdapterError):
    """Checkpoints can't start this run there; the message says why, and what can."""


@dataclass(frozen=True)
class Forked:
    """A branch of a run, from the altered text on.

    `trajectory` holds what ran in it (of a replay: the whole run); `observed_by` are the turns in which the altered
    text was shown to an agent. `reason` says why it was not made by checkpoints, where `by` is `replay`.
    """

    result: Any  # what the graph returned
    config: Config
    trajectory: Trajectory
    observed_by: tuple[Moment, ...]
    by: Literal["fork", "replay"] = "fork"
    reason: str = ""


def fork(
    graph: Any,
    config: Config,
    agent: str,
    change: Change,
    *,
    turn: int = 1,
    redirect: str | None = None,
    thread_id: str | None = None,
) -> Forked:
    """Go on from the end of an agent's turn with the last text that it wrote altered.

    Args:
        graph: compiled with a checkpointer.
        config: of the recorded thread; every step of it has to be there (`durability="sync"`).
        agent: path of the agent, which is a node of the graph itself.
        change: makes the altered text.
        turn: which of its turns, from 1.
        redirect: path of the agent that acts next, instead of who did.
        thread_id: of the new thread; drawn by default.

    Raises:
        ForkRefused: checkpoints can't do it.
    """
    shape = _node(graph, agent)
    before, after = _snapshots(graph, config, shape.node, turn)
    written = next(task.result for task in before.tasks if task.name == shape.node)
    update, new = _altered(graph, written, after.values, change)
    goto = [_node(graph, redirect).node] if redirect is not None else []
    thread = {"configurable": {"thread_id": thread_id or uuid.uuid4().hex}}
    branch = _branched(graph, _copied(graph, after.config, thread), shape.node, update, after.next, goto)
    adapter = LangGraphAdapter()
    run = Run(_info(graph, adapter), normalise=adapter.normalise)
    with adapter.attach(graph, run) as attachment:
        result = attachment.app.invoke(None, branch)
    return Forked(result, thread, run.trajectory(), _shown(run.tape(), new))


def fork_or_replay(
    graph: Any,
    config: Config,
    agent: str,
    change: Change,
    *,
    tape: Tape,
    given: Any,
    turn: int = 1,
) -> Forked:
    """`fork`, or, if that is refused or nobody was shown the altered text, the run served from its tape.

    Args:
        graph, config, agent, change, turn: as for `fork`.
        tape: of the recorded run.
        given: what the graph was invoked with.
    """
    try:
        made = fork(graph, config, agent, change, turn=turn)
        reason = "" if made.observed_by else f"after the fork nobody was shown the altered text of {agent}"
    except ForkRefused as refused:
        reason = str(refused)
    else:
        if not reason:
            return made
    return _replayed(graph, agent, change, tape, given, turn, reason)


def _node(graph: Any, agent: str) -> Shape:
    """The node of the graph itself at which an agent acts."""
    layout = survey(graph)
    if layout.root is None or not _compat.keeps_steps(graph):
        raise ForkRefused(f"graph {graph.name!r} has no checkpointer; serve the run from its tape instead")
    if delta := [name for shape in layout.root.walk() for name in _compat.delta_channels(shape.graph)]:
        raise ForkRefused(
            f"the state has delta channels ({', '.join(sorted({*delta}))}), which leak from one branch into another "
            "(langgraph #8443, #8551); serve the run from its tape instead"
        )
    found = next((shape for shape in layout.acting() if shape.path == agent), None)
    if found is None:
        known = ", ".join(shape.path for shape in layout.acting())
        raise ForkRefused(f"graph {graph.name!r} has no agent {agent!r}; its agents: {known}")
    if len(found.names) > 1:
        raise ForkRefused(
            f"{agent} acts inside a subgraph, which a fork would start anew, without the alteration "
            "(langgraph #8458); serve the run from its tape instead"
        )
    if not found.names:
        raise ForkRefused(f"{agent} is the whole graph, so nobody acts after it")
    return found


def _snapshots(graph: Any, config: Config, node: str, turn: int) -> tuple[Any, Any]:
    """The states before and after an agent's turn."""
    history = list(graph.get_state_history(config))
    children = {_id(item.parent_config): item for item in history if item.parent_config is not None}
    acted = [item for item in reversed(history) if any(task.name == node and task.result for task in item.tasks)]
    if len(acted) < turn or _id(acted[turn - 1].config) not in children:
        raise ForkRefused(
            f"there is no checkpoint after turn {turn} of node {node!r}, of which {len(acted)} turns were kept; record "
            'the thread with durability="sync", since "exit" keeps the last state only'
        )
    before = acted[turn - 1]
    if sum(task.name == node for task in before.tasks) > 1:
        raise ForkRefused(f"node {node!r} was sent several tasks at once, which a fork can't tell apart")
    return before, children[_id(before.config)]


def _id(config: Config) -> Any:
    return config["configurable"]["checkpoint_id"]


def _altered(graph: Any, written: Any, state: Any, change: Change) -> tuple[dict[str, Any], str]:
    """What replaces, in the state, the last text that a node wrote; and the altered text."""
    found = [text for text in texts_of(written, Naming()) if _is_said(text)]
    if not found:
        raise ForkRefused("the turn wrote no text that could be altered")
    last = found[-1]
    new = change(last.part.text)
    if new == last.part.text:
        raise ForkRefused("the text was not changed")
    kind = _compat.state_fields(graph).get(last.key)
    if kind == "last":
        return {last.key: write(written, {last.part.id: new})[last.key]}, new
    stands = [  # with the id that it has in the state; an update may come without
        text
        for text in texts_of(state, Naming())
        if last.message is not None and text.message_id and (text.key, text.part.text) == (last.key, last.part.text)
    ]
    if kind != "messages" or not stands:
        raise ForkRefused(f"what is written to {last.key!r} is added there, and replaces nothing")
    changed = write(state, {stands[-1].part.id: new})[last.key]
    return {last.key: [message for message in changed if message.id == stands[-1].message_id]}, new


def _is_said(text: Text) -> bool:
    made_up = text.message is not None and _compat.is_hand_back(text.message)
    return bool(text.part.text.strip()) and text.part.kind == "message" and not made_up


def _copied(graph: Any, config: Config, thread: Config) -> Config:
    """The same checkpoint as the first of another thread."""
    saver = graph.checkpointer
    found = saver.get_tuple(config)
    checkpoint = copy(found.checkpoint)
    place = {"configurable": {**thread["configurable"], "checkpoint_ns": ""}}
    return saver.put(place, checkpoint, found.metadata, checkpoint["channel_versions"])  # type: ignore[no-any-return]


def _branched(
    graph: Any, config: Config, node: str, update: dict[str, Any], followed: tuple[str, ...], goto: list[str]
) -> Config:
    """Where to go on with the altered state."""
    if not followed:
        raise ForkRefused(f"nobody acted after node {node!r}")
    branch = graph.update_state(config, update, as_node=node) if not goto else None
    if branch is None or graph.get_state(branch).next == ():  # it handed over by a command, which goes with the update
        branch = graph.update_state(config, _compat.commanded(update, goto or list(followed)), as_node=node)
    if graph.get_state(branch).next == ():
        raise ForkRefused(f"after the fork nothing would run, where {', '.join(followed)} did")
    return branch  # type: ignore[no-any-return]


def _shown(tape: Tape, text: str) -> tuple[Moment, ...]:
    moments = (
        entry.key.moment
        for entry in tape.entries
        if entry.key.kind in ("input", "model") and any(text in part.text for part in entry.request)
    )
    return tuple(dict.fromkeys(moments))


def _info(graph: Any, adapter: LangGraphAdapter) -> RunInfo:
    return RunInfo(run_id=uuid.uuid4().hex, adapter=adapter.name, agents=adapter.agents(graph))


class _Changing(Injector):
    """Alters the last text of a turn."""

    name = "change"

    def __init__(self, change: Change) -> None:
        self._change = change

    def realisations(self) -> tuple[Realisation, ...]:
        """None that a campaign could choose."""
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:  # noqa: ARG002
        """The edits, or why there are none."""
        found = [part for part in context.parts if part.editable and part.text.strip()]
        if not found:
            return Refused("the turn wrote no text that could be altered")
        return Edits(texts={found[-1].id: self._change(found[-1].text)}, realisation=self.name)


def _replayed(graph: Any, agent: str, change: Change, tape: Tape, given: Any, turn: int, reason: str) -> Forked:
    adapter = LangGraphAdapter()
    moment = Moment(agent=agent, turn=turn)
    target = Target(moment=moment, mode="FM-2.6", strategy="response_corruption", scope="belief")
    interventions = Interventions(Plan(targets=(target,), seed=0), _Changing(change))
    run = Run(
        _info(graph, adapter),
        replay=Replay(tape, (target,), "node"),
        interventions=interventions,
        normalise=adapter.normalise,
    )
    thread = {"configurable": {"thread_id": uuid.uuid4().hex}}
    with adapter.attach(graph, run) as attachment:
        result = attachment.app.invoke(given, thread)
    (entry,) = interventions.ledger()
    if not entry.fired:
        raise ForkRefused(f"{reason}; and from the tape: {entry.reason}")
    shown = _shown(run.tape(), entry.changes[-1].after)
    others = tuple(seen for seen in shown if seen != moment)
    return Forked(result, thread, run.trajectory(), others, "replay", reason)
