"""What the simulated model is sent and what it replies. Plain data; a chat framework translates to and from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Message", "Reply", "ToolCall", "ToolSpec"]

MessageRole = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A call that the model asks for; `id` is derived from the conversation, so it is the same every time."""

    id: str
    name: str
    arguments: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    `name` says who wrote it ("" or "user" for the caller). `tool_calls` are those of an assistant's message;
    `tool_call_id` ties a tool's message to its call.
    """

    role: MessageRole
    content: str
    name: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True)
class ToolSpec:
    """A tool that the model may call."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """What the model says. Tokens are counted in words and marks, roughly."""

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
