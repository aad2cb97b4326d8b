"""What stands in the messages that smolagents makes of an agent's memory, read back: for the models of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole
from smolagents.monitoring import TokenUsage

from aegis_smolagents._compat import OBSERVATION, TASK
from aegis_smolagents.anatomy import quoted_arguments, quoted_calls

__all__ = ["Memory", "asking", "read"]


@dataclass
class Memory:
    """An agent's memory.

    `given` are the additional arguments of the task. `calls` are (id, name, arguments) of all tool calls, and
    `observed` what they brought, a text for each step.
    """

    system: str = ""
    task: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    calls: list[list[tuple[str, str, Mapping[str, str]]]] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)


def read(messages: Sequence[ChatMessage]) -> Memory:
    """The memory that these messages were made of."""
    memory = Memory()
    for message in messages:
        text = _text(message)
        if message.role == MessageRole.SYSTEM:
            memory.system = text
        elif text.startswith(TASK):
            memory.task, given = quoted_arguments(text)
            memory.given = given or {}
            memory.calls, memory.observed = [], []
        elif (called := quoted_calls(text)) is not None:
            found = [(call["id"], call["function"]) for call in called]
            memory.calls.append([(call_id, function["name"], function["arguments"]) for call_id, function in found])
        elif text.startswith(OBSERVATION):
            memory.observed.append(text.removeprefix(OBSERVATION))
    return memory


def _text(message: ChatMessage) -> str:
    content = message.content
    if isinstance(content, list):
        return "\n".join(str(item.get("text", "")) for item in content)
    return content or ""


def asking(calls: Sequence[tuple[str, str, Mapping[str, Any]]], *, n_input: int = 0, n_output: int = 0) -> ChatMessage:
    """What a model says that asks for these calls, (id, name, arguments) each."""
    made = [
        ChatMessageToolCall(
            function=ChatMessageToolCallFunction(name=name, arguments=dict(arguments)), id=call_id, type="function"
        )
        for call_id, name, arguments in calls
    ]
    usage = TokenUsage(input_tokens=n_input, output_tokens=n_output)
    return ChatMessage(role=MessageRole.ASSISTANT, content=None, tool_calls=made, token_usage=usage)
