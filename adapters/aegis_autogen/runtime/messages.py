"""Messages of a runtime as parts and back. They are whatever the user made: dataclasses, pydantic models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from autogen_core import FunctionCall, Image
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    SystemMessage,
    UserMessage,
)

from aegis_autogen.texts.requests import call_part
from aegis_core.adapter import Delivery, Part
from aegis_core.run.outputs import output_steps
from aegis_core.run.values import text_of, value_parts, write_value

__all__ = ["altered", "answer_of", "message_parts", "message_steps", "message_text"]

_ROOT = "message"
_MODEL_MESSAGES = (
    SystemMessage,
    UserMessage,
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
)
_LABELS = re.compile(r"\.(?:type|source|name)$")
"""What says who speaks, or what something is, in messages that are made for models."""


def message_parts(message: Any, author: str = "", role: str = "user") -> tuple[Part, ...]:
    """The texts of a message, each by its path. What a tool is called by may not be altered."""
    if isinstance(message, FunctionCall):
        called = call_part(f"{_ROOT}.arguments", message, author)
        return (called.model_copy(update={"role": role}),)
    if isinstance(message, FunctionExecutionResult):
        told = Part(id=f"{_ROOT}.content", text=message.content, role="tool", author=author, kind="tool_result")
        return (told.model_copy(update={"call_id": message.call_id}),)
    parts = value_parts(message, root=_ROOT, role=role, author=author)
    labels = _labels(message, _ROOT)
    return tuple(part for part in parts if part.id not in labels)


def altered(message: Any, texts: Mapping[str, str]) -> Any:
    """The message with these texts: itself, if there are none, else a copy of the same class."""
    return write_value(message, texts, root=_ROOT)


def message_steps(message: Any, delivery: Delivery) -> tuple[Part, ...]:
    """The steps of a message that leaves an agent, after all alterations: one, with its texts and its data."""
    parts = delivery.parts
    if len(parts) <= 1:
        return parts
    return output_steps(altered(message, delivery.texts()), parts, root=_ROOT)


def message_text(message: Any) -> str:
    """All texts of a message, one a line."""
    return "\n".join(part.text for part in message_parts(message))


def answer_of(message: Any) -> str | None:
    """The answer in a reply: its one text; a reply with several texts or none as data."""
    if message is None:
        return None
    parts = message_parts(message)
    return parts[0].text if len(parts) == 1 else text_of(message_text(message) or None)


def _labels(value: Any, path: str) -> set[str]:
    """The paths of what only says who speaks, in all messages for models that this one holds."""
    found: set[str] = set()
    if isinstance(value, _MODEL_MESSAGES):
        found |= {f"{path}.{name}" for name in type(value).model_fields if _LABELS.fullmatch(f".{name}")}
    for name, child in _children(value):
        found |= _labels(child, f"{path}{name}")
    return found


def _children(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, str | bytes | Image) or value is None:
        return []
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", child) for key, child in value.items()]
    if isinstance(value, list | tuple):
        return [(f"[{index}]", child) for index, child in enumerate(value)]
    names = getattr(type(value), "model_fields", None) or getattr(value, "__dataclass_fields__", None) or {}
    return [(f".{name}", getattr(value, name)) for name in names]
