"""Tapping models and tools, so that single calls can be served and altered inside nodes that run functions.

    model = tap(ChatOpenAI(model="…"))          # then build the graph with it
    search = tap_tool(search)

A tapped model is a copy whose class derives from the model's own, so that everything that is asked of it (binding
tools, structured output, streaming, profile) is answered as before. Outside of a recorded run, and inside the nodes
of `create_agent`, which are calls themselves, it is the model itself. The run is found by the callbacks of the call.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import ensure_config
from langchain_core.tools import BaseTool
from pydantic import JsonValue

from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.streams import astream, stream
from aegis_langgraph.callbacks import Watcher
from aegis_langgraph.codec import ModelCodec, ValueCodec
from aegis_langgraph.messages import call_text, message_parts, plain, write_message
from aegis_langgraph.signals import surfacing

__all__ = ["tap", "tap_tool"]

M = TypeVar("M", bound=BaseChatModel)
T = TypeVar("T", bound=BaseTool)

_MARK = "__aegis_tapped__"
_running: ContextVar[frozenset[int]] = ContextVar("aegis_langgraph_running", default=frozenset())
"""Tapped objects that are making their call: what they call of themselves is part of it."""


def tap(model: M) -> M:
    """A copy of a chat model whose calls are recorded one by one, served from a tape, and altered where due.

    Streams pass through while they are only recorded; they are held back and cut anew when served or altered.
    """
    return _tapped(model, _model_class(type(model)))


def tap_tool(tool: T) -> T:
    """A copy of a tool whose calls are recorded one by one, served from a tape, and altered where due."""
    return _tapped(tool, _tool_class(type(tool)))


def _tapped(given: Any, cls: type) -> Any:
    if getattr(type(given), _MARK, False):
        return given
    copy = given.model_copy()
    object.__setattr__(copy, "__class__", cls)
    return copy


@contextlib.contextmanager
def _own(thing: Any) -> Iterator[None]:
    token = _running.set(_running.get() | {id(thing)})
    try:
        yield
    finally:
        _running.reset(token)


@dataclass(frozen=True)
class _Here:
    """Where a tapped thing was called."""

    run: Run
    turn: Turn
    watcher: Watcher
    parent_id: Any


def _here(thing: Any) -> _Here | None:
    """The turn around the call of a tapped thing, or None where the thing is to be itself."""
    if id(thing) in _running.get():
        return None
    callbacks = ensure_config().get("callbacks")
    if not isinstance(callbacks, BaseCallbackManager):
        return None
    watcher = next((handler for handler in callbacks.handlers if isinstance(handler, Watcher)), None)
    frame = watcher.tracker.frames.get(callbacks.parent_run_id) if watcher is not None else None
    state = watcher.tracker.state_of(frame) if watcher is not None else None
    if watcher is None or frame is None or state is None or state.turn is None:
        return None
    if frame.task.role not in ("leaf", "within"):
        return None
    return _Here(watcher.tracker.run, state.turn, watcher, callbacks.parent_run_id)


# -- models -----------------------------------------------------------------------------------------------------------


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


@functools.cache
def _model_class(base: type[BaseChatModel]) -> type[BaseChatModel]:
    """A class like `base`, in which each way to call the model that `base` has of its own goes through the run."""

    def generate(self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        more = _manager(base._generate, run_manager) | kwargs
        here = _here(self)
        if here is None:
            return base._generate(self, messages, stop, **more)
        request = _Request.of(messages, stop, kwargs)
        here.watcher.claim(here.parent_id, request.parts)

        def live(texts: dict[str, str]) -> ChatResult:
            with _own(self):
                return base._generate(self, _edited(messages, texts), stop, **more)

        with surfacing():
            return here.run.call(here.turn, "model", request.parts, live, ModelCodec(), extra=request.extra)

    async def agenerate(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        more = _manager(base._agenerate, run_manager) | kwargs
        here = _here(self)
        if here is None:
            return await base._agenerate(self, messages, stop, **more)
        request = _Request.of(messages, stop, kwargs)
        here.watcher.claim(here.parent_id, request.parts)

        async def live(texts: dict[str, str]) -> ChatResult:
            with _own(self):
                return await base._agenerate(self, _edited(messages, texts), stop, **more)

        with surfacing():
            return await here.run.acall(here.turn, "model", request.parts, live, ModelCodec(), extra=request.extra)

    def streamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        more = _manager(base._stream, run_manager) | kwargs
        here = _here(self)
        if here is None:
            yield from base._stream(self, messages, stop, **more)
            return
        request = _Request.of(messages, stop, kwargs)
        here.watcher.claim(here.parent_id, request.parts)

        def live(texts: dict[str, str]) -> Iterator[ChatGenerationChunk]:
            return base._stream(self, _edited(messages, texts), stop, **more)

        with surfacing():
            yield from stream(
                here.run, here.turn, "model", request.parts, live, _StreamCodec(), extra=request.extra
            )

    async def astreamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        more = _manager(base._astream, run_manager) | kwargs
        here = _here(self)
        if here is None:
            async for chunk in base._astream(self, messages, stop, **more):
                yield chunk
            return
        request = _Request.of(messages, stop, kwargs)
        here.watcher.claim(here.parent_id, request.parts)

        def live(texts: dict[str, str]) -> AsyncIterator[ChatGenerationChunk]:
            return base._astream(self, _edited(messages, texts), stop, **more)

        with surfacing():
            async for chunk in astream(
                here.run, here.turn, "model", request.parts, live, _StreamCodec(), extra=request.extra
            ):
                yield chunk

    ways = {"_generate": generate, "_agenerate": agenerate, "_stream": streamed, "_astream": astreamed}
    own = {name: way for name, way in ways.items() if getattr(base, name) is not getattr(BaseChatModel, name)}
    return _subclass(base, own)


def _manager(method: Any, run_manager: Any) -> dict[str, Any]:
    return {"run_manager": run_manager} if "run_manager" in _parameters(method) else {}


@functools.cache
def _parameters(method: Any) -> frozenset[str]:
    import inspect

    return frozenset(inspect.signature(method).parameters)


def _subclass(base: type, methods: Mapping[str, Any]) -> Any:
    """A class that passes for its base: by name, module and signatures."""
    wrapped = {name: functools.wraps(getattr(base, name))(method) for name, method in methods.items()}
    names = {"__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__}
    cls = type(base)(base.__name__, (base,), {**wrapped, **names})
    setattr(cls, _MARK, True)
    return cls


# -- tools ------------------------------------------------------------------------------------------------------------


@functools.cache
def _tool_class(base: type[BaseTool]) -> type[BaseTool]:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        here = _here(self)
        if here is None:
            return base._run(self, *args, **kwargs)

        def live(_: dict[str, str]) -> Any:
            with _own(self):
                return base._run(self, *args, **kwargs)

        with surfacing():
            return here.run.call(here.turn, "tool", _asked(self, args, kwargs), live, ValueCodec(), name=self.name)

    async def arun(self: Any, *args: Any, **kwargs: Any) -> Any:
        here = _here(self)
        if here is None:
            return await base._arun(self, *args, **kwargs)

        async def live(_: dict[str, str]) -> Any:
            with _own(self):
                return await base._arun(self, *args, **kwargs)

        parts = _asked(self, args, kwargs)
        with surfacing():
            return await here.run.acall(here.turn, "tool", parts, live, ValueCodec(), name=self.name)

    methods: dict[str, Any] = {"_run": run}
    if base._arun is not BaseTool._arun:
        methods["_arun"] = arun
    return _subclass(base, methods)  # type: ignore[no-any-return]


def _asked(tool: BaseTool, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Part, ...]:
    given: dict[str, Any] = {f"_{index}": value for index, value in enumerate(args)}
    given |= {name: value for name, value in kwargs.items() if name not in ("run_manager", "config")}
    call = {"name": tool.name, "args": given}
    data: JsonValue = {"name": tool.name, "args": plain(given)}
    return (Part(id="call", text=call_text(call), editable=False, kind="tool_call", data=data),)
