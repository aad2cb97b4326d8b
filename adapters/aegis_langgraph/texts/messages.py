"""Messages as parts, and edited parts written into copies of messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.values import is_chat_message
from aegis_core.trajectory import StepKind
from aegis_langgraph.texts.blocks import data_of, reasoning_of, text_of, with_text

__all__ = [
    "MessageReader",
    "as_messages",
    "call_text",
    "message_parts",
    "message_text",
    "offered",
    "plain",
    "read_message",
    "role_of",
    "tool_calls",
    "write_dict",
    "write_message",
]

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "developer": "system", "tool": "tool"}
_KINDS: dict[str, StepKind] = {"tool": "tool_result", "system": "system"}


_DEPENDS_ON: dict[type[BaseMessage], str] = {
    HumanMessage: "type",
    AIMessage: "tool_calls",
    SystemMessage: "type",
    ToolMessage: "tool_call_id",
}
"""On which field the parts of a message depend beside its content and name, for those that can be one text."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The parts of a message by place, and what they were made of.

    It holds the message, so that no other can have its id.
    """

    message: BaseMessage
    content: str
    name: str | None
    field: str
    value: object
    parts: dict[str, tuple[Part, ...]]


class MessageReader:
    """Reads messages as parts. Histories come again in every turn: what is one text is read once, until it is changed.

    Args:
        authors: paths of agents by the names that messages carry.
    """

    def __init__(self, authors: Mapping[str, str]) -> None:
        self.authors = authors
        self._read: dict[int, _Read] = {}

    def parts(self, path: str, message: BaseMessage) -> tuple[Part, ...]:
        """As `message_parts`."""
        read = self._read.get(id(message))
        if (
            read is None
            or read.message is not message
            or read.content is not message.content
            or read.name != message.name
            or read.value != getattr(message, read.field)
        ):
            return self._anew(path, message)
        known = read.parts.get(path)
        if known is None:
            elsewhere = next(iter(read.parts.values()))
            known = read.parts[path] = tuple(part.model_copy(update={"id": path}) for part in elsewhere)
        return known

    def _anew(self, path: str, message: BaseMessage) -> tuple[Part, ...]:
        content, parts = message.content, tuple(message_parts(path, message, self.authors))
        field = _DEPENDS_ON.get(type(message))
        if field is not None and type(content) is str and len(parts) == 1 and not tool_calls(message):
            value = [] if field == "tool_calls" else getattr(message, field)
            self._read[id(message)] = _Read(message, content, message.name, field, value, {path: parts})
        return parts


def message_parts(path: str, message: BaseMessage, authors: Mapping[str, str]) -> Iterator[Part]:
    """The texts of a message: what was thought, what is said, with other content as data, then its tool calls.

    Args:
        path: where the message stands; the ids of its parts begin with it.
        authors: paths of agents by the names that messages carry.
    """
    if isinstance(message, RemoveMessage):
        return
    role = role_of(message)
    kind = _KINDS.get(role, "message")
    author = authors.get(message.name or "", "user" if role == "user" and not message.name else "")
    calls = tool_calls(message)
    shared: dict[str, Any] = {
        "role": role,
        "author": author,
        "kind": kind,
        "editable": role != "tool",
        "call_id": message.tool_call_id if isinstance(message, ToolMessage) else None,
    }
    if thought := reasoning_of(message):
        yield Part(id=f"{path}.reasoning", text=thought, **shared | {"kind": "thought", "editable": False})
    text, data = message_text(message), data_of(message)
    if text or data or not calls:
        yield Part(id=path, text=text, data=data or None, **shared)
    for index, call in enumerate(calls):
        yield Part(
            id=f"{path}.tool_calls[{index}]",
            text=call_text(call),
            role=role,
            author=author,
            kind="tool_call",
            editable=False,
            call_id=call.get("id"),
            data={"name": str(call.get("name", "")), "args": plain(call.get("args"))},
        )


def role_of(message: BaseMessage) -> str:
    """Who speaks, in the model's terms."""
    kind = message.type.removesuffix("MessageChunk").lower()
    if kind == "chat":
        return str(getattr(message, "role", "user"))
    return _ROLES.get(kind, "tool" if kind == "function" else kind)


def message_text(message: BaseMessage) -> str:
    """All text of a message, as one."""
    return text_of(message.content)


def tool_calls(message: BaseMessage) -> list[dict[str, Any]]:
    """The tool calls of a message as plain dicts."""
    return [dict(call) for call in message.tool_calls] if isinstance(message, AIMessage) else []


def call_text(call: Mapping[str, Any]) -> str:
    """A tool call in words: `name(key=value, …)`, values as JSON."""
    args = plain(call.get("args"))
    shown = (
        ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in args.items())
        if isinstance(args, dict)
        else json.dumps(args, ensure_ascii=False)
    )
    return f"{call.get('name', '')}({shown})"


def plain(value: Any) -> JsonValue:
    """JSON data; what has no such form is named by its type."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    return f"<{type(value).__name__}>"


_OFFERED = ("tools", "tool_choice", "response_format", "stop")


def offered(options: Mapping[str, Any]) -> JsonValue:
    """What else a model's answer depends on, among all that it is called with: tools, and the form of the answer.

    Tools in one order, since a supervisor has them in another one in each process.
    """
    told = {name: plain(options.get(name)) for name in _OFFERED}
    if isinstance(tools := told["tools"], list):
        told["tools"] = sorted(tools, key=lambda tool: json.dumps(tool, sort_keys=True))
    return dict(told)


def write_message(path: str, message: BaseMessage, texts: Mapping[str, str]) -> BaseMessage:
    """A copy of the message with this text; its id, name, class, tool calls and other blocks stay."""
    new = texts.get(path)
    if new is None or new == message_text(message):
        return message
    return message.model_copy(update={"content": with_text(message.content, new)})


_SPEAKERS = frozenset({"user", "human", "assistant", "ai", "system", "developer", "tool", "function"})


def read_message(value: Any) -> BaseMessage | None:
    """The message that a dict in the form of the providers is (`{"role": "user", "content": "…"}`), or None."""
    if not is_chat_message(value) or value["role"] not in _SPEAKERS:
        return None
    read = as_messages([dict(value)])
    return read[0] if read else None


def as_messages(values: Sequence[Any]) -> list[BaseMessage] | None:
    """The messages that LangChain makes of values in any form that it knows; None if one has no such form."""
    try:
        return convert_to_messages(list(values))
    except (NotImplementedError, ValueError, KeyError, TypeError):  # what LangChain raises, by form; not documented
        return None


def write_dict(path: str, value: Mapping[str, Any], texts: Mapping[str, str]) -> Mapping[str, Any]:
    """The same as `write_message`, for a dict that is a message."""
    new, content = texts.get(path), value["content"] or ""
    return value if new is None or new == text_of(content) else {**value, "content": with_text(content, new)}
