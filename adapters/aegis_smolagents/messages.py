"""Messages that a model of smolagents is sent, as parts, and copies of them with other texts; tool calls in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import plain_data
from aegis_core.trajectory import StepKind
from aegis_smolagents._compat import ChatMessage
from aegis_smolagents.anatomy import put_together, take_apart

__all__ = ["Requests"]

_ROLES = {"tool-call": "assistant", "tool-response": "tool"}
_KINDS: dict[str, StepKind] = {"tool-call": "tool_call", "tool-response": "tool_result"}


class Requests:
    """Reads the requests of one agent. A history is sent again with each call, so each of its texts is read once."""

    def __init__(self) -> None:
        self.known: dict[str, None] = {}
        """What the agent's calls have brought, as its memory has it."""
        self._read: dict[tuple[str, str, str], tuple[Part, ...]] = {}

    def parts(self, messages: Sequence[ChatMessage | dict[str, Any]]) -> tuple[Part, ...]:
        """The texts of a request in order, each as somebody wrote it; an image is a part without a text."""
        found: list[Part] = []
        for index, message in enumerate(messages):
            role, content = _fields(message)
            if isinstance(content, str):
                found += self._text_parts(f"[{index}]", role, content)
            for position, item in enumerate(content if isinstance(content, list) else ()):
                place = f"[{index}][{position}]"
                if isinstance(item, dict) and isinstance(item.get("text"), str):
                    found += self._text_parts(place, role, item["text"])
                else:
                    found.append(Part(id=place, text="", role=role, editable=False, data=_described(item)))
        return tuple(found)

    def _text_parts(self, place: str, role: str, text: str) -> tuple[Part, ...]:
        known = self._read.get((place, role, text))
        if known is None:
            said, kind = _ROLES.get(role, role), _KINDS.get(role, "message")
            pieces = take_apart(role, text, tuple(self.known))
            known = tuple(part for piece in pieces for part in piece.parts(place, said, kind))
            self._read[place, role, text] = known
        return known

    def written(
        self, messages: Sequence[ChatMessage | dict[str, Any]], texts: Mapping[str, str]
    ) -> list[ChatMessage | dict[str, Any]]:
        """The messages with these texts replaced, by part id; what is not touched is shared, not copied."""
        return [_written(message, f"[{index}]", texts, tuple(self.known)) for index, message in enumerate(messages)]


def _fields(message: ChatMessage | dict[str, Any]) -> tuple[str, Any]:
    if isinstance(message, dict):
        role, content = message.get("role", ""), message.get("content")
    else:
        role, content = message.role, message.content
    return str(getattr(role, "value", role)), content


def _described(item: Any) -> JsonValue:
    """What is no text, by kind and size, never by its bytes."""
    kind = item.get("type", "") if isinstance(item, dict) else type(item).__name__
    value = item.get(kind) if isinstance(item, dict) else item
    size = getattr(value, "size", None)
    return {"type": str(kind), "size": plain_data(size)}


def _written(message: Any, place: str, texts: Mapping[str, str], known: Collection[str]) -> Any:
    if not any(name.startswith(place) for name in texts):
        return message
    role, content = _fields(message)
    new: Any = content
    if isinstance(content, str):
        new = put_together(take_apart(role, content, known), place, texts)
    elif isinstance(content, list):
        new = [_item_written(item, role, f"{place}[{index}]", texts, known) for index, item in enumerate(content)]
    return {**message, "content": new} if isinstance(message, dict) else dataclasses.replace(message, content=new)


def _item_written(item: Any, role: str, place: str, texts: Mapping[str, str], known: Collection[str]) -> Any:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return item
    return {**item, "text": put_together(take_apart(role, item["text"], known), place, texts)}
