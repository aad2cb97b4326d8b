"""Scripted models behind CAMEL's own interface; no network."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from camel.models import BaseModelBackend
from camel.models.stub_model import StubTokenCounter
from camel.types import ChatCompletion, ModelType
from camel.utils import BaseTokenCounter

from aegis_camel import _compat
from aegis_camel.texts.pieces import pieces
from aegis_core.testing import Reply, Script

__all__ = ["ScriptedModel", "completion", "texts_of", "tool_names", "words"]


def completion(
    text: str = "",
    calls: Sequence[Mapping[str, Any]] = (),
    *,
    usage: tuple[int, int] | None = (7, 3),
    others: Sequence[str] = (),
) -> ChatCompletion:
    """What a provider answers.

    Args:
        calls: the tools that it wants called, each with `id`, `name` and `arguments` (a mapping).
        others: further choices.
    """
    asked = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for call in calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text, "tool_calls": asked or None}
    choices = [{"index": 0, "finish_reason": "tool_calls" if asked else "stop", "message": message}]
    for number, other in enumerate(others, 1):
        more = {"role": "assistant", "content": other}
        choices.append({"index": number, "finish_reason": "stop", "message": more})
    told = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)} if usage else None
    return ChatCompletion.model_validate(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": choices,
            "usage": told,
        }
    )


def texts_of(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """All texts of a request."""
    return [
        message["content"] for message in messages if isinstance(message.get("content"), str) and message["content"]
    ]


def tool_names(tools: Any) -> list[str]:
    """The names of the tools that are offered."""
    return [tool["function"]["name"] for tool in tools or ()]


def words(text: str) -> list[str]:
    """A text in pieces."""
    return re.findall(r"\S+\s*", text)


class ScriptedModel(BaseModelBackend):
    """A model that answers by a function of the messages and the tools.

    Args:
        answer: what it answers, a `ChatCompletion`; for `arun` it may be a coroutine function.
        stream: whether it gives its answers in pieces.
    """

    def __init__(self, answer: Callable[..., Any], *, aanswer: Any = None, stream: bool = False, **more: Any) -> None:
        super().__init__(ModelType.STUB, {"stream": True} if stream else {}, **more)
        self._answer, self._aanswer = answer, aanswer

    @classmethod
    def of(cls, script: Script, agent: str, *, stream: bool = False) -> ScriptedModel:
        """The model of an agent of a script, with the key and the headers of a client."""
        headers = {"Authorization": script.header}

        def given(messages: Any, tools: Any, held: str) -> dict[str, Any]:
            return {
                "agent": agent,
                "texts": texts_of(messages),
                "tools": tool_names(tools),
                "secrets": (held, *headers.values()),
            }

        def answer(messages: Any, tools: Any) -> ChatCompletion:
            return _told(script.reply(**given(messages, tools, _compat.api_key(model))))

        async def aanswer(messages: Any, tools: Any) -> ChatCompletion:
            return _told(await script.areply(**given(messages, tools, _compat.api_key(model))))

        model = cls(answer, aanswer=aanswer, stream=stream, api_key=script.api_key)
        return model

    @property
    def token_counter(self) -> BaseTokenCounter:
        if not self._token_counter:
            self._token_counter = StubTokenCounter()
        return self._token_counter

    def _run(self, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        del response_format
        if self.model_config_dict.get("stream"):
            return self._stream(messages, tools)
        return self._answer(messages, tools)

    def _stream(self, messages: Any, tools: Any) -> Iterator[Any]:
        yield from pieces(self._answer(messages, tools))

    async def _arun(self, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        del response_format
        if self.model_config_dict.get("stream"):
            return self._astream(messages, tools)
        return await self._aanswered(messages, tools)

    async def _aanswered(self, messages: Any, tools: Any) -> Any:
        return self._answer(messages, tools) if self._aanswer is None else await self._aanswer(messages, tools)

    async def _astream(self, messages: Any, tools: Any) -> AsyncIterator[Any]:
        for piece in pieces(await self._aanswered(messages, tools)):
            yield piece


def _told(reply: Reply) -> ChatCompletion:
    wanted = reply.tool
    calls = [{"id": wanted.call_id, "name": wanted.name, "arguments": {"place": wanted.argument}}] if wanted else []
    return completion(reply.text, calls, usage=(reply.input_tokens, reply.output_tokens))
