"""Of which steps the messages of a state are the texts, by the messages and their ids.

Two messages that say the same are told apart by it. What a function makes of others' words has no id that is known
here; of that the core judges by the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from aegis_langgraph.texts.state import Text

__all__ = ["Provenance"]

_PIECE = re.compile(r"\.(?:reasoning|tool_calls\[\d+\])$")
"""What part of a message a part is, if it is not what is said."""


@dataclass
class _Said:
    """A message, held so that no other can have its identity, with the numbers of its steps by piece."""

    origin: Any
    steps: dict[str, int] = field(default_factory=dict)


class Provenance:
    """Keeps the numbers of steps by the messages that they tell."""

    def __init__(self) -> None:
        self._by_object: dict[int, _Said] = {}
        self._by_id: dict[str, _Said] = {}
        self._unnamed: list[tuple[Text, _Said]] = []
        """Those that had no id when they were told: LangGraph gives them one when it takes them into the state."""
        self._by_call: dict[str, int] = {}
        self._lock = RLock()

    def told(self, text: Text, number: int) -> None:
        """A step tells this text of a message."""
        if text.message is None:
            return
        with self._lock:
            said = self._by_object.setdefault(id(text.origin), _Said(text.origin))
            said.steps[_piece(text)] = number
            if text.message_id is None:
                self._unnamed.append((text, said))
            else:
                self._by_id[text.message_id] = said

    def called(self, call_id: str | None, number: int) -> None:
        """A step tells the call of a tool."""
        if call_id:
            self._by_call[call_id] = number

    def of(self, text: Text) -> int | None:
        """The number of the step that a text of a state is; None if it is not known."""
        if text.message is None:
            return None
        with self._lock:
            self._name()
            said = self._by_object.get(id(text.origin)) or self._by_id.get(text.message_id or "") or self._bound(text)
        number = said.steps.get(_piece(text)) if said is not None else None
        return self._by_call.get(text.part.call_id or "") if number is None and _is_call(text) else number

    def _bound(self, text: Text) -> _Said | None:
        """The first of those without an id that is like this: where a node returns pairs or dicts, LangGraph makes
        messages of them that are not those that were told.
        """
        said = next((said for other, said in self._unnamed if _is_like(text, other)), None)
        if said is None:
            return None
        self._unnamed = [(other, each) for other, each in self._unnamed if each is not said]
        if text.message_id is not None:
            self._by_id[text.message_id] = said
        return said

    def _name(self) -> None:
        unnamed, self._unnamed = self._unnamed, []
        for text, said in unnamed:
            if text.message_id is None:
                self._unnamed.append((text, said))
            else:
                self._by_id[text.message_id] = said


def _piece(text: Text) -> str:
    found = _PIECE.search(text.part.id)
    return found.group() if found is not None else ""


def _is_like(text: Text, other: Text) -> bool:
    if text.message is None or other.message is None or _piece(text) != _piece(other):
        return False
    kind, name = text.message.type, text.message.name
    return (kind, name, text.part.text) == (other.message.type, other.message.name, other.part.text)


def _is_call(text: Text) -> bool:
    return text.part.kind == "tool_call"
