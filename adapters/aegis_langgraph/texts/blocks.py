"""What a message holds that is no plain text: blocks of text, reasoning, pictures, and other data.

A message is one text, however many blocks it comes in: the one that LangChain gives as `message.text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import JsonValue

from aegis_core.run.values import plain_data

__all__ = ["data_of", "reasoning_of", "text_of", "with_text"]

_CALLS = frozenset({"tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta"})
"""Blocks that repeat the tool calls of a message."""
_REASONING = frozenset({"reasoning", "thinking"})
_SEALED = frozenset({"base64", "bytes", "data", "encrypted_content", "extras", "signature"})
"""Bytes, and what only the provider can read."""


def text_of(content: Any) -> str:
    """The text of a message's content."""
    return content if isinstance(content, str) else "".join(text for text in map(_text, content) if text is not None)


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def reasoning_of(message: BaseMessage) -> str:
    """What a model thought before it spoke, as far as its provider tells it."""
    if not isinstance(message, AIMessage):
        return ""
    told = message.additional_kwargs.get("reasoning_content")
    blocks = message.content if isinstance(message.content, list) else ()
    thoughts = [text for block in blocks if isinstance(block, dict) for text in _thoughts(block)]
    return "\n".join(thoughts) or (told if isinstance(told, str) else "")


def _thoughts(block: Mapping[str, Any]) -> Iterator[str]:
    if block.get("type") not in _REASONING:
        return
    summary = block.get("summary")
    pieces = summary if isinstance(summary, list) else ()
    for text in (
        block.get("reasoning"),
        block.get("thinking"),
        *(p.get("text") for p in pieces if isinstance(p, dict)),
    ):
        if isinstance(text, str) and text:
            yield text


def data_of(message: BaseMessage) -> list[JsonValue]:
    """The blocks that are neither text, nor reasoning, nor tool calls, as plain data without bytes."""
    blocks = message.content if isinstance(message.content, list) else ()
    others = (block for block in blocks if isinstance(block, dict) and _text(block) is None)
    return [plain_data(_shown(block)) for block in others if block.get("type") not in _CALLS | _REASONING]


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _shown(child) for key, child in value.items() if key not in _SEALED and not _is_inline(child)}
    return [_shown(child) for child in value] if isinstance(value, list) else value


def _is_inline(value: Any) -> bool:
    """Whether this is an address that holds the file itself."""
    return isinstance(value, str) and value.startswith("data:")


def with_text(content: Any, text: str) -> Any:
    """Content with another text. Blocks with which the new text begins stay, the next one takes the rest."""
    if isinstance(content, str):
        return text
    blocks: list[Any] = []
    places = [index for index, block in enumerate(content) if _text(block) is not None]
    left = text
    for index, block in enumerate(content):
        own = _text(block)
        if own is None:
            blocks.append(block)
        elif index != places[-1] and own and left.startswith(own):
            blocks.append(block)
            left = left[len(own) :]
        elif left:
            blocks.append(left if isinstance(block, str) else {**block, "text": left})
            left = ""
    return [*blocks, {"type": "text", "text": left}] if left else blocks
