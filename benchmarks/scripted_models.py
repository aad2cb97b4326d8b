"""A client of OpenAI that answers from a script and costs nothing.

It stands behind the frameworks' own model classes for OpenAI: those are what instrumentors know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

__all__ = ["ScriptedClient", "called", "said"]

_ids = count(1)


class ScriptedClient:
    """The same replies in the same order, over and over.

    Args:
        replies: chat completions, made by `said` and `called`.
        waits: whether its calls are awaited.
    """

    def __init__(self, replies: Sequence[Any], *, waits: bool = False) -> None:  # Any: a ChatCompletion
        self.chat = self.completions = self  # so that `client.chat.completions.create` is this object's
        self.create = self._answer_later if waits else self._answer
        self._replies = tuple(replies)
        self._asked = 0

    def _answer(self, **request: Any) -> Any:
        del request
        reply = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        return reply

    async def _answer_later(self, **request: Any) -> Any:
        return self._answer(**request)


def said(text: str) -> Any:  # a ChatCompletion
    """A reply that is a text."""
    return _completion({"content": text}, "stop")


def called(tool: str, arguments: Mapping[str, Any]) -> Any:  # a ChatCompletion
    """A reply that asks for one tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{next(_ids)}", "type": "function", "function": function}
    return _completion({"content": None, "tool_calls": [call]}, "tool_calls")


def _completion(message: Mapping[str, Any], reason: str) -> Any:
    from openai.types.chat import ChatCompletion

    return ChatCompletion.model_validate(
        {
            "id": f"completion_{next(_ids)}",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}],
            "usage": {"prompt_tokens": 200, "completion_tokens": 60, "total_tokens": 260},
        }
    )
