"""A stream of chunks as one completion, and a completion as a stream of chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from camel.types import ChatCompletion, ChatCompletionChunk

__all__ = ["joined", "pieces"]


@dataclasses.dataclass
class _Choice:
    content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish: str | None = None
    calls: dict[int, dict[str, Any]] = dataclasses.field(default_factory=dict)

    def take(self, piece: Any) -> None:
        delta = piece.delta
        self.finish = piece.finish_reason or self.finish
        if delta is None:
            return
        self.content = _longer(self.content, delta.content)
        self.reasoning = _longer(self.reasoning, getattr(delta, "reasoning_content", None))
        self.refusal = _longer(self.refusal, delta.refusal)
        for call in delta.tool_calls or ():
            own = self.calls.setdefault(call.index, {"id": "", "name": "", "arguments": ""})
            own["id"] = call.id or own["id"]
            if call.function is not None:
                own["name"] = call.function.name or own["name"]
                own["arguments"] += call.function.arguments or ""

    def whole(self, index: int) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"]},
                }
                for _, call in sorted(self.calls.items())
            ]
        return {"index": index, "finish_reason": self.finish or "stop", "message": message, "logprobs": None}


def _longer(text: str | None, more: str | None) -> str | None:
    return text if more is None else (text or "") + more


def joined(chunks: list[ChatCompletionChunk]) -> ChatCompletion:
    """The whole of a stream. Usage is that of the last chunk that tells any: providers repeat it, running."""
    choices: dict[int, _Choice] = {}
    usage: Any = None
    first: Any = chunks[0] if chunks else None
    for chunk in chunks:
        usage = chunk.usage or usage
        for piece in chunk.choices or ():
            choices.setdefault(piece.index, _Choice()).take(piece)
    data: dict[str, Any] = {
        "id": (first.id if first is not None else "") or "",
        "object": "chat.completion",
        "created": (first.created if first is not None else 0) or 0,
        "model": (first.model if first is not None else "") or "",
        "choices": [choice.whole(index) for index, choice in sorted(choices.items())],
        "usage": _told(usage),
    }
    return ChatCompletion.model_validate(data)


def _told(usage: Any) -> dict[str, Any] | None:
    """Tokens as plain data. What is None in a chunk counts as nothing."""
    if usage is None:
        return None
    data = usage if isinstance(usage, dict) else usage.model_dump()
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return {**data, **{name: data.get(name) or 0 for name in names}}


def pieces(completion: ChatCompletion) -> Iterator[ChatCompletionChunk]:
    """A stream of which `joined` makes an equal completion: for each choice its content in two, calls, an end."""
    for choice in completion.choices:
        message: Any = choice.message
        text = message.content or ""
        reasoning = getattr(message, "reasoning_content", None)
        if reasoning:
            yield _chunk(completion, choice.index, {"reasoning_content": reasoning})
        middle = len(text) // 2
        for piece in filter(None, (text[:middle], text[middle:])):
            yield _chunk(completion, choice.index, {"content": piece})
        if message.tool_calls:
            calls = [
                {"index": number, **call.model_dump(mode="json")} for number, call in enumerate(message.tool_calls)
            ]
            yield _chunk(completion, choice.index, {"tool_calls": calls})
        yield _chunk(completion, choice.index, {}, finish=choice.finish_reason)
    if completion.usage is not None:
        yield _chunk(completion, None, {}, usage=completion.usage.model_dump(mode="json"))


def _chunk(
    completion: ChatCompletion,
    index: int | None,
    delta: dict[str, Any],
    *,
    finish: str | None = None,
    usage: dict[str, Any] | None = None,
) -> ChatCompletionChunk:
    choices = (
        [] if index is None else [{"index": index, "finish_reason": finish, "delta": {"role": "assistant", **delta}}]
    )
    return ChatCompletionChunk.model_validate(
        {
            "id": completion.id,
            "object": "chat.completion.chunk",
            "created": completion.created,
            "model": completion.model,
            "choices": choices,
            "usage": usage,
        }
    )
