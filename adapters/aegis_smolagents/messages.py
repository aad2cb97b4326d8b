"""Messages that a model of smolagents is sent, as parts, and copies of them with other texts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import plain_data
from aegis_core.trajectory import StepKind
from aegis_smolagents._compat import ChatMessage

__all__ = ["call_data", "call_text", "request_parts", "without_call_ids", "write_request"]

_ROLES = {"tool-call": "assistant", "tool-response": "tool"}
_KINDS: dict[str, StepKind] = {"tool-call": "tool_call", "tool-response": "tool_result"}
_CALL_ID = re.compile(r"'id': '[^']*'|(?<=\ACall id: )\S+")


def request_parts(messages: Sequence[ChatMessage | dict[str, Any]]) -> tuple[Part, ...]:
    """The texts of a request in order; an image is a part without a text."""
    found: list[Part] = []
    for index, message in enumerate(messages):
        role, content = _fields(message)
        if isinstance(content, str):
            found.append(_part(f"[{index}]", role, content))
        for position, item in enumerate(content if isinstance(content, list) else ()):
            place = f"[{index}][{position}]"
            if isinstance(item, dict) and isinstance(item.get("text"), str):
                found.append(_part(place, role, item["text"]))
            else:
                found.append(_part(place, role, "", data=_described(item)))
    return tuple(found)


def _fields(message: ChatMessage | dict[str, Any]) -> tuple[str, Any]:
    if isinstance(message, dict):
        role, content = message.get("role", ""), message.get("content")
    else:
        role, content = message.role, message.content
    return str(getattr(role, "value", role)), content


def _part(place: str, role: str, text: str, data: JsonValue = None) -> Part:
    return Part(
        id=place,
        text=text,
        role=_ROLES.get(role, role),
        kind=_KINDS.get(role, "message"),
        editable=data is None,
        data=data,
    )


def _described(item: Any) -> JsonValue:
    """What is no text, by kind and size, never by its bytes."""
    kind = item.get("type", "") if isinstance(item, dict) else type(item).__name__
    value = item.get(kind) if isinstance(item, dict) else item
    size = getattr(value, "size", None)
    return {"type": str(kind), "size": plain_data(size)}


def write_request(
    messages: Sequence[ChatMessage | dict[str, Any]], texts: Mapping[str, str]
) -> list[ChatMessage | dict[str, Any]]:
    """The messages with these texts replaced, by part id; what is not touched is shared, not copied."""
    return [_written(message, f"[{index}]", texts) for index, message in enumerate(messages)]


def _written(message: Any, place: str, texts: Mapping[str, str]) -> Any:
    if not any(name == place or name.startswith(f"{place}[") for name in texts):
        return message
    _, content = _fields(message)
    if isinstance(content, list):
        new: Any = [
            {**item, "text": texts[f"{place}[{index}]"]} if f"{place}[{index}]" in texts else item
            for index, item in enumerate(content)
        ]
    else:
        new = texts.get(place, content)
    return {**message, "content": new} if isinstance(message, dict) else dataclasses.replace(message, content=new)


def without_call_ids(text: str) -> str:
    """A text of the memory without the ids of tool calls, which models draw at random."""
    return _CALL_ID.sub("", text) if "Calling tools:" in text or text.startswith("Call id: ") else text


def call_data(name: str, arguments: Any) -> JsonValue:
    """A tool call as data."""
    return {"name": name, "args": plain_data(arguments)}


def call_text(name: str, arguments: Any) -> str:
    """A tool call in words: `name(key=value, ...)`."""
    if isinstance(arguments, Mapping):
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    return f"{name}({arguments!r})" if arguments is not None else f"{name}()"
