"""Model clients without a network: what they share."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)

__all__ = ["PlainClient", "text_of_message", "wanted"]


class PlainClient(ChatCompletionClient):
    """A model client that answers out of the messages alone. Subclasses say what."""

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

    async def create_stream(
        self, messages: Sequence[LLMMessage], **more: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The same, in pieces."""
        result = await self.create(messages, **more)
        if isinstance(result.content, str):
            for piece in result.content.splitlines(keepends=True):
                yield piece
        yield result

    async def close(self) -> None:
        """Nothing is open."""

    def actual_usage(self) -> RequestUsage:
        """Nothing is kept between calls."""
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    def total_usage(self) -> RequestUsage:
        """Nothing is kept between calls."""
        return self.actual_usage()

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        """A quarter of the characters."""
        del tools
        return sum(len(text_of_message(message)) // 4 + 1 for message in messages)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        """Of a context that is never full."""
        return 1_000_000 - self.count_tokens(messages, tools=tools)

    @property
    def capabilities(self) -> Any:  # a deprecated type of autogen-core
        """The same as `model_info`."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """Calls tools and writes JSON; sees no images."""
        return ModelInfo(
            vision=False, function_calling=True, json_output=True, structured_output=False, family="aegis-simulated"
        )


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
