"""What leaves an agent, as steps: one output is one step, however many texts and figures it holds.

An output that is one text is a step with that text. Any other is a step whose content is the output as plain data,
and whose text is the same data, readable: every text in it stands there word by word. A list of chat messages is a
step for each message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import is_chat_message, leaves, plain_arguments, plain_data
from aegis_core.trajectory import Content

__all__ = ["call_data", "call_text", "output_steps", "readable", "step_texts", "whole"]


def output_steps(value: Any, parts: Sequence[Part], *, root: str = "value") -> tuple[Part, ...]:
    """The steps of an output, after all alterations.

    Args:
        value: the output as delivered.
        parts: its parts as delivered, from `value_parts` with the same `root`; for an output without any text the one
            part that stands for it.
    """
    return tuple(step for path, unit, own in _units(value, tuple(parts), root) for step in whole(unit, own, path))


def whole(value: Any, parts: Sequence[Part], path: str) -> tuple[Part, ...]:
    """The parts of one value as one, whose data is the value; as they are, if they are a text and nothing else.

    Empty, if there are neither parts nor data.
    """
    found = list(leaves(value))
    if not found or (len(found) == len(parts) == 1 and isinstance(found[0], str)):
        return tuple(parts)
    data = plain_data(value)
    first = parts[0] if parts else Part(id=path, text="")
    handed_over = any(part.kind == "handoff" for part in parts)
    update = {"id": path, "text": readable(data), "data": data, "editable": False}
    return (first.model_copy(update=update | ({"kind": "handoff"} if handed_over else {})),)


def _units(value: Any, parts: tuple[Part, ...], root: str) -> Iterator[tuple[str, Any, tuple[Part, ...]]]:
    """The values in an output that make a step each, with where they stand and their parts."""
    if _are_messages(value):
        yield from _messages(value, parts, root)
        return
    talks = {key: child for key, child in value.items() if _are_messages(child)} if isinstance(value, Mapping) else {}
    if not talks:
        yield root, value, parts
        return
    rest = {key: child for key, child in value.items() if key not in talks}
    inside = tuple(f"{root}[{key!r}]" for key in talks)
    for key, child in value.items():
        if key in talks:
            yield from _messages(child, parts, f"{root}[{key!r}]")
        elif key == next(iter(rest)):
            yield root, rest, tuple(part for part in parts if not part.id.startswith(inside))


def _are_messages(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(is_chat_message, value))


def _messages(values: Sequence[Any], parts: tuple[Part, ...], root: str) -> Iterator[tuple[str, Any, tuple[Part, ...]]]:
    for index, value in enumerate(values):
        path = f"{root}[{index}]"
        yield path, value, tuple(part for part in parts if part.id.startswith(path))


def readable(data: JsonValue) -> str:
    """Plain data as text: `key: value`, a line each, deeper ones indented; data without any text as JSON."""
    if isinstance(data, str):
        return data
    if not any(True for _ in _texts(data)):
        return json.dumps(data, ensure_ascii=False)
    return "\n".join(_lines(data, ""))


def _lines(data: JsonValue, indent: str) -> Iterator[str]:
    if isinstance(data, dict):
        named = [(f"{indent}{key}:", child) for key, child in data.items()]
    else:
        named = [(f"{indent}-", child) for child in data] if isinstance(data, list) else []
    for name, child in named:
        if isinstance(child, dict | list) and child:
            yield name
            yield from _lines(child, indent + "  ")
        else:
            yield f"{name} {child if isinstance(child, str) else json.dumps(child, ensure_ascii=False)}"


def _texts(data: JsonValue) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for child in data.values() if isinstance(data, dict) else data:
            yield from _texts(child)


def call_text(name: str, arguments: Any) -> str:
    """The call of a tool in words, as the text of its step: `name(key="value", n=3)`, values as JSON.

    Args:
        arguments: a mapping by name; whatever else is written as it is, as JSON; None: nothing.
    """
    if arguments is None:
        return f"{name}()"
    if not isinstance(arguments, Mapping):
        return f"{name}({json.dumps(plain_arguments({'': arguments})[''], ensure_ascii=False)})"
    plain = plain_arguments({str(key): value for key, value in arguments.items()})
    return f"{name}({', '.join(f'{key}={json.dumps(value, ensure_ascii=False)}' for key, value in plain.items())})"


def call_data(name: str, arguments: Any) -> dict[str, JsonValue]:
    """The call of a tool as the data of its step: `{"name": ..., "args": {...}}`."""
    given = arguments if isinstance(arguments, Mapping) else {} if arguments is None else None
    if given is None:
        return {"name": name, "args": plain_arguments({"": arguments})[""]}
    plain: dict[str, JsonValue] = plain_arguments({str(key): value for key, value in given.items()})
    return {"name": name, "args": plain}


class _Step(Protocol):
    """A step, or what one is going to be made of."""

    @property
    def text(self) -> str: ...

    @property
    def content(self) -> tuple[Content, ...]: ...


def step_texts(step: _Step) -> tuple[str, ...]:
    """The texts that a step consists of: those in its data, if its text is that of its data, else its text."""
    for content in step.content if len(step.content) == 1 else ():
        if content.type == "json" and isinstance(content.data, dict | list) and step.text == readable(content.data):
            return tuple(_texts(content.data)) or (step.text,)
    return (step.text,)
