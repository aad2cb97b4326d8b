"""Streams of an agent that were held back: what they say as a whole, and how the altered whole is given in pieces."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from aegis_camel.texts.messages import content_text

__all__ = ["cut_anew", "said_in", "told_in"]


def said_in(chunks: Sequence[Any], said: Sequence[str]) -> list[Any]:
    """What the agent said in a stream, as one message: in the last chunk's, with the words of its model."""
    template = next((chunk.msgs[0] for chunk in reversed(chunks) if chunk.msgs), None)
    if template is None or not said or not said[0].strip():
        return []
    message = copy.copy(template)
    message.content = said[0]
    return [message]


def told_in(chunks: Sequence[Any]) -> str:
    """The answer in a stream, as far as it was given: what the agent said since it called tools the last time."""
    spoken = [chunk for chunk in chunks if any(content_text(message) for message in chunk.msgs or ())]
    if not spoken:
        return ""
    passed = [chunk for chunk in spoken if chunk.info.get("partial", True)] or spoken
    pieces = [chunk for chunk in passed if _n_tools(chunk) == _n_tools(passed[-1])]
    if not _in_pieces(pieces):
        return content_text(next(message for message in reversed(spoken[-1].msgs) if content_text(message)))
    return "".join(content_text(message) for chunk in pieces for message in chunk.msgs)


def _n_tools(chunk: Any) -> int:
    """How many tools had been called by then."""
    return len(chunk.info.get("tool_calls") or ())


def _in_pieces(chunks: Sequence[Any]) -> bool:
    """Whether each chunk holds what is new in it; in the other mode of CAMEL each holds all that was said so far."""
    modes = {chunk.info.get("stream_accumulate_mode") for chunk in chunks} - {None}
    if modes:
        return "delta" in modes
    told = [text for chunk in chunks for message in chunk.msgs if (text := content_text(message))]
    return not all(later.startswith(earlier) for earlier, later in itertools.pairwise(told))


def cut_anew(chunks: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> Iterator[Any]:
    """The chunks with other words: those that were held back, if the words are the same."""
    old, new = (content_text(messages[0]) if messages else "" for messages in (before, after))
    if old == new:
        yield from chunks
        return
    spoken = [chunk for chunk in chunks if chunk.msgs and chunk.msgs[0].content]
    if not spoken:
        yield from chunks
        return
    told = spoken[0] if _in_pieces(chunks) else spoken[-1]
    for chunk in chunks:
        if chunk is told:
            message = copy.copy(chunk.msgs[0])
            message.content = new
            yield chunk.model_copy(update={"msgs": [message]})
        elif chunk not in spoken:
            yield chunk
