"""What a model is shown, as parts, and altered parts written into copies of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import plain_data
from aegis_core.trajectory import StepKind

__all__ = ["SYSTEM", "call_text", "loaded", "request_parts", "task_text", "write_request"]

SYSTEM = "system"
"""Id of the part that holds the instructions."""

_KINDS: dict[str, StepKind] = {"system": "system", "developer": "system"}
_TEXTS = ("text", "refusal")


def request_parts(system: str | None, items: Any) -> tuple[Part, ...]:
    """All texts of a request: the instructions, then the items in order. Ids of calls and messages are no parts."""
    parts = [Part(id=SYSTEM, text=system, role="system", kind="system")] if system else []
    if isinstance(items, str):
        return (*parts, Part(id="input", text=items, role="user", author="user"))
    for index, item in enumerate(items):
        parts += _item_parts(f"[{index}]", _fields(item))
    return tuple(parts)


def _fields(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    return item.model_dump(exclude_unset=True) if isinstance(item, BaseModel) else {"type": type(item).__name__}


def _item_parts(path: str, item: Mapping[str, Any]) -> Iterator[Part]:
    kind = item.get("type") or "message"
    if kind == "message":
        yield from _message_parts(path, item)
    elif kind == "function_call":
        name, arguments = str(item.get("name", "")), loaded(item.get("arguments"))
        yield Part(
            id=path,
            text=call_text(name, arguments),
            role="assistant",
            editable=False,
            kind="tool_call",
            call_id=_text_or_none(item.get("call_id")),
            data={"name": name, "args": arguments},
        )
    elif kind.endswith("_output"):
        for place, text in _texts(f"{path}.output", item.get("output")):
            call_id = _text_or_none(item.get("call_id"))
            yield Part(id=place, text=text, role="tool", editable=False, kind="tool_result", call_id=call_id)
    else:
        yield Part(id=path, text=_readable(item), role="assistant", editable=False, data={"type": kind})


def _message_parts(path: str, item: Mapping[str, Any]) -> Iterator[Part]:
    role = str(item.get("role", "user"))
    author = "user" if role == "user" else ""
    for place, text in _texts(f"{path}.content", item.get("content")):
        yield Part(id=place, text=text, role=role, author=author, kind=_KINDS.get(role, "message"))


def _texts(path: str, content: Any) -> Iterator[tuple[str, str]]:
    """The texts of a content: itself, or those of its blocks. What is no text is named by its type."""
    if isinstance(content, str):
        yield path, content
        return
    if not isinstance(content, list):
        yield path, _readable(content)
        return
    for index, block in enumerate(content):
        fields = _fields(block)
        key = next((key for key in _TEXTS if isinstance(fields.get(key), str)), None)
        yield f"{path}[{index}]", fields[key] if key is not None else f"<{fields.get('type', 'data')}>"


def _readable(value: Any) -> str:
    """Words of an item that is neither a message nor a call (reasoning, a hosted tool), without what is a secret or
    an id.
    """
    if isinstance(value, Mapping):
        spoken = [block.get("text") for block in value.get("summary") or () if isinstance(block, Mapping)]
        told = "\n".join(text for text in spoken if isinstance(text, str))
        return told or f"<{value.get('type', 'data')}>"
    return "" if value is None else str(value)


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def loaded(arguments: Any) -> JsonValue:
    """Arguments of a call as data; as they are, if they are no JSON."""
    if not isinstance(arguments, str):
        return plain_data(arguments)
    try:
        found: JsonValue = json.loads(arguments) if arguments else {}
    except ValueError:
        return arguments
    return found


def call_text(name: str, arguments: JsonValue) -> str:
    """A call in words: `name(key=value, …)`, values as JSON."""
    if isinstance(arguments, dict):
        shown = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    else:
        shown = json.dumps(arguments, ensure_ascii=False)
    return f"{name}({shown})"


def write_request(system: str | None, items: Any, texts: Mapping[str, str]) -> tuple[str | None, Any]:
    """Copies of instructions and items with the texts of these parts replaced; what is not touched is shared."""
    if not texts:
        return system, items
    system = texts.get(SYSTEM, system)
    if isinstance(items, str):
        return system, texts.get("input", items)
    return system, [_written(f"[{index}]", item, texts) for index, item in enumerate(items)]


def _written(path: str, item: Any, texts: Mapping[str, str]) -> Any:
    place = f"{path}.content"
    if not any(key == place or key.startswith(f"{place}[") for key in texts):
        return item
    fields = dict(_fields(item))
    content = fields.get("content")
    if isinstance(content, str):
        return {**fields, "content": texts.get(place, content)}
    blocks = []
    for index, block in enumerate(content or ()):
        block_fields = dict(_fields(block))
        new = texts.get(f"{place}[{index}]")
        key = next((key for key in _TEXTS if isinstance(block_fields.get(key), str)), None)
        blocks.append(block if new is None or key is None else {**block_fields, key: new})
    return {**fields, "content": blocks}


def task_text(given: Any) -> str:
    """The text of the task in what a run was started with: what the user says in it."""
    parts = request_parts(None, given) if isinstance(given, str | list | tuple) else ()
    return "\n".join(part.text for part in parts if part.author == "user")
