"""The simulated chat model as a model client of AutoGen."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    ModelFamily,
    RequestUsage,
    SystemMessage,
)

from aegis_core.world import Message, SimulatedModel, ToolCall, ToolSpec

__all__ = ["SimulatedChatClient"]


class SimulatedChatClient(ChatCompletionClient):
    """`aegis_core.world.SimulatedModel` behind AutoGen's interface: tools, usage, streams; no network.

    Agents are told apart by the sources of their messages. Ids of tool calls are derived from the conversation.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    component_type = "model"

    def __init__(self, *, seed: int = 0, slip_rate: float = 0.5) -> None:
        self._model = SimulatedModel(seed, slip_rate)
        self._last, self._total = RequestUsage(0, 0), RequestUsage(0, 0)

    async def create(
        self, messages: Sequence[Any], *, tools: Sequence[Any] = (), tool_choice: Any = "auto", **more: Any
    ) -> CreateResult:
        """The whole answer. Options beside tools are accepted and left alone."""
        del more
        given = [plain for message in messages for plain in _plain(message)]
        reply = self._model.reply(given, [] if tool_choice == "none" else [_spec(tool) for tool in tools])
        usage = self._count(reply.input_tokens, reply.output_tokens)
        calls = [
            FunctionCall(id=call.id, name=call.name, arguments=json.dumps(dict(call.arguments)))
            for call in reply.tool_calls
        ]
        if calls:
            thought = reply.content or None
            return CreateResult(
                finish_reason="function_calls", content=calls, usage=usage, cached=False, thought=thought
            )
        return CreateResult(finish_reason="stop", content=reply.content, usage=usage, cached=False)

    async def create_stream(self, messages: Sequence[Any], **options: Any) -> AsyncGenerator[str | CreateResult, None]:
        """The answer line by line, then whole."""
        result = await self.create(messages, **options)
        if isinstance(result.content, str):
            for line in result.content.splitlines(keepends=True):
                yield line
        yield result

    async def close(self) -> None:
        """There is nothing to close."""

    def actual_usage(self) -> RequestUsage:
        """Of the last call."""
        return self._last

    def total_usage(self) -> RequestUsage:
        """Of all calls."""
        return self._total

    def count_tokens(self, messages: Sequence[Any], *, tools: Sequence[Any] = ()) -> int:
        """Words, roughly."""
        del tools
        return sum(len(plain.content.split()) for message in messages for plain in _plain(message))

    def remaining_tokens(self, messages: Sequence[Any], *, tools: Sequence[Any] = ()) -> int:
        """There is no end to them."""
        return 1_000_000 - self.count_tokens(messages, tools=tools)

    @property
    def capabilities(self) -> Any:
        """What `model_info` says."""
        return self.model_info

    @property
    def model_info(self) -> Any:
        """What the model can do."""
        return {
            "vision": False,
            "function_calling": True,
            "json_output": False,
            "family": ModelFamily.UNKNOWN,
            "structured_output": False,
            "multiple_system_messages": True,
        }

    def _count(self, read: int, written: int) -> RequestUsage:
        self._last = RequestUsage(prompt_tokens=read, completion_tokens=written)
        self._total = RequestUsage(
            prompt_tokens=self._total.prompt_tokens + read, completion_tokens=self._total.completion_tokens + written
        )
        return self._last


def _plain(message: Any) -> Iterator[Message]:
    if isinstance(message, SystemMessage):
        yield Message("system", message.content)
    elif isinstance(message, FunctionExecutionResultMessage):
        for result in message.content:
            yield Message("tool", result.content, result.name, tool_call_id=result.call_id)
    elif isinstance(message, AssistantMessage):
        if isinstance(message.content, str):
            yield Message("assistant", message.content, message.source)
        else:
            calls = tuple(ToolCall(call.id, call.name, _arguments(call.arguments)) for call in message.content)
            yield Message("assistant", message.thought or "", message.source, calls)
    else:
        content = message.content
        texts = [content] if isinstance(content, str) else [item for item in content if isinstance(item, str)]
        yield Message("user", "\n".join(texts), message.source)


def _arguments(written: str) -> Mapping[str, str]:
    found = json.loads(written or "{}")
    return {str(key): str(value) for key, value in found.items()}


def _spec(tool: Any) -> ToolSpec:
    schema = tool if isinstance(tool, Mapping) else tool.schema
    arguments = tuple(schema.get("parameters", {}).get("properties", {}))
    return ToolSpec(schema["name"], schema.get("description", ""), arguments)
