"""Model clients of a Magentic-One team: the simulated client, for which the team's prompts are made readable."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    RequestUsage,
)

from aegis_autogen.testing.chat_model import SimulatedChatClient

__all__ = ["PlainClient", "text_of_message", "wanted"]


class PlainClient(SimulatedChatClient):
    """Answers out of the messages alone. Subclasses say what; what they have to say it with is the simulated model."""

    @abstractmethod
    def answer(self, messages: Sequence[LLMMessage], tools: frozenset[str]) -> str | FunctionCall:
        """The reply to a conversation: a text, or a call of one of these tools."""

    async def create(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = (), **more: Any) -> CreateResult:
        """The next message of the agent whose conversation this is."""
        del more
        names = frozenset(tool["name"] if isinstance(tool, dict) else tool.schema["name"] for tool in tools)
        said = self.answer(messages, names)
        spent = len(said.arguments if isinstance(said, FunctionCall) else said) // 4 + 1
        given = sum(len(text_of_message(message)) // 4 + 1 for message in messages)
        return CreateResult(
            finish_reason="function_calls" if isinstance(said, FunctionCall) else "stop",
            content=[said] if isinstance(said, FunctionCall) else said,
            usage=RequestUsage(prompt_tokens=given, completion_tokens=spent),
            cached=False,
        )

    @property
    def model_info(self) -> Any:
        """It writes JSON as well, as an orchestrator has to."""
        return {**super().model_info, "json_output": True}


def wanted(tool: str, caller: str, messages: Sequence[LLMMessage], **arguments: str) -> FunctionCall:
    """A call of a tool, with an id of its own: that of no other agent's call, and the same for the same messages."""
    said = "\x1f".join((caller, tool, *(text_of_message(message) for message in messages)))
    call_id = f"call_{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"
    return FunctionCall(id=call_id, name=tool, arguments=json.dumps(arguments))


def text_of_message(message: LLMMessage) -> str:
    """All text of a message; a call of a tool has none."""
    content: Any = message.content
    if isinstance(message, FunctionExecutionResultMessage):
        return "\n".join(result.content for result in message.content)
    if isinstance(message, AssistantMessage) and not isinstance(content, str):
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(item for item in content if isinstance(item, str))
