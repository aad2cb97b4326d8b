"""Codec of what a model of smolagents says, whole or in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue
from smolagents.models import (
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
)
from smolagents.monitoring import TokenUsage

from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_smolagents._compat import ChatMessage, ChatMessageStreamDelta, joined
from aegis_smolagents.answers import Manner, answer_parts, write_answer
from aegis_smolagents.values import decode, encode

__all__ = ["ModelCodec"]


class ModelCodec:
    """Codec of a `ChatMessage`. What a provider sent beside (`raw`) is not kept: it may hold headers.

    Ids of tool calls stand in a list, not under a name of ids: the memory of the agent quotes them in its texts, and
    both have to stay the same.

    Args:
        manner: how the agent acts.
    """

    def __init__(self, manner: Manner) -> None:
        self._manner = manner

    def encode(self, result: ChatMessage) -> JsonValue:
        usage = result.token_usage
        return {
            "role": str(getattr(result.role, "value", result.role)),
            "content": encode(result.content),
            "calls": None if result.tool_calls is None else [_encoded(call) for call in result.tool_calls],
            "usage": None if usage is None else [usage.input_tokens, usage.output_tokens],
        }

    def decode(self, payload: JsonValue) -> ChatMessage:
        if not isinstance(payload, dict) or "calls" not in payload:
            raise ReplayError(
                "this tape was not written by the smolagents adapter; replay it with the one that wrote it"
            )
        calls, usage = payload["calls"], payload["usage"]
        return ChatMessage(
            role=MessageRole(str(payload["role"])),
            content=decode(payload["content"]),
            tool_calls=[_decoded(call) for call in calls] if isinstance(calls, list) else None,
            token_usage=TokenUsage(*usage) if isinstance(usage, list) else None,
        )

    def parts(self, result: ChatMessage) -> tuple[Part, ...]:
        return answer_parts(result, self._manner)

    def write(self, result: ChatMessage, texts: Mapping[str, str]) -> ChatMessage:
        return write_answer(result, texts, self._manner)

    def join(self, chunks: list[ChatMessageStreamDelta]) -> ChatMessage:
        return joined(chunks)

    def split(self, result: ChatMessage) -> Iterator[ChatMessageStreamDelta]:
        text = result.content if isinstance(result.content, str) else ""
        for piece in text.splitlines(keepends=True):
            yield ChatMessageStreamDelta(content=piece)
        calls = [_delta(index, call) for index, call in enumerate(result.tool_calls or ())]
        if calls or result.token_usage is not None or not text:
            yield ChatMessageStreamDelta(content="", tool_calls=calls or None, token_usage=result.token_usage)


def _encoded(call: ChatMessageToolCall) -> JsonValue:
    function = call.function
    return [function.name, encode(function.arguments), call.id, call.type, function.description]


def _decoded(data: Any) -> ChatMessageToolCall:
    name, arguments, call_id, kind, description = data
    function = ChatMessageToolCallFunction(arguments=decode(arguments), name=name, description=description)
    return ChatMessageToolCall(function=function, id=call_id, type=kind)


def _delta(index: int, call: ChatMessageToolCall) -> ChatMessageToolCallStreamDelta:
    """A tool call as a piece of a stream, in which arguments are JSON."""
    given = call.function.arguments
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    function = ChatMessageToolCallFunction(name=call.function.name, arguments=text)
    return ChatMessageToolCallStreamDelta(index=index, id=call.id, type=call.type, function=function)
