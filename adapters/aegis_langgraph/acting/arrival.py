"""A node is about to run: what it is to get, and with what its turn begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import JsonValue

from aegis_core.adapter import Part, Turn
from aegis_core.run.recorder import OrderKey
from aegis_core.run.values import plain_data
from aegis_langgraph.texts.messages import call_text, plain, tool_calls
from aegis_langgraph.texts.state import Text, entries, holds_message, texts_of, write
from aegis_langgraph.watching.frames import Frame, precedes
from aegis_langgraph.watching.tracker import Edit, Tracker, TurnState

__all__ = ["Arrival", "asked_tools"]


@dataclass(frozen=True)
class _Had:
    """What a state holds at one moment: its texts, the values that hold no messages as plain data, and its keys."""

    texts: tuple[Text, ...]
    data: Mapping[str, JsonValue]
    keys: frozenset[str]


class Arrival:
    """What one execution of a node gets.

    `raw` is the input as the graph has it; `given` is the input for the node: the agent's own words as the agent
    wrote them, and this turn's alterations. `had` is what was in both before the node ran: it may change its input in
    place and return that.
    """

    def __init__(self, tracker: Tracker, frame: Frame, state: TurnState, raw: Any) -> None:
        self._tracker = tracker
        self._frame = frame
        self._state = state
        self.raw = raw
        self._showed: list[Edit] = []
        self.given = raw if frame.role == "tools" else self._remembered(raw)
        self.had = (self._content(raw),) if self.given is raw else (self._content(raw), self._content(self.given))

    def _content(self, state: Any) -> _Had:
        values = dict(entries(state))
        data = {key: plain_data(value) for key, value in values.items() if not holds_message(value)}
        return _Had(texts_of(state, self._tracker.naming), data, frozenset(values))

    def showed(self, view: Edit) -> bool:
        """Whether what the node gets holds a text as only this agent sees it."""
        return any(view.text == edit.text for edit in (*self._showed, *self._state.edits))

    def _remembered(self, given: Any) -> Any:
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
                    self._showed.append(edit)
        return write(given, new)

    def opening(self) -> dict[str, Any]:
        """What the turn begins with: arguments of `Run.begin_turn`."""
        frame = self._frame
        if frame.role == "tools":
            asked = (str(call.get("id")) for call in asked_tools(self.given))
            self._state.places |= {call_id: index for index, call_id in enumerate(asked)}
        self._state.seen = self.had[-1].texts
        self._state.known = tuple(text for had in self.had for text in had.texts)
        scopes: tuple[str, ...] = ()
        if frame.role == "tools":
            parts = self.requested()
        else:
            parts, scopes = self._offered()
        if (met := frame.meet()) is not None:
            self._tracker.run.recorder.declare([met])
        inside = _enclosing_order(frame)

        def earlier(key: OrderKey) -> bool:
            return key[: len(inside)] == inside and precedes(key, frame.turn_order)

        recorder = self._tracker.run.recorder
        known = {
            text.part.id: (number,) if earlier(recorder.orders((number,))[0]) else ()
            for text in (self._state.seen if frame.role != "tools" else ())
            if (number := self._tracker.provenance.of(text)) is not None
        }
        parts, parents = recorder.sources(parts, frame.path, precedes=earlier, known=known)
        return {
            "agent": frame.path,
            "parts": parts,
            "branch": frame.branch,
            "order": frame.turn_order,
            "parents": parents,
            "scopes": scopes,
            "nested": _is_nested(frame),
        }

    def _offered(self) -> tuple[tuple[Part, ...], tuple[str, ...]]:
        """The parts that can be altered, and how far that would reach."""
        seen = self._state.seen
        if not self._tracker.altering or self._frame.shape is None:
            return tuple(text.part for text in seen), ()
        at_once = () if self._frame.shape.caught else ("ephemeral",)  # else where the model is asked
        if "persistent" not in self._tracker.planned_scopes(self._frame.path):
            return tuple(text.part for text in seen), at_once
        lasting = [self._lasts(text) for text in seen]
        parts = tuple(
            text.part if lasts else text.part.model_copy(update={"editable": False})
            for text, lasts in zip(seen, lasting, strict=True)
        )
        return parts, ("persistent", *at_once) if any(lasting) else at_once

    def _lasts(self, text: Text) -> bool:
        """Whether the text can be known again in a later turn: by the id of its message, or by its key."""
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
            if turn.scope == "persistent":  # shown to this agent again whenever it meets the text, and to no other
                self._tracker.keep(self._frame.path, [edit.turned() for edit in self._state.edits])
            self.given = write(self.given, texts)
            self.had = (*self.had[:1], self._content(self.given))

    def requested(self) -> tuple[Part, ...]:
        """The tool calls that a tools node is to carry out."""
        return tuple(
            Part(
                id=f"call[{index}]",
                text=call_text(call),
                editable=False,
                kind="tool_call",
                call_id=call.get("id"),
                data={"name": str(call.get("name", "")), "args": plain(call.get("args"))},
            )
            for index, call in enumerate(asked_tools(self.given))
        )

    def tool_name(self) -> str:
        """By what a tools node is told from others of the turn: its tools; the second call of one is `look[2]`."""
        names = []
        for call in asked_tools(self.given):
            known = self._state.calls.get(str(call.get("id")))
            name = str(call.get("name", ""))
            names.append(f"{name}[{known.nth + 1}]" if known is not None and known.nth else name)
        return ",".join(names)

    def tool_scopes(self) -> tuple[str, ...]:
        """Of tools that run side by side, only the first that was asked for is altered, whichever ends first."""
        known = [self._state.calls.get(str(call.get("id"))) for call in asked_tools(self.given)]
        able = self._tracker.altering and self._frame.shape is not None
        return ("call",) if able and all(call is None or call.first for call in known[:1]) else ()


def _enclosing_order(frame: Frame) -> OrderKey:
    """The key of the call that this turn happens inside of.

    The turn around it says what led to that; a turn inside is linked to what happens in there alone, since it is not
    run again when the call is served.
    """
    above = frame.parent
    while above is not None:
        if above.role in ("leaf", "tools"):
            return above.order
        above = above.parent
    return ()


def _is_nested(frame: Frame) -> bool:
    above = frame.parent
    while above is not None:
        if above.path == frame.path and above.turn_key != frame.turn_key and above.role != "agent":
            return True
        above = above.parent
    return False


def asked_tools(given: Any) -> list[dict[str, Any]]:
    """The tool calls that a tools node is given, in whichever of the forms that LangGraph uses."""
    if isinstance(given, list) and given and all(isinstance(item, dict) and "name" in item for item in given):
        return [dict(item) for item in given]
    if isinstance(given, dict) and isinstance(given.get("tool_call"), dict):
        return [dict(given["tool_call"])]
    messages = given if isinstance(given, list) else dict(entries(given)).get("messages")
    for message in reversed(messages if isinstance(messages, list | tuple) else ()):
        if isinstance(message, BaseMessage) and (calls := tool_calls(message)):
            return calls
    return []
