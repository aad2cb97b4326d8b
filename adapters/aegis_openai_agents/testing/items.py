"""Answers of a model, made for models that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents import ModelResponse, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from aegis_openai_agents.requests import request_parts
from aegis_openai_agents.streams import split

__all__ = ["answer", "asked", "events", "message", "texts_of"]


def message(text: str, *, item_id: str = "msg") -> ResponseOutputMessage:
    """A message with one text."""
    block = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id=item_id, content=[block], role="assistant", status="completed", type="message")


def asked(name: str, arguments: Mapping[str, Any], *, call_id: str) -> ResponseFunctionToolCall:
    """A call of a tool, or of a hand-off."""
    return ResponseFunctionToolCall(
        id=f"fc_{call_id}",
        call_id=call_id,
        name=name,
        arguments=json.dumps(dict(arguments), ensure_ascii=False),
        type="function_call",
        status="completed",
    )


def answer(*items: Any, input_tokens: int = 0, output_tokens: int = 0) -> ModelResponse:
    """The answer of a model, with its usage."""
    usage = Usage(
        requests=1,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=input_tokens + output_tokens,
    )
    return ModelResponse(output=list(items), usage=usage, response_id=None)


def events(whole: ModelResponse) -> Iterator[Any]:
    """An answer as the events of a stream."""
    yield from split(whole)


def texts_of(system: str | None, items: Any) -> list[str]:
    """All texts of a request that somebody said: instructions, messages, results of tools."""
    return [part.text for part in request_parts(system, items) if part.kind != "tool_call"]
