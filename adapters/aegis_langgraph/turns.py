"""Turns of agents, told by what happens to the tasks of a graph.

One `Visit` is one execution of a node. It is driven from two sides in the same way: by callbacks, where a graph is
only watched, and by the wrappers of a rebuilt graph, which can also serve and alter. So both tell the same story.

    opening = visit.opening()        # arguments of Run.begin_turn, or None: the turn is open already
    visit.opened(turn)
    visit.given                      # what the node is to get
    visit.call                       # arguments of Run.call, or None: a node that is no call of its own
    closing = visit.result(result)   # arguments of Run.end_turn, or None: the turn goes on
    visit.closed(delivery)           # what the node is to return
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from langchain_core.messages import BaseMessage, ToolMessage

from aegis_core.adapter import CallKind, Delivery, Part, Turn
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey, after
from aegis_core.trajectory import Usage
from aegis_langgraph import _compat
from aegis_langgraph.codec import MessageIds, NodeCodec, NodeResult
from aegis_langgraph.frames import Frame, Frames, precedes
from aegis_langgraph.messages import call_text, plain, tool_calls
from aegis_langgraph.names import Layout, Shape
from aegis_langgraph.state import Naming, Text, entries, rest, texts_of, write
from aegis_langgraph.update import coerced, merged, redirected, route_of, texts_of_update, written

__all__ = ["Tracker", "TurnState", "Visit"]


@dataclass(frozen=True)
class Edit:
    """A text that was altered: to be found by the id of its message, else by its place and wording."""

    text: Text
    before: str
    after: str

    def applied(self, text: Text, old: str, new: str) -> str | None:
        """What `text` has to be, if it is the one that was altered and reads `old`; None if not."""
        if self.text.message_id is not None or text.message_id is not None:
            same = self.text.message_id == text.message_id and text.part.text == old
            return new if same else None
        if self.text.key != text.key or not old:
            return None
        return text.part.text.replace(old, new) if old in text.part.text else None


@dataclass
class _Call:
    """A tool call that a model asked for and that was not carried out yet."""

    name: str
    text: str
    args: Any
    order: OrderKey
    nth: int
    first: bool


@dataclass(eq=False)
class TurnState:
    """One turn, over all executions of nodes that belong to it."""

    key: str
    path: str
    turn: Turn | None = None
    seen: tuple[Text, ...] = ()
    edits: tuple[Edit, ...] = ()
    persist: bool = False
    attempts: dict[str, int] = field(default_factory=dict)
    calls: dict[str, _Call] = field(default_factory=dict)
    delivered: set[str] = field(default_factory=set)
    ids: MessageIds = field(default_factory=MessageIds)
    failure: tuple[BaseException, OrderKey] | None = None
    interrupts: set[str] = field(default_factory=set)
    model: str | None = None
    usage: Usage | None = None

    @property
    def open(self) -> bool:
        """Whether the turn has begun and not ended."""
        return self.turn is not None and not self.turn.ended


class Tracker:
    """All turns of one run."""

    def __init__(self, run: Run, layout: Layout, *, altering: bool) -> None:
        self.run = run
        self.layout = layout
        self.altering = altering
        self.frames = Frames(layout)
        self.naming = Naming(layout.authors(), layout.nodes())
        self._states: dict[str, TurnState] = {}
        self._kept: dict[str, list[Edit]] = {}
        self._lock = RLock()

    def visit(self, frame: Frame, given: Any) -> Visit | None:
        """A node is about to run; None if it is no part of a turn that is told here."""
        if frame.role not in ("leaf", "tools", "model", "inner"):
            return None
        with self._lock:
            state = self._states.get(frame.turn_key)
            ended = state is not None and state.turn is not None and state.turn.ended
            begins = state is None or (ended and frame.role in ("leaf", "model"))
            if state is None or begins:
                state = self._states[frame.turn_key] = TurnState(frame.turn_key, frame.path)
            state.attempts[frame.namespace] = state.attempts.get(frame.namespace, 0) + 1
            state.failure = None
            return Visit(self, frame, state, given, opens=state.turn is None)

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
        if is_loop and state.open and not state.interrupts and state.turn is not None:
            self.run.end_turn(state.turn, (), model=state.model, usage=state.usage, scopes=())
        if not state.open:
            self._states.pop(key, None)

    def interrupted(self, frame: Frame, key: str, value: Any) -> None:
        """A task waits for an answer from outside. It will run again from its top, and still be the same turn."""
        state = self.state_of(frame)
        if state is None or state.turn is None or key in state.interrupts:
            return
        state.interrupts.add(key)
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        part = Part(id=key, text=text, kind="system", data={"interrupt": plain(value)})
        self.run.recorder.part_step(state.path, part, moment=state.turn.moment, order=frame.order)

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
        moment = state.turn.moment if state.turn is not None else None
        self.run.failed(error, state.path, moment=moment, order=order)
        self._states.pop(state.key, None)

    def planned_scopes(self, path: str) -> frozenset[str]:
        """The scopes of the alterations that are planned of what this agent sees."""
        targets = self.run.interventions.targets if self.run.interventions is not None else ()
        return frozenset(
            target.scope for target in targets if target.moment.agent == path and target.strategy == "prompt_injection"
        )

    def keep(self, path: str, edits: Iterable[Edit]) -> None:
        """The author of these altered texts is to go on seeing the originals."""
        with self._lock:
            self._kept.setdefault(path, []).extend(edits)

    def kept(self, path: str) -> tuple[Edit, ...]:
        """What this agent wrote and others see altered."""
        return tuple(self._kept.get(path, ()))

    def agent_at(self, frame: Frame, node: str, *, parent: bool) -> str | None:
        """The path of the agent that runs at a node of the graph of this task, or of the graph around it."""
        shape = self._sibling(frame, node, parent=parent)
        return shape.path if shape is not None and shape.acts else None

    def node_of(self, frame: Frame, path: str, *, parent: bool) -> str | None:
        """The node at which an agent runs, where `agent_at` looks."""
        home = self._home(frame, parent=parent)
        children = home.children.values() if home is not None else ()
        return next((shape.node for shape in children if shape.acts and shape.path == path), None)

    def _sibling(self, frame: Frame, node: str, *, parent: bool) -> Shape | None:
        home = self._home(frame, parent=parent)
        return home.children.get(node) if home is not None else None

    def _home(self, frame: Frame, *, parent: bool) -> Shape | None:
        if frame.shape is None:
            return None
        return self.layout.find(frame.names[: -2 if parent else -1])


class Visit:
    """One execution of a node."""

    def __init__(self, tracker: Tracker, frame: Frame, state: TurnState, given: Any, *, opens: bool) -> None:
        self._tracker = tracker
        self._frame = frame
        self._state = state
        self._opens = opens
        self._raw = given
        self._value: Any = None
        self._fresh: tuple[Text, ...] = ()
        self._parts: tuple[Part, ...] = ()
        self.given = self._remembered(given)
        self._route: Any = None

    # -- the turn begins --------------------------------------------------------------------------------------

    def _remembered(self, given: Any) -> Any:
        """The input with the author's own words as the author wrote them, and this turn's alterations."""
        if self._frame.role == "tools":
            return given
        given = self._edited(given, [(edit, edit.after, edit.before) for edit in self._tracker.kept(self._frame.path)])
        return self._edited(given, [(edit, edit.before, edit.after) for edit in self._state.edits])

    def _edited(self, given: Any, edits: list[tuple[Edit, str, str]]) -> Any:
        if not edits:
            return given
        new: dict[str, str] = {}
        for text in texts_of(given, self._tracker.naming):
            for edit, old, changed in edits:
                if (wanted := edit.applied(text, old, changed)) is not None:
                    new[text.part.id] = wanted
        return write(given, new)

    def opening(self) -> dict[str, Any] | None:
        """What the turn begins with; None if it has begun."""
        if not self._opens:
            return None
        frame, run = self._frame, self._tracker.run
        self._state.seen = texts_of(self.given, self._tracker.naming)
        if frame.role == "tools":
            parts, scopes = self._requested(), ()
        else:
            parts, scopes = self._offered()
        order = self._turn_order()
        inside = self._enclosing_order()

        def earlier(key: OrderKey) -> bool:
            return key[: len(inside)] == inside and precedes(key, order)

        parts, parents = run.recorder.sources(parts, frame.path, precedes=earlier)
        return {
            "agent": frame.path,
            "parts": parts,
            "branch": frame.branch,
            "order": order,
            "parents": parents,
            "scopes": scopes,
            "nested": self._is_nested(),
        }

    def _turn_order(self) -> OrderKey:
        """The key of the turn: of the node itself, or of the loop around it."""
        frame = self._frame
        return frame.order if frame.turn_key == frame.namespace else frame.order[:-2]

    def _enclosing_order(self) -> OrderKey:
        """The key of the node that this turn happens inside of. Its own turn says what led to it; a turn inside is
        linked to what happens in there alone, since it is not run again when the node is served.
        """
        above = self._frame.parent
        while above is not None:
            if above.role == "leaf":
                return above.order
            above = above.parent
        return ()

    def _is_nested(self) -> bool:
        above = self._frame.parent
        while above is not None:
            if above.path == self._frame.path and above.turn_key != self._frame.turn_key and above.role != "agent":
                return True
            above = above.parent
        return False

    def _offered(self) -> tuple[tuple[Part, ...], tuple[str, ...]]:
        """The parts that can be altered, and how far that would reach."""
        seen = self._state.seen
        if not self._tracker.altering or self._frame.shape is None:
            return tuple(text.part for text in seen), ()
        if "persistent" not in self._tracker.planned_scopes(self._frame.path):
            return tuple(text.part for text in seen), ("ephemeral",)
        lasting = [self._lasts(text) for text in seen]
        parts = tuple(
            text.part if lasts else text.part.model_copy(update={"editable": False})
            for text, lasts in zip(seen, lasting, strict=True)
        )
        return parts, ("persistent", "ephemeral") if any(lasting) else ("ephemeral",)

    def _lasts(self, text: Text) -> bool:
        """Whether an altered text can be put back into the state, where the agent will meet it again."""
        if self._frame.pushed or self._frame.shape is None:
            return False
        kind = self._frame.shape.fields.get(text.key)
        return kind == "last" or (kind == "messages" and text.message_id is not None)

    def opened(self, turn: Turn) -> None:
        """The turn has begun; what it was altered to is what the node gets."""
        self._state.turn = turn
        if turn.changed:
            by_id = {text.part.id: text for text in self._state.seen}
            texts = turn.texts()
            self._state.edits = tuple(
                Edit(by_id[part], by_id[part].part.text, new) for part, new in texts.items() if part in by_id
            )
            self._state.persist = turn.scope == "persistent"
            self.given = write(self.given, texts)

    # -- the call ---------------------------------------------------------------------------------------------

    @property
    def turn(self) -> Turn | None:
        """The turn, as it is seen from this node."""
        turn = self._state.turn
        if turn is None or self._frame.turn_key == self._frame.namespace:
            return turn
        return dataclasses.replace(turn, order=self._frame.order)

    @property
    def attempts(self) -> int:
        """The how manieth execution of this task this is."""
        return self._state.attempts.get(self._frame.namespace, 1)

    @property
    def kind(self) -> CallKind | None:
        """What kind of call the node is."""
        kinds: dict[str, CallKind] = {"leaf": "node", "tools": "tool", "model": "model"}
        return kinds.get(self._frame.role)

    def request(self) -> dict[str, Any]:
        """What the node is called with: arguments of `Run.call`."""
        if self._frame.role == "tools":
            return {"parts": self._requested(), "name": self._tool_name(), "before": (), "after": self._tool_scopes()}
        parts = tuple(text.part for text in texts_of(self.given, self._tracker.naming))
        # Models are altered at the ends of the turn, where it is known which of their answers is the last.
        return {"parts": parts, "extra": rest(self.given), "before": (), "after": ()}

    def _tool_scopes(self) -> tuple[str, ...]:
        """Of tools that run side by side, only the first that was asked for is altered, whichever ends first."""
        known = [self._state.calls.get(str(call.get("id"))) for call in _asked(self.given)]
        able = self._tracker.altering and self._frame.shape is not None
        return ("call",) if able and all(call is None or call.first for call in known[:1]) else ()

    def _requested(self) -> tuple[Part, ...]:
        return tuple(
            Part(
                id=f"call[{index}]",
                text=call_text(call),
                editable=False,
                kind="tool_call",
                call_id=call.get("id"),
                data={"name": str(call.get("name", "")), "args": plain(call.get("args"))},
            )
            for index, call in enumerate(_asked(self.given))
        )

    def _tool_name(self) -> str:
        names = []
        for call in _asked(self.given):
            known = self._state.calls.get(str(call.get("id")))
            nth = known.nth if known is not None else 0
            names.append(f"{call.get('name', '')}[{nth + 1}]" if nth else str(call.get("name", "")))
        return ",".join(names)

    def returned(self, value: Any) -> NodeResult:
        """What the node returned, with its messages as messages."""
        shape = self._frame.shape
        keys = [key for key, kind in shape.fields.items() if kind == "messages"] if shape is not None else ["messages"]
        return NodeResult(coerced(value, keys), self.attempts)

    def taken_back(self) -> None:
        """The node raised: what was asked of it does not count as a call, it may be tried again."""
        turn = self._state.turn
        if turn is None or self.kind is None:
            return
        counter = f"{self.kind}/{self._tool_name() if self._frame.role == 'tools' else ''}"
        if turn.calls.get(counter, 0) > 0:
            turn.calls[counter] -= 1

    def codec(self) -> NodeCodec:
        """How what the node returns becomes plain data."""
        if self._frame.role != "tools":
            self._state.ids.learn(f"{self._step_name()}given", messages_in(texts_of(self.given, self._tracker.naming)))
        return NodeCodec(self._tracker.naming, self._state.ids, self._new_id)

    def _step_name(self) -> str:
        """What tells this node from the others of its turn."""
        inside = self._frame.order[len(self._turn_order()) :]
        return "".join(f"{item}." for item in inside)

    def _new_id(self, part: str) -> str:
        moment = self._state.turn.moment if self._state.turn is not None else self._frame.path
        return str(uuid5(NAMESPACE_URL, f"aegis:{moment}:{self._step_name()}{part}"))

    # -- the turn ends ----------------------------------------------------------------------------------------

    def result(self, result: NodeResult) -> dict[str, Any] | None:
        """The node has returned; what the turn ends with, or None if it goes on."""
        made = messages_in(texts_of_update(result.value, self._tracker.naming))
        self._state.ids.learn(f"{self._step_name()}made", made)
        self._value = self._written_back(result.value)
        fresh = self._fresh_texts()
        if self._frame.role == "inner" or self._state.turn is None:
            self._tell(fresh)
            return None
        if self._frame.role == "model" and (asked := self._unanswered()):
            self._tell([text for text in fresh if text.part.kind != "tool_call"], kind="thought")
            self._state.delivered |= {text.message_id for text in fresh if text.message_id is not None}
            self._ask(asked)
            return None
        in_loop = self._frame.turn_key != self._frame.namespace
        route, target = self._handed_to()
        if self._frame.role == "tools" and in_loop:
            if target is None:
                self._tell_tools(fresh)
                return None
            fresh = [text for text in fresh if isinstance(text.message, ToolMessage)]
            self._drop_calls(fresh)
        if self._state.turn.ended:
            return None
        self._route = route
        self._fresh = tuple(fresh)
        self._state.turn.ended = True
        return self._closing(fresh, target, result.attempts)

    def _closing(self, fresh: list[Text], target: str | None, attempts: int) -> dict[str, Any]:
        parts = [text.part for text in fresh]
        if target is not None:
            if not parts:
                parts = [Part(id="route", text="", editable=False, kind="handoff", author=self._frame.path)]
            last = max((i for i, part in enumerate(parts) if part.kind in ("message", "tool_result")), default=None)
            if last is not None:
                parts[last] = parts[last].model_copy(update={"kind": "handoff", "editable": True})
        if attempts > 1 and parts and parts[0].data is None:
            parts[0] = parts[0].model_copy(update={"data": {"attempts": attempts}})
        able = self._tracker.altering and self._frame.shape is not None and self._frame.role != "tools"
        hand_off = self._tracker.altering and target is not None
        self._parts = tuple(parts)
        return {
            "parts": self._parts,
            "route": target,
            "model": self._state.model,
            "usage": self._state.usage,
            "scopes": ("outgoing", "belief") if able or hand_off else (),
        }

    def _written_back(self, value: Any) -> Any:
        """What others see altered stays altered, though its author returns the original with the rest."""
        kept = self._tracker.kept(self._frame.path)
        if not kept:
            return value
        texts = {
            text.part.id: edit.after
            for text in texts_of_update(value, self._tracker.naming)
            for edit in kept
            if text.message_id is not None and edit.applied(text, edit.before, edit.after) is not None
        }
        return written(value, texts, self._new_id)

    def _fresh_texts(self) -> list[Text]:
        """What the result says that was not there before, with its author."""
        before = self._known()
        known = {(text.message_id, text.part.text) for text in before if text.message_id is not None}
        objects = {id(text.message) for text in before if text.message is not None}
        echoed = self._echoed()
        fresh: list[Text] = []
        for text in texts_of_update(self._value, self._tracker.naming):
            message = text.message
            if message is None:
                is_new = (text.part.id.split(":", 1)[-1], text.part.text) not in echoed
            else:
                told = {message.id or "", text.part.call_id or ""} & self._state.delivered
                is_new = (message.id, text.part.text) not in known and id(message) not in objects and not told
            if is_new:
                fresh += self._attributed(text)
        return fresh

    def _known(self) -> tuple[Text, ...]:
        return texts_of(self._raw, self._tracker.naming) if self._frame.role != "tools" else self._state.seen

    def _echoed(self) -> set[tuple[str, str]]:
        """The texts of the input, if the node returned its whole input with a few values changed."""
        given = dict(entries(self.given))
        returned = dict(entries(self._value)) if not isinstance(self._value, list | str) else {}
        if len(given) < 2 or not set(given) <= set(returned):  # noqa: PLR2004
            return set()
        seen = texts_of(self.given, self._tracker.naming)
        return {(text.part.id, text.part.text) for text in seen if text.message is None}

    def _attributed(self, text: Text) -> list[Text]:
        message, part = text.message, text.part
        changes: dict[str, Any] = {"author": self._frame.path}
        if message is not None and _compat.is_hand_back(message):
            if isinstance(message, ToolMessage) or part.kind == "tool_call":
                return []
            changes |= {"kind": "handoff", "editable": False}
        if isinstance(message, ToolMessage) and message.status == "error":
            changes["data"] = {"status": "error"}
        return [dataclasses.replace(text, part=part.model_copy(update=changes))]

    def _handed_to(self) -> tuple[Any, str | None]:
        route = route_of(self._value)
        if route is None:
            return None, None
        return route, self._tracker.agent_at(self._frame, route.node, parent=route.parent)

    def _unanswered(self) -> list[dict[str, Any]]:
        """The tool calls of this result that it does not answer itself."""
        messages = messages_in(texts_of_update(self._value, self._tracker.naming))
        answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
        calls = [call for message in messages for call in tool_calls(message)]
        return [call for call in calls if call.get("id") not in answered]

    # -- what happens inside ----------------------------------------------------------------------------------

    def _tell(self, texts: Iterable[Text], *, kind: str | None = None) -> None:
        turn = self._state.turn
        for text in texts:
            if turn is None:
                return
            part = text.part if kind is None else text.part.model_copy(update={"kind": kind})
            if part.text:
                self._step(part, self._frame.order)
            if text.message_id is not None:
                self._state.delivered.add(text.message_id)

    def _step(self, part: Part, order: OrderKey) -> None:
        turn = self._state.turn
        if turn is not None:
            self._tracker.run.recorder.part_step(
                turn.moment.agent, part, moment=turn.moment, order=order, parents=turn.parents
            )

    def _ask(self, calls: list[dict[str, Any]]) -> None:
        names: dict[str, int] = {}
        for index, call in enumerate(calls):
            name = str(call.get("name", ""))
            order = (*self._frame.order, f"call:{index:04d}")
            self._state.calls[str(call.get("id"))] = _Call(
                name, call_text(call), plain(call.get("args")), order, names.get(name, 0), index == 0
            )
            names[name] = names.get(name, 0) + 1

    def _drop_calls(self, fresh: Iterable[Text]) -> None:
        """Forget the tool calls that turned out to be hand-offs: the hand-off is told as such."""
        for text in fresh:
            self._state.calls.pop(text.part.call_id or "", None)

    def _tell_tools(self, fresh: Iterable[Text]) -> None:
        for text in fresh:
            call = self._state.calls.pop(text.part.call_id or "", None)
            if call is not None:
                part = Part(
                    id="call",
                    text=call.text,
                    kind="tool_call",
                    call_id=text.part.call_id,
                    data={"name": call.name, "args": call.args},
                )
                self._step(part, call.order)
            self._step(text.part, after(self._frame.order))
            self._state.delivered |= {name for name in (text.message_id, text.part.call_id) if name}

    # -- what the node returns ----------------------------------------------------------------------------------

    def closed(self, delivery: Delivery | None) -> Any:
        """What the node is to return, after all alterations."""
        value = self._value
        if delivery is not None:
            if delivery.changed:
                value = self._delivered(value, delivery)
            if delivery.route is not None and self._route is not None:
                node = self._tracker.node_of(self._frame, delivery.route, parent=self._route.parent)
                if node is not None and node != self._route.node:
                    value = redirected(value, node)
        return self._persisted(value)

    def _delivered(self, value: Any, delivery: Delivery) -> Any:
        texts = delivery.texts()
        before = {part.id: part.text for part in self._parts}
        value = written(value, texts, self._new_id)
        if delivery.scope == "outgoing":
            edits = [
                Edit(text, before[text.part.id], texts[text.part.id])
                for text in texts_of_update(value, self._tracker.naming)
                if text.part.id in texts
            ]
            self._tracker.keep(self._frame.path, edits)
        return value

    def _persisted(self, value: Any) -> Any:
        """The result with what was altered before it, so that it stays in the state."""
        if not self._state.persist or self._frame.role == "tools":
            return value
        self._state.persist = False
        fields: Mapping[str, str] = self._frame.shape.fields if self._frame.shape is not None else {}
        given = dict(entries(self.given))
        values: dict[str, Any] = {}
        messages: dict[str, list[BaseMessage]] = {}
        now = {text.message_id: text.message for text in texts_of(self.given, self._tracker.naming)}
        for edit in self._state.edits:
            key, message = edit.text.key, now.get(edit.text.message_id)
            if fields.get(key) == "messages" and message is not None:
                held = messages.setdefault(key, [])
                held += [message] if all(item is not message for item in held) else []
            elif key in given:
                values[key] = given[key]
        return merged(value, values, messages)


def messages_in(texts: Iterable[Text]) -> list[BaseMessage]:
    """The messages that hold these texts, each once, in order."""
    return list({id(text.message): text.message for text in texts if text.message is not None}.values())


def _asked(given: Any) -> list[dict[str, Any]]:
    """The tool calls that a tools node is given, in whichever of the forms that LangGraph uses."""
    if isinstance(given, list) and given and all(isinstance(item, dict) and "name" in item for item in given):
        return [dict(item) for item in given]
    if isinstance(given, dict) and isinstance(given.get("tool_call"), dict):
        return [dict(given["tool_call"])]
    messages = given if isinstance(given, list) else dict(entries(given)).get("messages") or ()
    for message in reversed(messages if isinstance(messages, list | tuple) else ()):
        if isinstance(message, BaseMessage) and (calls := tool_calls(message)):
            return calls
    return []
