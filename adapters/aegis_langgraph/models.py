"""Tapping chat models, so that single calls can be served and altered inside nodes that run functions.

model = tap(ChatOpenAI(model="…"))          # then build the graph with it
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import JsonValue

from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.streams import astream, stream
from aegis_langgraph.acting.tapping import here, making_call, subclass, tapped_copy
from aegis_langgraph.signals import surfacing
from aegis_langgraph.texts.codec import ModelCodec
from aegis_langgraph.texts.messages import message_parts, plain, write_message

__all__ = ["tap"]

M = TypeVar("M", bound=BaseChatModel)


def tap(model: M) -> M:
    """A copy of a chat model whose calls are recorded one by one, served from a tape, and altered where due.

    Streams pass through while they are only recorded; they are held back and cut anew when served or altered.
    """
    tapped: M = tapped_copy(model, _model_class(type(model)))
    return tapped


@dataclass(frozen=True)
class _Request:
    parts: tuple[Part, ...]
    extra: JsonValue

    @classmethod
    def of(cls, messages: list[BaseMessage], stop: list[str] | None, kwargs: Mapping[str, Any]) -> _Request:
        parts = tuple(
            part for index, message in enumerate(messages) for part in message_parts(f"[{index}]", message, {})
        )
        return cls(parts, {"stop": plain(stop), "options": plain(dict(kwargs))})


def _edited(messages: list[BaseMessage], texts: Mapping[str, str]) -> list[BaseMessage]:
    return [write_message(f"[{index}]", message, texts) if texts else message for index, message in enumerate(messages)]


class _StreamCodec(ModelCodec):
    """Codec of a chat model's result that comes in chunks."""

    def join(self, chunks: list[ChatGenerationChunk]) -> ChatResult:
        if not chunks:
            return ChatResult(generations=[])
        whole = functools.reduce(lambda left, right: left + right, chunks)
        return ChatResult(generations=[ChatGeneration(message=whole.message, generation_info=whole.generation_info)])

    def split(self, result: ChatResult) -> Iterator[ChatGenerationChunk]:
        for generation in result.generations:
            message = generation.message
            text = message.content if isinstance(message.content, str) else ""
            pieces = text.splitlines(keepends=True) if text else []
            for piece in pieces[:-1]:
                yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            rest: Any = pieces[-1] if pieces else message.content
            fields = {name: getattr(message, name) for name in AIMessageChunk.model_fields if hasattr(message, name)}
            yield ChatGenerationChunk(
                message=AIMessageChunk(**fields | {"type": "AIMessageChunk", "content": rest}),
                generation_info=generation.generation_info,
            )


def _begun(model: Any, messages: list[BaseMessage], stop: Any, kwargs: Mapping[str, Any]) -> _Begun | None:
    """A tapped model is called inside a turn; None where it is to be itself."""
    place = here(model)
    if place is None:
        return None
    request = _Request.of(messages, stop, kwargs)
    place.watcher.claim(place.parent_id, request.parts)
    return _Begun(place.run, place.turn, request)


@dataclass(frozen=True)
class _Begun:
    run: Run
    turn: Turn
    request: _Request

    def call(self, live: Any) -> ChatResult:
        with surfacing():
            return self.run.call(self.turn, "model", self.request.parts, live, ModelCodec(), extra=self.request.extra)

    async def acall(self, live: Any) -> ChatResult:
        with surfacing():
            return await self.run.acall(
                self.turn, "model", self.request.parts, live, ModelCodec(), extra=self.request.extra
            )

    def stream(self, live: Any) -> Iterator[ChatGenerationChunk]:
        with surfacing():
            yield from stream(
                self.run, self.turn, "model", self.request.parts, live, _StreamCodec(), extra=self.request.extra
            )

    async def astream(self, live: Any) -> AsyncIterator[ChatGenerationChunk]:
        with surfacing():
            async for chunk in astream(
                self.run, self.turn, "model", self.request.parts, live, _StreamCodec(), extra=self.request.extra
            ):
                yield chunk


def _generate_like(base: Any) -> Any:
    def generate(self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        more = _manager(base._generate, run_manager) | kwargs

        def live(texts: dict[str, str]) -> Any:
            with making_call(self):
                return base._generate(self, _edited(messages, texts), stop, **more)

        begun = _begun(self, messages, stop, kwargs)
        return begun.call(live) if begun is not None else base._generate(self, messages, stop, **more)

    return generate


def _agenerate_like(base: Any) -> Any:
    async def agenerate(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        more = _manager(base._agenerate, run_manager) | kwargs

        async def live(texts: dict[str, str]) -> Any:
            with making_call(self):
                return await base._agenerate(self, _edited(messages, texts), stop, **more)

        begun = _begun(self, messages, stop, kwargs)
        return await (begun.acall(live) if begun is not None else base._agenerate(self, messages, stop, **more))

    return agenerate


def _stream_like(base: Any) -> Any:
    def streamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        more = _manager(base._stream, run_manager) | kwargs

        def live(texts: dict[str, str]) -> Any:
            return base._stream(self, _edited(messages, texts), stop, **more)

        begun = _begun(self, messages, stop, kwargs)
        yield from begun.stream(live) if begun is not None else live({})

    return streamed


def _astream_like(base: Any) -> Any:
    async def astreamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        more = _manager(base._astream, run_manager) | kwargs

        def live(texts: dict[str, str]) -> Any:
            return base._astream(self, _edited(messages, texts), stop, **more)

        begun = _begun(self, messages, stop, kwargs)
        async for chunk in begun.astream(live) if begun is not None else live({}):
            yield chunk

    return astreamed


_WAYS = {
    "_generate": _generate_like,
    "_agenerate": _agenerate_like,
    "_stream": _stream_like,
    "_astream": _astream_like,
}


@functools.cache
def _model_class(base: type[BaseChatModel]) -> type[BaseChatModel]:
    """A class like `base`, in which each way to call the model that `base` has of its own goes through the run.

    The other ways lead to these. A protocol of events that goes round them all is switched off.
    """
    methods = {
        name: like(base) for name, like in _WAYS.items() if getattr(base, name) is not getattr(BaseChatModel, name)
    }
    cls: type[BaseChatModel] = subclass(base, methods)
    for name in ("_stream_chat_model_events", "_astream_chat_model_events"):
        if getattr(base, name, None) is not None:
            setattr(cls, name, None)
    return cls


def _manager(method: Any, run_manager: Any) -> dict[str, Any]:
    return {"run_manager": run_manager} if "run_manager" in _parameters(method) else {}


@functools.cache
def _parameters(method: Any) -> frozenset[str]:
    return frozenset(inspect.signature(method).parameters)
