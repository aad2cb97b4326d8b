"""A node has returned: what is new in it, where it hands control to, and what is to leave it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import ToolMessage

from aegis_core.adapter import Delivery, Part
from aegis_core.run.outputs import whole
from aegis_core.run.values import leaves, plain_data
from aegis_langgraph import _compat
from aegis_langgraph.acting.arrival import Arrival
from aegis_langgraph.texts.codec import NodeResult
from aegis_langgraph.texts.messages import tool_calls
from aegis_langgraph.texts.state import Text, entries, has_keys, holds_message, messages_in, texts_of
from aegis_langgraph.texts.update import goals_of, redirected, route_of, texts_of_update, updates_of, written
from aegis_langgraph.watching.frames import Frame
from aegis_langgraph.watching.tracker import Edit, Tracker, TurnState

__all__ = ["Departure"]

_ROUTE = Part(id="route", text="", editable=False, kind="handoff")
"""A hand-off without words."""
_JUMP = "jump_to"
_PLAN = "todos"
_STRUCTURED = "structured_response"
"""Keys of the state of `create_agent` and its middleware."""


class Departure:
    """What one execution of a node returned.

    `fresh` are the texts that were not there before, with their author. `target` is the path of the agent that
    control is handed to, `goals` are those of all, if there are several. What the agent repeats of its own words stays
    as others see it.
    """

    def __init__(
        self,
        tracker: Tracker,
        frame: Frame,
        state: TurnState,
        arrival: Arrival,
        result: NodeResult,
        new_id: Callable[[str], str],
    ) -> None:
        self._tracker = tracker
        self._frame = frame
        self._state = state
        self._arrival = arrival
        self._new_id = new_id
        self._parts: tuple[Part, ...] = ()
        self._steps: list[Part] = []
        self._repeated = frozenset(result.repeated)
        self.value = self._written_back(result.value)
        self.fresh = self._fresh()
        self._route = route_of(self.value)
        self.target: str | None = None
        if self._route is not None:
            self.target = tracker.agent_at(frame, self._route.node, parent=self._route.parent)
        found = (tracker.agent_at(frame, goal.node, parent=goal.parent) for goal in goals_of(self.value))
        self.goals = tuple(dict.fromkeys(path for path in found if path is not None))

    def _written_back(self, value: Any) -> Any:
        """What the agent repeats of its input goes back as the state has it: what it sees otherwise is its own view."""
        views = [*self._tracker.kept(self._frame.path), *(edit.turned() for edit in self._state.edits)]
        texts = {
            text.part.id: new
            for text in (texts_of_update(value, self._tracker.naming) if views else ())
            for view in views
            if (new := self._as_others_see(text, view)) is not None
        }
        return written(value, texts, self._new_id) if texts else value

    def _as_others_see(self, text: Text, view: Edit) -> str | None:
        """What a text has to be that repeats what the agent sees otherwise than the others; None if it does not."""
        if text.message_id is not None:
            return view.applied(text, view.before, view.after)
        if not self._arrival.showed(view) or view.text.message_id is not None or view.text.key != text.key:
            return None  # its own words may be said anew
        if text.part.text == view.before:
            return view.after
        return _with_other(text.part.text, view.before, view.after) if text.message is None else None

    def _fresh(self) -> list[Text]:
        known, objects = self._known()
        echoed = self._echoed()
        fresh: list[Text] = []
        for text in texts_of_update(self.value, self._tracker.naming):
            message = text.message
            if self._is_bookkeeping(text.key):
                is_new = False
            elif message is None:
                is_new = (text.part.id.split(":", 1)[-1], text.part.text) not in echoed
            else:
                told = {message.id or "", text.part.call_id or ""} & self._state.delivered
                same = (message.id, text.part.text) in known or (id(text.origin), text.part.text) in objects
                is_new = not same and not told and not self._stands_as_before(text)
            if is_new and text.part.id not in self._repeated and not _is_made_up(text):
                fresh.append(self._attributed(text))
        return fresh

    def _is_bookkeeping(self, key: str) -> bool:
        """Whether a value is what an agent's loop keeps for itself: where to jump, counters of middleware."""
        shape = self._frame.shape
        private = shape is not None and _compat.is_private(shape.graph, key)
        return self._frame.in_loop and (private or key == _JUMP)

    def _known(self) -> tuple[set[tuple[str | None, str]], set[tuple[int, str]]]:
        """Messages that were there before, with their texts: by id, and by identity."""
        before = self._state.known if self._frame.role == "tools" else self._arrival.had[0].texts
        named: set[tuple[str | None, str]] = {
            (text.message_id, text.part.text) for text in before if text.message_id is not None
        }
        return named, {(id(text.origin), text.part.text) for text in before if text.message is not None}

    def _stands_as_before(self, text: Text) -> bool:
        """Whether a message without an id is one that stood there, in a list that is written anew each time."""
        shape = self._frame.shape
        if text.message_id is not None or (shape is not None and shape.fields.get(text.key) != "last"):
            return False
        place = (text.part.id.split(":", 1)[-1], text.part.text)
        seen = (seen for had in self._arrival.had for seen in had.texts if seen.message_id is None)
        return any((one.part.id, one.part.text) == place for one in seen)

    def _echoed(self) -> set[tuple[str, str]]:
        """The texts of the input, if the node returned its whole input with a few values changed."""
        if not self._returns_input():
            return set()
        seen = (text for had in self._arrival.had for text in had.texts)
        return {(text.part.id, text.part.text) for text in seen if text.message is None}

    def _returns_input(self) -> bool:
        """Whether the node returned its whole input, with a few values changed."""
        given = self._arrival.had[-1].keys
        return len(given) > 1 and has_keys(self.value) and given <= {key for key, _ in entries(self.value)}

    def _attributed(self, text: Text) -> Text:
        message = text.message
        changes: dict[str, Any] = {"author": self._frame.path}
        if message is not None and _compat.is_hand_back(message):
            changes |= {"kind": "handoff", "editable": False}
        if isinstance(message, ToolMessage) and message.status == "error":
            changes["data"] = {"status": "error"}
        return dataclasses.replace(text, part=text.part.model_copy(update=changes))

    def unanswered(self) -> list[dict[str, Any]]:
        """The tool calls of this result that it does not answer itself."""
        messages = messages_in(texts_of_update(self.value, self._tracker.naming))
        answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
        calls = [call for message in messages for call in tool_calls(message)]
        return [call for call in calls if call.get("id") not in answered]

    def closing(self, attempts: int) -> dict[str, Any]:
        """What the turn ends with: arguments of `Run.end_turn`."""
        parts = [text.part for text in self.fresh]
        if self.goals:
            parts = self._handing_over(parts)
        if attempts > 1 and parts and parts[0].data is None:
            parts[0] = parts[0].model_copy(update={"data": {"attempts": attempts}})
        own = self._frame.shape is not None and self._frame.role != "tools"
        able = self._tracker.altering and (own or self.target is not None)
        self._parts = tuple(parts)
        return {
            "parts": self._parts,
            "route": self.target,
            "addressed_to": (self.goals or self._back_to()) if self.target is None else (),
            "model": self._state.model,
            "usage": self._state.spent(),
            "scopes": ("outgoing", "belief") if able else (),
            "steps": self.steps,
        }

    def _back_to(self) -> tuple[str, ...]:
        """To whom the messages of a supervisor say that control comes back."""
        named = (_compat.back_to(text.message) for text in self.fresh if text.message and text.part.kind == "handoff")
        found = (self._tracker.supervisor_of(self._frame, name) for name in named if name)
        return tuple(dict.fromkeys(path for path in found if path is not None))

    def message_of(self, part: Part) -> Text | None:
        """The message of which a step is the text."""
        return next((text for text in self.fresh if text.part.id == part.id and text.message is not None), None)

    def steps(self, delivery: Delivery) -> list[Part]:
        """The steps that are told of what leaves the node: a message each, and one for all else in an update."""
        left = {part.id: part for part in delivery.parts}
        value = written(self.value, delivery.texts(), self._new_id) if delivery.changed else self.value
        told = [step for prefix, update in updates_of(value) for step in self._told(prefix, update, left)]
        self._steps = self._with_route(told, [*left.values()])
        return self._steps

    def _told(self, prefix: str, update: Any, left: dict[str, Part]) -> list[Part]:
        """The steps of one update; what they tell is taken out of `left`."""
        echoed = self._echoed_keys()
        told: list[Part] = []
        rest: dict[str, Any] = {}
        own: list[Part] = []
        plans: list[Part] = []
        position = 0
        for key, item in entries(update):
            if self._is_bookkeeping(key):
                continue
            texts = texts_of({key: item}, self._tracker.naming)
            found = [part for text in texts if (part := left.pop(f"{prefix}{text.part.id}", None)) is not None]
            if any(text.message is not None for text in texts):
                told += found
            elif key == _PLAN and self._frame.in_loop:
                steps = whole({key: item}, found, f"{prefix}{key}") if found else ()
                plans += [step.model_copy(update={"kind": "plan"}) for step in steps]
            elif found or not (texts or key in echoed or holds_message(item)):
                position = position if rest else len(told)
                rest[key] = item
                own += found
        hands_on = self._frame.role in ("inner", "tools") or self._frame.handed_over
        is_handed_on = not own and hands_on and _STRUCTURED not in rest  # counters, a state as it was
        if rest and not is_handed_on and not self._adds_one_text(rest, own):
            own = list(whole(rest if has_keys(update) else next(iter(rest.values())), own, f"{prefix}update"))
        return [*told[:position], *own, *told[position:], *plans]

    def _adds_one_text(self, values: Mapping[str, Any], own: list[Part]) -> bool:
        """Whether one text is all by which values differ from those that the node got and returned."""
        if len(own) != 1 or not self._returns_input():
            return False
        before = Counter(repr(leaf) for key in values for leaf in leaves(self._arrival.had[-1].data.get(key)))
        return (Counter(map(repr, leaves(plain_data(values)))) - before).total() == 1

    def _with_route(self, told: list[Part], left: list[Part]) -> list[Part]:
        """A hand-off without words is told by the figures that go with it, if there are any."""
        alone = [part for part in left if part.id != _ROUTE.id]
        if len(alone) == len(left) or not told:
            return [*told, *left]
        return [*told[:-1], told[-1].model_copy(update={"kind": "handoff"}), *alone]

    def _echoed_keys(self) -> set[str]:
        """The keys that the node returned as it got them, or as the graph has them."""
        if not self._returns_input():
            return set()
        returned = {key: plain_data(value) for key, value in entries(self.value) if not holds_message(value)}
        return {
            key
            for key, data in returned.items()
            for had in self._arrival.had
            if key in had.data and had.data[key] == data
        }

    def _handing_over(self, parts: list[Part]) -> list[Part]:
        """The last message is the hand-off; without one, there is a hand-off without words."""
        if not parts:
            return [_ROUTE.model_copy(update={"author": self._frame.path})]
        last = max((i for i, part in enumerate(parts) if part.kind in ("message", "tool_result")), default=None)
        if last is not None:
            parts[last] = parts[last].model_copy(update={"kind": "handoff", "editable": True})
        return parts

    def closed(self, delivery: Delivery | None) -> Any:
        """What the node is to return, after all alterations."""
        value = self.value
        if delivery is not None:
            if delivery.changed:
                value = self._delivered(value, delivery)
            if delivery.route is not None and delivery.route != self.target and self._route is not None:
                node = self._tracker.node_of(self._frame, delivery.route, parent=self._route.parent)
                value = redirected(value, node) if node is not None else value
            self._number(value, delivery)
        return value

    def _number(self, value: Any, delivery: Delivery) -> None:
        """Keep which steps tell the messages that leave the node.

        Not of a graph that is called inside a function: where that is served, its steps are told by the core.
        """
        if self._frame.shape is None:
            return
        numbers = {part.id: number for part, number in zip(self._steps, delivery.steps, strict=False)}
        for text in texts_of_update(value, self._tracker.naming):
            if (number := numbers.get(text.part.id)) is not None:
                self._tracker.provenance.told(text, number)
                self._tracker.provenance.called(text.part.call_id, number)

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


def _with_other(text: str, old: str, new: str) -> str | None:
    """A text that was made from an older one, by adding to it, with that one replaced; None if it was not."""
    if not old or old not in text:
        return None
    if text.endswith(old) and not text.startswith(old):
        return text.removesuffix(old) + new
    return text.replace(old, new, 1)


def _is_made_up(text: Text) -> bool:
    """Whether this is the tool half of the pair of messages by which a supervisor says that control comes back."""
    message = text.message
    if message is None or not _compat.is_hand_back(message):
        return False
    return isinstance(message, ToolMessage) or text.part.kind == "tool_call"
