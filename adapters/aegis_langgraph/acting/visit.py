"""One execution of a node, from what it gets to what it returns.

It is driven from two sides in the same way: by callbacks, where a graph is only watched, and by the wrappers of a
rebuilt graph, which can also serve and alter. So both tell the same story.

    opening = visit.opening()        # arguments of Run.begin_turn, or None: the turn is open already
    visit.opened(turn)
    visit.given                      # what the node is to get
    visit.kind, visit.request()      # arguments of Run.call; kind None: a node that is no call of its own
    closing = visit.result(result)   # arguments of Run.end_turn, or None: the turn goes on
    visit.closed(delivery)           # what the node is to return
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from langchain_core.messages import ToolMessage

from aegis_core.adapter import CallKind, Delivery, Part, Turn
from aegis_core.run.recorder import OrderKey, after
from aegis_core.trajectory import StepKind, Usage
from aegis_langgraph.acting.arrival import Arrival
from aegis_langgraph.acting.departure import Departure
from aegis_langgraph.texts.codec import NodeCodec, NodeResult
from aegis_langgraph.texts.messages import call_text, plain
from aegis_langgraph.texts.state import Text, messages_in, rest
from aegis_langgraph.texts.update import coerced, texts_of_update
from aegis_langgraph.watching.frames import Frame
from aegis_langgraph.watching.humans import USER
from aegis_langgraph.watching.tracker import Asked, Tracker, TurnState

__all__ = ["Visit"]

_KINDS: dict[str, CallKind] = {"leaf": "node", "tools": "tool", "model": "model"}


class Visit:
    """One execution of a node."""

    def __init__(self, tracker: Tracker, frame: Frame, state: TurnState, given: Any) -> None:
        self._tracker = tracker
        self._frame = frame
        self._state = state
        self._opens = state.turn is None
        self._arrival = Arrival(tracker, frame, state, given)
        self._departure: Departure | None = None

    @classmethod
    def of(cls, tracker: Tracker, frame: Frame, given: Any) -> Visit | None:
        """A node is about to run; None if it is no part of a turn that is told here."""
        state = tracker.entered(frame)
        return cls(tracker, frame, state, given) if state is not None else None

    @property
    def given(self) -> Any:
        """What the node is to get."""
        return self._arrival.given

    @property
    def turn(self) -> Turn | None:
        """The turn, as it is seen from this node; None if it could not begin."""
        turn = self._state.turn
        return dataclasses.replace(turn, order=self._frame.order) if turn is not None and self._frame.in_loop else turn

    @property
    def kind(self) -> CallKind | None:
        """What kind of call the node is; None if it is none of its own."""
        return None if self._frame.catches else _KINDS.get(self._frame.role)

    def opening(self) -> dict[str, Any] | None:
        """What the turn begins with; None if it has begun."""
        return self._arrival.opening() if self._opens else None

    def opened(self, turn: Turn) -> None:
        """The turn has begun; what it was altered to is what the node gets."""
        self._arrival.opened(turn)

    def request(self) -> dict[str, Any]:
        """What the node is called with."""
        if self._frame.role == "tools":
            arrival = self._arrival
            scopes = arrival.tool_scopes()
            return {"parts": arrival.requested(), "name": arrival.tool_name(), "before": (), "after": scopes}
        parts = tuple(text.part for text in self._arrival.had[-1].texts)
        # Models are altered at the ends of the turn, where it is known which of their answers is the last.
        more = {"request": lambda: tuple(self._frame.sent) or parts} if self._frame.role == "model" else {}
        return {"parts": parts, "extra": rest(self.given), "before": (), "after": (), **more}

    def codec(self) -> NodeCodec:
        """How what the node returns becomes plain data."""
        if self._frame.role != "tools":
            self._state.ids.learn(f"{self._place}given", messages_in(self._arrival.had[-1].texts))
        return NodeCodec(self._tracker.naming, self._state.ids, self._new_id, self._tracker.run.recorder.declare)

    @property
    def _place(self) -> str:
        """What tells this node from the others of its turn."""
        return "".join(f"{item}." for item in self._frame.order[len(self._frame.turn_order) :])

    def _new_id(self, part: str) -> str:
        moment = self._state.turn.moment if self._state.turn is not None else self._frame.path
        return str(uuid5(NAMESPACE_URL, f"aegis:{moment}:{self._place}{part}"))

    def returned(self, value: Any) -> NodeResult:
        """What the node returned, with its messages as messages."""
        shape = self._frame.shape
        keys = [key for key, kind in shape.fields.items() if kind == "messages"] if shape is not None else ["messages"]
        value = coerced(value, keys)
        repeated = tuple(
            text.part.id
            for text in (texts_of_update(value, self._tracker.naming) if self._frame.repeatable else ())
            if text.message is not None and self._frame.said_inside(text)
        )
        met = (*self._frame.met.values(), *((USER,) if self._state.replied else ()))
        agents = met if any(agent.kind != "worker" for agent in met) else ()
        return NodeResult(value, self._state.attempts.get(self._frame.namespace, 1), repeated, agents)

    def taken_back(self) -> None:
        """The node raised: what was asked of it does not count as a call, it may be tried again."""
        turn = self._state.turn
        if turn is None or self.kind is None:
            return
        counter = f"{self.kind}/{self._arrival.tool_name() if self._frame.role == 'tools' else ''}"
        if turn.calls.get(counter, 0) > 0:
            turn.calls[counter] -= 1

    def result(self, result: NodeResult) -> dict[str, Any] | None:
        """The node has returned; what the turn ends with, or None if it goes on."""
        made = messages_in(texts_of_update(result.value, self._tracker.naming))
        self._state.ids.learn(f"{self._place}made", made)
        left = Departure(self._tracker, self._frame, self._state, self._arrival, result, self._new_id)
        self._departure = left
        self._tell_around(left)
        turn = self._state.turn
        if turn is None or self._goes_on(left) or turn.ended:
            return None
        turn.ended = True
        return left.closing(result.attempts)

    def _tell_around(self, left: Departure) -> None:
        """The nodes inside of which this one runs may return what was said here; that is not said again."""
        fresh = {text.part.id for text in left.fresh}
        said = [
            text
            for text in texts_of_update(left.value, self._tracker.naming)
            if text.message is not None
            and (text.part.id in fresh or {text.message_id, text.part.call_id} & self._state.delivered)
        ]
        above = self._frame.parent
        while above is not None:
            if above.role in ("leaf", "tools"):
                above.repeatable += said
            above = above.parent

    def _goes_on(self, left: Departure) -> bool:
        """Whether the turn goes on after this node; what happened inside it is told then."""
        role = self._frame.role
        if role == "inner":
            for part in left.steps(Delivery(tuple(text.part for text in left.fresh), None)):
                if part.text:
                    self._step(part, self._frame.order, self._state.spent(), left.message_of(part))
            self._state.delivered |= {text.message_id for text in left.fresh if text.message_id is not None}
            return True
        if role == "model" and (asked := left.unanswered()):
            self._tell([text for text in left.fresh if text.part.kind != "tool_call"], kind="thought")
            self._state.delivered |= {text.message_id for text in left.fresh if text.message_id is not None}
            self._ask(asked)
            return True
        if role == "tools" and self._frame.in_loop and not left.goals:
            self._tell_tools(left, left.steps(Delivery(tuple(text.part for text in left.fresh), None)))
            delivered = {name for text in left.fresh for name in (text.message_id, text.part.call_id) if name}
            self._state.delivered |= delivered
            return True
        if (role == "tools" and self._frame.in_loop) or (self._frame.handed_over and left.goals):
            left.fresh = [text for text in left.fresh if isinstance(text.message, ToolMessage)]
            for text in left.fresh:  # the hand-off is told as such, and not as the tool that it was
                if (call := self._state.calls.pop(text.part.call_id or "", None)) is not None:
                    self._state.used(call.usage)
        return False

    def _tell(self, texts: Iterable[Text], *, kind: StepKind | None = None) -> None:
        for text in texts:
            part = text.part if kind is None else text.part.model_copy(update={"kind": kind})
            if part.text:
                self._step(part, self._frame.order, self._state.spent(), text)
            if text.message_id is not None:
                self._state.delivered.add(text.message_id)

    def _step(self, part: Part, order: OrderKey, usage: Usage | None = None, text: Text | None = None) -> None:
        self._tracker.told(self._state, part, order, usage, text if self._frame.shape is not None else None)

    def _ask(self, calls: list[dict[str, Any]]) -> None:
        names: dict[str, int] = {}
        for index, call in enumerate(calls):
            name = str(call.get("name", ""))
            self._state.places[str(call.get("id"))] = index
            self._state.calls[str(call.get("id"))] = Asked(
                name=name,
                text=call_text(call),
                args=plain(call.get("args")),
                order=(*self._frame.order, f"call:{index:04d}"),
                nth=names.get(name, 0),
                first=index == 0,
                usage=self._state.spent(),
            )
            names[name] = names.get(name, 0) + 1

    def _tell_tools(self, left: Departure, parts: Iterable[Part]) -> None:
        for part in parts:
            call_id = part.call_id or ""
            if (call := self._state.calls.pop(call_id, None)) is not None:
                self._step(call.part(call_id), call.order, call.usage)
            self._step(part, after(self._frame.order), self._state.spent(), left.message_of(part))

    def closed(self, delivery: Delivery | None) -> Any:
        """What the node is to return, after all alterations."""
        return self._departure.closed(delivery) if self._departure is not None else None
