"""Messages that a model of smolagents is sent, as parts, and copies of them with other texts."""

from __future__ import annotations

import ast
import dataclasses
import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import plain_data, value_parts, write_value
from aegis_core.trajectory import StepKind
from aegis_smolagents._compat import CALLS, MORE, TASK, ChatMessage

__all__ = [
    "call_data",
    "call_text",
    "quoted_arguments",
    "quoted_calls",
    "request_parts",
    "without_call_id",
    "write_request",
]

_ROLES = {"tool-call": "assistant", "tool-response": "tool"}
_KINDS: dict[str, StepKind] = {"tool-call": "tool_call", "tool-response": "tool_result"}
_CALL_ID = re.compile(r"\ACall id: .*\n")


def request_parts(messages: Sequence[ChatMessage | dict[str, Any]]) -> tuple[Part, ...]:
    """The texts of a request in order; an image is a part without a text.

    smolagents quotes arguments as Python does. They are parts of their own here, as they are meant.
    """
    found: list[Part] = []
    for index, message in enumerate(messages):
        role, content = _fields(message)
        if isinstance(content, str):
            found += _text_parts(f"[{index}]", role, content)
        for position, item in enumerate(content if isinstance(content, list) else ()):
            place = f"[{index}][{position}]"
            if isinstance(item, dict) and isinstance(item.get("text"), str):
                found += _text_parts(place, role, item["text"])
            else:
                found.append(_part(place, role, "", data=_described(item)))
    return tuple(found)


def _fields(message: ChatMessage | dict[str, Any]) -> tuple[str, Any]:
    if isinstance(message, dict):
        role, content = message.get("role", ""), message.get("content")
    else:
        role, content = message.role, message.content
    return str(getattr(role, "value", role)), content


@functools.lru_cache(maxsize=512)
def _text_parts(place: str, role: str, text: str) -> tuple[Part, ...]:
    if role == "tool-call" and (called := quoted_calls(text)) is not None:
        said = value_parts(called, root=f"{place}.calls", role="assistant", kind="tool_call")
        return tuple(part.model_copy(update={"editable": False}) for part in said)
    task, more = quoted_arguments(text)
    if more is None:
        return (_part(place, role, text),)
    return (_part(place, role, task), *value_parts(more, root=f"{place}.more", role=role))


def quoted_calls(text: str) -> list[Any] | None:
    """The tool calls that a text of the memory quotes."""
    found = _literal(text.removeprefix(CALLS)) if text.startswith(CALLS) else None
    return found if isinstance(found, list) else None


def quoted_arguments(text: str) -> tuple[str, dict[str, Any] | None]:
    """The text of a task as the memory has it, and the additional arguments that it quotes at its end."""
    head, mark, rest = text.rpartition(MORE) if text.startswith(TASK) else ("", "", "")
    found = _literal(rest.removesuffix(".")) if mark else None
    return (head + mark, found) if isinstance(found, dict) else (text, None)


def _literal(text: str) -> Any:
    """What Python wrote as a literal; None where it wrote something else, such as an object."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


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
    if not any(name.startswith(place) for name in texts):
        return message
    _, content = _fields(message)
    new: Any = _text_written(content, place, texts) if isinstance(content, str) else content
    if isinstance(content, list):
        new = [_item_written(item, f"{place}[{index}]", texts) for index, item in enumerate(content)]
    return {**message, "content": new} if isinstance(message, dict) else dataclasses.replace(message, content=new)


def _item_written(item: Any, place: str, texts: Mapping[str, str]) -> Any:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return item
    return {**item, "text": _text_written(item["text"], place, texts)}


def _text_written(text: str, place: str, texts: Mapping[str, str]) -> str:
    task, more = quoted_arguments(text)
    task = texts.get(place, task)
    return task if more is None else f"{task}{write_value(more, texts, root=f'{place}.more')!r}."


def without_call_id(text: str) -> str:
    """What the memory tells of a failed call, without its id, which models draw at random."""
    return _CALL_ID.sub("Call id:\n", text, count=1)


def call_data(name: str, arguments: Any) -> JsonValue:
    """A tool call as data."""
    return {"name": name, "args": plain_data(arguments)}


def call_text(name: str, arguments: Any) -> str:
    """A tool call in words: `name(key=value, ...)`, values as JSON."""
    data = plain_data(arguments)
    given = data.items() if isinstance(data, dict) else [("", data)] if data is not None else []
    shown = [f"{key}={_json(value)}" if key else _json(value) for key, value in given]
    return f"{name}({', '.join(shown)})"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
