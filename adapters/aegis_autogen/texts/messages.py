"""Messages between agents as parts, and back. Edits are written into copies: same class, same id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from autogen_agentchat.messages import (
    BaseChatMessage,
    HandoffMessage,
    MultiModalMessage,
    StructuredMessage,
)
from pydantic import BaseModel, ValidationError

from aegis_autogen.texts.requests import content_parts, request_parts, write_content, write_request
from aegis_core.adapter import Delivery, Part
from aegis_core.run.outputs import whole
from aegis_core.run.values import value_parts, write_value
from aegis_core.trajectory import StepKind, Usage

__all__ = [
    "added",
    "delivered_steps",
    "given_parts",
    "message_text",
    "said_parts",
    "task_text",
    "usage_of",
    "write_given",
    "write_message",
]

SAID = "said"
"""Where the message of a response stands."""
_PROBE = " ."


def given_parts(messages: Sequence[BaseChatMessage], authors: Mapping[str, str]) -> tuple[Part, ...]:
    """The texts of what an agent is given, in order."""
    return tuple(
        part
        for index, message in enumerate(messages)
        for part in _message_parts(f"[{index}]", message, "user", authors.get(message.source, message.source), authors)
    )


def said_parts(message: BaseChatMessage, author: str) -> tuple[Part, ...]:
    """The texts of what an agent said; one without any is still told, but can't be edited."""
    kind: StepKind = "handoff" if isinstance(message, HandoffMessage) else "message"
    found = [
        part.model_copy(update={"kind": kind}) if part.kind == "message" else part
        for part in _content(SAID, message, "assistant", author)
    ]
    return tuple(found) or (
        Part(id=SAID, text=message.to_model_text(), role="assistant", author=author, kind=kind, editable=False),
    )


def delivered_steps(message: BaseChatMessage, delivery: Delivery) -> Iterable[Part]:
    """What was said as steps: one, whose text is the text of the message, or its data where that is structured."""
    parts = delivery.parts
    if isinstance(message, StructuredMessage):
        return whole(write_message(message, delivery.texts()).content, parts, SAID)
    if len(parts) == 1:
        return parts
    text = write_message(message, delivery.texts()).to_model_text()
    return (parts[0].model_copy(update={"id": SAID, "text": text, "editable": False}),)


def _message_parts(
    path: str, message: BaseChatMessage, role: str, author: str, authors: Mapping[str, str]
) -> Iterator[Part]:
    yield from _content(path, message, role, author)
    if isinstance(message, HandoffMessage):  # what goes with it enters the model's context as well
        yield from request_parts(message.context, authors, root=f"{path}.context")


def _content(path: str, message: BaseChatMessage, role: str, author: str) -> Iterator[Part]:
    if isinstance(message, StructuredMessage):
        yield from _structured_parts(path, message.content, role, author)
        return
    content = getattr(message, "content", None)
    if isinstance(content, str) or isinstance(message, MultiModalMessage):
        yield from content_parts(path, content, role=role, author=author)
    else:  # a message type of the user's own
        yield Part(id=path, text=message.to_model_text(), role=role, author=author, editable=False)


def _structured_parts(path: str, content: BaseModel, role: str, author: str) -> Iterator[Part]:
    """The texts inside a model; one that its class does not leave free can't be edited."""
    for part in value_parts(content, root=path, role=role, author=author):
        free = part.editable and _valid(write_value(content, {part.id: part.text + _PROBE}, root=path))
        yield part if free == part.editable else part.model_copy(update={"editable": False})


def _valid(content: BaseModel) -> bool:
    try:
        type(content).model_validate(content.model_dump())
    except (ValidationError, ValueError, TypeError):
        return False
    return True


def write_given(messages: Sequence[BaseChatMessage], texts: Mapping[str, str]) -> list[BaseChatMessage]:
    """The messages with some texts replaced; those that are not touched are the very same objects."""
    return [_written(f"[{index}]", message, texts) for index, message in enumerate(messages)]


def write_message(message: BaseChatMessage, texts: Mapping[str, str]) -> Any:  # Any: of the same class
    """What was said, with some texts replaced."""
    return _written(SAID, message, texts)


def _written(path: str, message: BaseChatMessage, texts: Mapping[str, str]) -> BaseChatMessage:
    changes: dict[str, Any] = {}
    content = getattr(message, "content", None)
    written = (
        write_value(content, _below(path, texts), root=path)
        if isinstance(message, StructuredMessage)
        else write_content(path, content, texts)
    )
    if written is not content:
        changes["content"] = written
    if isinstance(message, HandoffMessage) and _below(f"{path}.context", texts):
        changes["context"] = write_request(message.context, texts, root=f"{path}.context")
    return message.model_copy(update=changes) if changes else message


def _below(path: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if key.startswith(path)}


def usage_of(usage: Any) -> Usage | None:  # AutoGen's RequestUsage
    """Tokens of a model call."""
    if usage is None:
        return None
    return Usage(input_tokens=max(0, usage.prompt_tokens), output_tokens=max(0, usage.completion_tokens))


def added(one: Usage | None, other: Usage | None) -> Usage | None:
    """Tokens of two model calls together; of one, if the other told none."""
    if one is None or other is None:
        return one or other
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens, output_tokens=one.output_tokens + other.output_tokens
    )


def message_text(message: Any) -> str | None:
    """The text of a message; None of what is none."""
    return message.to_model_text() if isinstance(message, BaseChatMessage) else None


def task_text(task: Any) -> str:
    """The text of a task, as teams and agents take them: a text, a message, or a list of messages."""
    if isinstance(task, str):
        return task
    messages = [task] if isinstance(task, BaseChatMessage) else list(task or ())
    return "\n".join(text for message in messages if (text := message_text(message)))
