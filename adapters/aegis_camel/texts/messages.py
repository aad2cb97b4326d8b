"""Messages as parts: those that a model is sent (dicts), and those that agents give to each other (`BaseMessage`)."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from camel.messages import BaseMessage
from pydantic import BaseModel, JsonValue

from aegis_camel.texts.shapes import shape_of
from aegis_camel.texts.wrapping import Wrapping
from aegis_core.adapter import Part
from aegis_core.run import outputs
from aegis_core.run.values import plain_arguments, plain_data

__all__ = [
    "call_text",
    "content_text",
    "input_parts",
    "output_parts",
    "output_steps",
    "read_arguments",
    "request_parts",
    "written_input",
    "written_output",
    "written_request",
]

INPUT = "input"
_HANDED = frozenset({"system", "developer", "user"})
"""Roles of messages that are made by those around the agent."""


def request_parts(messages: Sequence[Mapping[str, Any]], wrapping: Wrapping) -> tuple[Part, ...]:
    """The texts that a model is sent, in order."""
    found: list[Part] = []
    for index, message in enumerate(messages):
        role = str(message.get("role", ""))
        call_id = message.get("tool_call_id")
        kind = "tool_result" if role == "tool" else "message"
        own: dict[str, Any] = {"role": role, "call_id": call_id if isinstance(call_id, str) else None, "kind": kind}
        for place, text in _texts(message.get("content"), f"[{index}]"):
            found += wrapping.parts(place, text, **own) if role in _HANDED else (Part(id=place, text=text, **own),)
        for number, call in enumerate(message.get("tool_calls") or ()):
            found.append(_asked(f"[{index}].tool_calls[{number}]", call))
    return tuple(found)


def _texts(content: Any, place: str) -> list[tuple[str, str]]:
    """The texts of a message: its content, or what is text in it beside images."""
    if isinstance(content, str):
        return [(place, str.__str__(content))]
    blocks = content if isinstance(content, list) else []
    return [
        (f"{place}.content[{index}]", str(block["text"]))
        for index, block in enumerate(blocks)
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
    ]


def _asked(place: str, call: Any) -> Part:
    function = call.get("function", {}) if isinstance(call, Mapping) else {}
    name, arguments = str(function.get("name", "")), str(function.get("arguments", ""))
    data: JsonValue = {"name": name, "args": read_arguments(arguments)}
    text = call_text(name, arguments)
    call_id = call.get("id") if isinstance(call, Mapping) else None
    return Part(
        id=place, text=text, role="assistant", editable=False, kind="tool_call", call_id=call_id or None, data=data
    )


def call_text(name: str, arguments: Any) -> str:
    """A call of a tool as a text; arguments that are a text are JSON, or stand in it as they are."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return f"{name}({arguments})"
    return outputs.call_text(name, arguments)


def read_arguments(text: str) -> JsonValue:
    """What a model asks a tool to be called with, as plain data; as it is, if it can't be read."""
    try:
        given = json.loads(text)
    except ValueError:
        return text
    return plain_arguments(given) if isinstance(given, dict) else plain_data(given)


def written_request(messages: Sequence[Any], texts: Mapping[str, str], wrapping: Wrapping) -> list[Any]:
    """The messages with the texts of these parts replaced; copies, where there is something to replace."""
    if not texts:
        return list(messages)
    return [_written(message, f"[{index}]", texts, wrapping) for index, message in enumerate(messages)]


def _written(message: Any, place: str, texts: Mapping[str, str], wrapping: Wrapping) -> Any:
    content = message.get("content")
    if isinstance(content, str):
        new = wrapping.write(place, str.__str__(content), texts)
        return message if new == content else {**message, "content": new}
    if not isinstance(content, list) or not any(name.startswith(f"{place}.content[") for name in texts):
        return message
    blocks = []
    for index, block in enumerate(content):
        before = block.get("text") if isinstance(block, Mapping) else None
        if isinstance(before, str):
            block = {**block, "text": wrapping.write(f"{place}.content[{index}]", before, texts)}
        blocks.append(block)
    return {**message, "content": blocks}


def content_text(message: Any) -> str:
    """What a message says; a `str` is a message too."""
    if isinstance(message, BaseMessage):
        message = message.content
    return str.__str__(message) if isinstance(message, str) else ("" if message is None else str(message))


def input_parts(message: Any, wrapping: Wrapping) -> tuple[Part, ...]:
    """What an agent is told at the beginning of its turn."""
    return wrapping.parts(INPUT, content_text(message), role="user")


def written_input(message: Any, texts: Mapping[str, str], wrapping: Wrapping) -> Any:
    """The message with its text replaced: a copy, since others may hold it."""
    before = content_text(message)
    after = wrapping.write(INPUT, before, texts)
    return _with_content(message, after) if after != before else message


def _with_content(message: Any, text: str) -> Any:
    if not isinstance(message, BaseMessage):
        return text
    changed = copy.copy(message)
    changed.content = text
    changed.parsed = _parsed_again(message.parsed, text)
    return changed


def _parsed_again(parsed: Any, text: str) -> Any:
    """What was parsed from a text, parsed from the altered one; None if it does not hold that any more."""
    if isinstance(parsed, BaseModel):
        shape = shape_of(text)
        try:
            return type(parsed).model_validate(shape.data if shape.data is not None else json.loads(text))
        except ValueError:
            return None
    return shape_of(text).data if isinstance(parsed, dict) else parsed


def output_parts(messages: Sequence[Any], author: str) -> tuple[Part, ...]:
    """The texts that leave an agent."""
    found: list[Part] = []
    for index, message in enumerate(messages):
        shape = shape_of(content_text(message))
        found += shape.parts(f"msgs[{index}]", role="assistant", author=author)
    return tuple(found)


def written_output(messages: Sequence[Any], texts: Mapping[str, str]) -> list[Any]:
    """The messages with the texts of these parts replaced: copies, since the agent remembers the originals."""
    changed = []
    for index, message in enumerate(messages):
        before = content_text(message)
        after = shape_of(before).write(f"msgs[{index}]", texts)
        changed.append(_with_content(message, after) if after != before else message)
    return changed


def output_steps(messages: Sequence[Any], author: str, kind: Any, data: dict[str, Any]) -> tuple[Part, ...]:
    """The steps of what leaves an agent: one for each message that says something."""
    steps = []
    for index, message in enumerate(messages):
        text = content_text(message)
        if not text.strip():
            continue
        told, beside = shape_of(text).step()
        if data:
            beside = {**(beside if isinstance(beside, dict) else {}), **data}
        steps.append(Part(id=f"msgs[{index}]", text=told, role="assistant", author=author, kind=kind, data=beside))
    return tuple(steps)
