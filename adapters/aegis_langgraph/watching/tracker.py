"""All turns of one run: which are open, what failed in them, and what others see altered of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey, after
from aegis_core.trajectory import Usage
from aegis_langgraph import _compat
from aegis_langgraph.names import Layout, Shape
from aegis_langgraph.texts.codec import MessageIds
from aegis_langgraph.texts.messages import plain
from aegis_langgraph.texts.state import Naming, Text
from aegis_langgraph.watching.frames import INVOCATION, Frame, Frames
from aegis_langgraph.watching.provenance import Provenance

__all__ = ["Asked", "Asking", "Edit", "Tracker", "TurnState"]


@dataclass(frozen=True)
class Edit:
    """A text that was altered: to be found by the id of its message, else by its place and wording."""

    text: Text
    before: str
    after: str

    def turned(self) -> Edit:
        """The same text with the sides exchanged: the agent sees as `before` what stands in the state as `after`."""
        return Edit(self.text, self.after, self.before)

    def applied(self, text: Text, old: str, new: str) -> str | None:
        """What `text` has to be, if it is the one that was altered and reads `old`; None if not."""
        if self.text.message_id is not None or text.message_id is not None:
            same = self.text.message_id == text.message_id and text.part.text == old
            return new if same else None
        if self.text.key != text.key or not old or (old in new and new in text.part.text):  # it is altered already
            return None
        return text.part.text.replace(old, new) if old in text.part.text else None


@dataclass
class Asked:
    """A tool call that a model asked for and that was not carried out yet."""

    name: str
    text: str
    args: Any
    order: OrderKey
    nth: int
    first: bool
    usage: Usage | None = None
    """Of the call of the model that asked for it, where it said nothing else."""

    def part(self, call_id: str) -> Part:
        """The call as a step."""
        data = {"name": self.name, "args": self.args}
        return Part(id="call", text=self.text, kind="tool_call", call_id=call_id, data=data)


@dataclass(frozen=True)
class Asking:
    """An interrupt: who waits, and the order key of the step that tells of it."""

    path: str
    order: OrderKey


@dataclass(eq=False)
class TurnState:
    """One turn, over all executions of nodes that belong to it."""

    key: str
    path: str
    turn: Turn | None = None
    seen: tuple[Text, ...] = ()
    known: tuple[Text, ...] = ()
    """What stood in the state when the turn began, as the agent sees it and as the others do."""
    edits: tuple[Edit, ...] = ()
    """What was altered of the state that the agent gets."""
    told: list[Edit] = field(default_factory=list)
    """What was altered of what its model is shown."""
    attempts: dict[str, int] = field(default_factory=dict)
    calls: dict[str, Asked] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    """The place of each tool call among those of its message, by its id."""
    delivered: set[str] = field(default_factory=set)
    ids: MessageIds = field(default_factory=MessageIds)
    failure: tuple[BaseException, OrderKey] | None = None
    interrupts: dict[str, Asking] = field(default_factory=dict)
    """By their ids, which are the same for all that one task asks."""
    replied: set[str] = field(default_factory=set)
    """Ids of those that were answered."""
    waiting: bool = False
    """Whether an interrupt was the last that happened."""
    model: str | None = None
    usage: Usage | None = None
    """Of the calls of models that no step tells of so far."""

    def used(self, usage: Usage | None) -> None:
        """A model told of its tokens; the next step that is told takes them along."""
        if usage is not None:
            before = self.usage or Usage(input_tokens=0, output_tokens=0)
            self.usage = Usage(
                input_tokens=before.input_tokens + usage.input_tokens,
                output_tokens=before.output_tokens + usage.output_tokens,
            )

    def spent(self) -> Usage | None:
        """What is to be told with the step that comes now."""
        usage, self.usage = self.usage, None
        return usage

    def asking(self, key: str | None) -> list[Asking]:
        """The interrupts that have no answer yet: the one of this id; None: all."""
        return [asking for name, asking in self.interrupts.items() if name not in self.replied and key in (None, name)]

    @property
    def open(self) -> bool:
        """Whether the turn has begun and not ended."""
        return self.turn is not None and not self.turn.ended

    def was_asked(self, call_id: str | None) -> bool:
        """Whether a message that the agent saw asks for this tool call, so that it is told already."""
        return any(
            text.part.kind == "tool_call" and text.part.call_id == call_id for text in self.seen if call_id is not None
        )


class Tracker:
    """All turns of one run."""

    def __init__(self, run: Run, layout: Layout, app: Any = None, *, altering: bool) -> None:
        self.run = run
        self.layout = layout
        self.altering = altering
        self.frames = Frames(layout, app)
        self.naming = Naming(layout.authors(), layout.nodes())
        self.provenance = Provenance()
        self._states: dict[str, TurnState] = {}
        self._kept: dict[str, list[Edit]] = {}
        self._lock = RLock()

    def entered(self, frame: Frame) -> TurnState | None:
        """A node is about to run: the turn that it belongs to, begun or not; None if it is no part of one."""
        if frame.role not in ("leaf", "tools", "model", "inner"):
            return None
        with self._lock:
            state = self._states.get(frame.turn_key) or self._resumed(frame)
            ended = state is not None and state.turn is not None and state.turn.ended
            if state is None or (ended and frame.role in ("leaf", "model")):
                state = self._states[frame.turn_key] = TurnState(frame.turn_key, frame.path)
            state.attempts[frame.namespace] = state.attempts.get(frame.namespace, 0) + 1
            state.failure = None
            state.waiting = False
            return state

    def _resumed(self, frame: Frame) -> TurnState | None:
        """The turn of a loop at the root that was interrupted in an earlier invocation and goes on in this one."""
        if not frame.turn_key.startswith(INVOCATION):
            return None
        for key, state in reversed(list(self._states.items())):
            if key.startswith(INVOCATION) and state.path == frame.path and state.interrupts and state.open:
                self._states[frame.turn_key] = self._states.pop(key)
                state.key = frame.turn_key
                return state
        return None

    def is_empty(self) -> bool:
        """Whether no turn is held that has begun and not ended."""
        return not self._states

    def state_of(self, frame: Frame | None) -> TurnState | None:
        """The open turn around a frame, if there is one."""
        while frame is not None:
            state = self._states.get(frame.turn_key) if frame.turn_key else None
            if state is not None and state.turn is not None:
                return state
            frame = frame.parent
        return None

    def left(self, frame: Frame) -> None:
        """A task has ended well: its turn is over, if it was not said to be."""
        is_loop = frame.role in ("agent", "invocation", "chain")
        key = f"{frame.turn_key}|{frame.serial}" if frame.role == "chain" else frame.turn_key
        state = self._states.get(key)
        if state is None or not (is_loop or frame.namespace == frame.turn_key):
            return
        if is_loop and state.open and not state.waiting and state.turn is not None:
            self.run.end_turn(state.turn, (), model=state.model, usage=state.spent(), scopes=())
        if not state.open:
            self._states.pop(key, None)

    def interrupted(self, frame: Frame, key: str, value: Any) -> None:
        """A task waits for an answer from outside. It will run again from its top, and still be the same turn."""
        state = self.state_of(frame)
        if state is None or state.turn is None or state.asking(key):
            return
        state.replied.discard(key)
        state.waiting = True
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        part = Part(id=key, text=text, kind="system", data={"interrupt": plain(value)})
        order = frame.order if frame.task.in_loop else state.turn.order  # it may have begun in an earlier call
        order = after(order) if frame.met else order  # what happened inside so far came before
        self.run.recorder.part_step(state.path, part, moment=state.turn.moment, order=order)
        state.interrupts[key] = Asking(state.path, order)

    def broken_off(self, invocation: Frame) -> None:
        """The invocation was left before its end: what its models had asked for, and got no answer to, is told."""
        first = invocation.order[:1]
        with self._lock:
            states = list(self._states.values())
        for state in states:
            asked = next(iter(state.calls.values()), None)
            if state.open and not state.waiting and asked is not None and asked.order[:1] == first:
                self._tell_calls(state)

    def _tell_calls(self, state: TurnState) -> None:
        """Tell what a model has asked for and got no answer to."""
        calls = list(state.calls.items())
        state.calls.clear()
        for call_id, call in calls if state.turn is not None else ():
            self.told(state, call.part(call_id), call.order, call.usage)

    def told(
        self, state: TurnState, part: Part, order: OrderKey, usage: Usage | None = None, text: Text | None = None
    ) -> None:
        """Record a step inside a turn, which may be the text of a message."""
        turn = state.turn
        if turn is None:
            return
        number = self.run.recorder.part_step(
            turn.moment.agent, part, moment=turn.moment, order=order, parents=turn.parents, usage=usage
        )
        if text is not None:
            self.provenance.told(text, number)
        elif part.kind == "tool_call":
            self.provenance.called(part.call_id, number)

    def waiting_for(self, key: str | None) -> tuple[Asking, ...]:
        """What waits for an answer from outside: the interrupt of this id; None: all."""
        with self._lock:
            waiting = [state for state in self._states.values() if state.waiting]
        return tuple(asking for state in waiting for asking in state.asking(key))

    def replied(self, key: str | None) -> None:
        """What waits has got its answer."""
        with self._lock:
            waiting = [state for state in self._states.values() if state.waiting and state.asking(key)]
        for state in waiting:
            state.replied |= {key} if key is not None else state.interrupts.keys()

    def waits(self) -> bool:
        """Whether a task waits for an answer from outside, so that the run has not ended."""
        with self._lock:
            return any(state.waiting for state in self._states.values())

    def failed(self, frame: Frame, error: BaseException) -> None:
        """A task raised. The framework may try it again, so this is kept until the exception leaves the graph."""
        state = self._states.get(frame.turn_key)
        if state is not None and state.failure is None:
            state.failure = (error, frame.order)

    def surfaced(self, error: BaseException) -> None:
        """An exception left a graph: the turn in which it was raised failed with it."""
        with self._lock:
            failed = [state for state in self._states.values() if state.failure and state.failure[0] is error]
        for state in failed:
            self._give_up(state)

    def give_up(self, invocation: Frame) -> None:
        """The invocation is over: what failed in it and was not tried again has failed for good."""
        first = invocation.order[:1]
        with self._lock:
            failed = [state for state in self._states.values() if state.failure and state.failure[1][:1] == first]
        for state in failed:
            self._give_up(state)

    def _give_up(self, state: TurnState) -> None:
        if state.failure is None:
            return
        error, order = state.failure
        self._tell_calls(state)
        moment = state.turn.moment if state.turn is not None else None
        usage = state.spent()
        model = state.model if usage is not None else None
        self.run.failed(error, state.path, moment=moment, order=order, model=model, usage=usage)
        self._states.pop(state.key, None)

    def planned_scopes(self, path: str) -> frozenset[str]:
        """The scopes of the alterations that are planned of what this agent sees."""
        targets = self.run.interventions.targets if self.run.interventions is not None else ()
        return frozenset(
            target.scope for target in targets if target.moment.agent == path and target.strategy == "prompt_injection"
        )

    def keep(self, path: str, edits: Iterable[Edit]) -> None:
        """This agent is to see `before` wherever the state holds `after`: its own words as it wrote them, or what it
        was told alone.
        """
        with self._lock:
            self._kept.setdefault(path, []).extend(edits)

    def kept(self, path: str) -> tuple[Edit, ...]:
        """What this agent sees otherwise than the others do."""
        return tuple(self._kept.get(path, ()))

    def agent_at(self, frame: Frame, node: str, *, parent: bool) -> str | None:
        """The path of the agent that runs at a node of the graph of this task, or of the graph around it; of a team
        the one that acts first.
        """
        if frame.shape is None:  # in a graph that was called inside a node, of which only names are known
            return None if parent or frame.in_loop else f"{frame.path.rpartition('/')[0]}/{node}".lstrip("/")
        shape = self._sibling(frame, node, parent=parent)
        first = shape.first if shape is not None else None
        return first.path if first is not None else None

    def supervisor_of(self, frame: Frame, name: str) -> str | None:
        """The path of the agent beside the one of this task whose name is written so in names of tools."""
        team = frame.path.rpartition("/")[0]
        beside = (agent for agent in self.run.recorder.agents if agent.path.rpartition("/")[0] == team)
        return next((agent.path for agent in beside if _compat.tool_form(agent.name) == name), None)

    def node_of(self, frame: Frame, path: str, *, parent: bool) -> str | None:
        """The node at which an agent runs, where `agent_at` looks."""
        home = self._home(frame, parent=parent)
        children = home.children.values() if home is not None else ()
        return next((shape.node for shape in children if (first := shape.first) and first.path == path), None)

    def _sibling(self, frame: Frame, node: str, *, parent: bool) -> Shape | None:
        home = self._home(frame, parent=parent)
        return home.children.get(node) if home is not None else None

    def _home(self, frame: Frame, *, parent: bool) -> Shape | None:
        if frame.shape is None:
            return None
        return self.layout.find(frame.names[: -2 if parent else -1])
