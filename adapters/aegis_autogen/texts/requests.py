"""What a model is sent, as parts: AutoGen's `LLMMessage`s. Edits are written into copies."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autogen_core.models import AssistantMessage, FunctionExecutionResultMessage, SystemMessage, UserMessage
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.outputs import call_data, call_text

__all__ = ["call_args", "call_part", "content_parts", "request_parts", "write_content", "write_request"]

IMAGE = "[image]"
"""What stands for an image; its bytes are never recorded."""


def request_parts(
    messages: Sequence[Any], authors: Mapping[str, str], *, root: str = "", own: frozenset[str] = frozenset()
) -> tuple[Part, ...]:
    """The texts of a request, in order; part ids say where they stand.

    Args:
        authors: paths of agents by the names that they have as sources.
        root: what goes before each part id.
        own: names of whoever sends the request. What stands there as told by these (and not as said) is the
            framework's own prompt, which nobody wrote.
    """
    return tuple(
        part for index, message in enumerate(messages) for part in _parts(f"{root}[{index}]", message, authors, own)
    )


def _parts(path: str, message: Any, authors: Mapping[str, str], own: frozenset[str]) -> Iterator[Part]:
    if isinstance(message, SystemMessage):
        yield Part(id=path, text=message.content, role="system")
    elif isinstance(message, UserMessage):
        author = "" if message.source in own else authors.get(message.source, message.source)
        yield from content_parts(path, message.content, role="user", author=author)
    elif isinstance(message, AssistantMessage):
        author = authors.get(message.source, message.source)
        if message.thought:
            yield Part(id=f"{path}.thought", text=message.thought, role="assistant", author=author, kind="thought")
        if isinstance(message.content, str):
            yield Part(id=path, text=message.content, role="assistant", author=author)
        else:
            for index, call in enumerate(message.content):
                yield call_part(f"{path}[{index}]", call, author)
    elif isinstance(message, FunctionExecutionResultMessage):
        for index, result in enumerate(message.content):
            yield Part(
                id=f"{path}[{index}]",
                text=result.content,
                role="tool",
                kind="tool_result",
                call_id=result.call_id or None,
            )


def content_parts(path: str, content: Any, **more: Any) -> Iterator[Part]:  # Any: the fields of Part
    """The texts of a content that is a text, or a list of texts and images."""
    if isinstance(content, str):
        yield Part(id=path, text=content, **more)
        return
    for index, item in enumerate(content):
        if isinstance(item, str):
            yield Part(id=f"{path}[{index}]", text=item, **more)
        else:
            yield Part(id=f"{path}[{index}]", text=IMAGE, **{**more, "editable": False})


def call_part(path: str, call: Any, author: str) -> Part:
    """A tool call of a model."""
    args = call_args(call.arguments)
    return Part(
        id=path, text=call_text(call.name, args), role="assistant", author=author, editable=False,
        kind="tool_call", call_id=call.id or None, data=call_data(call.name, args),
    )  # fmt: skip


def call_args(arguments: str) -> JsonValue:
    """The arguments of a tool call, as data; the text as it is, if it is no JSON."""
    try:
        found: JsonValue = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return found


def write_request(messages: Sequence[Any], texts: Mapping[str, str], *, root: str = "") -> list[Any]:
    """The messages of a request with some texts replaced; those that are not touched are the very same objects."""
    return [_written(f"{root}[{index}]", message, texts) for index, message in enumerate(messages)]


def _written(path: str, message: Any, texts: Mapping[str, str]) -> Any:
    changes: dict[str, Any] = {}
    content = write_content(path, message.content, texts)
    if content is not message.content:
        changes["content"] = content
    if (thought := texts.get(f"{path}.thought")) is not None:
        changes["thought"] = thought
    return message.model_copy(update=changes) if changes else message


def write_content(path: str, content: Any, texts: Mapping[str, str]) -> Any:
    """A content with some texts replaced; itself, if none is."""
    if isinstance(content, str):
        return texts.get(path, content)
    if not isinstance(content, list):
        return content
    items = [_item(f"{path}[{index}]", item, texts) for index, item in enumerate(content)]
    return content if all(new is old for new, old in zip(items, content, strict=True)) else items


def _item(path: str, item: Any, texts: Mapping[str, str]) -> Any:
    text = texts.get(path)
    if text is None:
        return item
    if isinstance(item, str):
        return text
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return item
    return item.model_copy(update={"content": text})
