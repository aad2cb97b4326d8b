"""Tapping chat models, so that single calls can be served and altered inside nodes that run functions.

model = tap(ChatOpenAI(model="…"))          # then build the graph with it
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableBinding, RunnableSequence

from aegis_langgraph import _compat
from aegis_langgraph.acting.model_call import ModelCall
from aegis_langgraph.acting.tapping import making_call, subclass, tapped_copy

__all__ = ["tap", "tapping"]

M = TypeVar("M", bound=BaseChatModel)


def tap(model: M) -> M:
    """A copy of a chat model whose calls are recorded one by one, served from a tape, and altered where due.

    Streams pass through while they are only recorded; they are held back and cut anew when served or altered.
    """
    tapped: M = tapped_copy(model, _model_class(type(model)))
    return tapped


def tapping() -> Callable[[Any], Any]:
    """A function that taps what a model node calls: chat models, bound or behind a prompt. One model gives one tapped
    copy, so that what it counts goes on counting; what is no chat model stays as it is.
    """
    known: dict[int, tuple[Any, Any]] = {}  # holds the models, so that no other can have the same id

    def tapped(model: Any) -> Any:
        if isinstance(model, BaseChatModel):
            return known.setdefault(id(model), (model, tap(model)))[1]
        if isinstance(model, RunnableBinding):
            return model.model_copy(update={"bound": tapped(model.bound)})
        if isinstance(model, RunnableSequence):
            *before, last = model.steps
            return RunnableSequence(*before, tapped(last), name=model.name)
        return model

    return tapped


def _generate_like(real: Any) -> Any:
    def generate(self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        more = _manager(real, run_manager) | kwargs

        def live(messages: Any) -> Any:
            with making_call(self):
                return real(self, messages, stop, **more)

        begun = ModelCall.of(self, messages, stop, kwargs)
        return begun.call(live) if begun is not None else real(self, messages, stop, **more)

    return generate


def _agenerate_like(real: Any) -> Any:
    async def agenerate(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        more = _manager(real, run_manager) | kwargs

        async def live(messages: Any) -> Any:
            with making_call(self):
                return await real(self, messages, stop, **more)

        begun = ModelCall.of(self, messages, stop, kwargs)
        return await (begun.acall(live) if begun is not None else real(self, messages, stop, **more))

    return agenerate


def _stream_like(real: Any) -> Any:
    def streamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        more = _manager(real, run_manager) | kwargs

        def live(messages: Any) -> Any:
            return real(self, messages, stop, **more)

        begun = ModelCall.of(self, messages, stop, kwargs)
        yield from begun.stream(live) if begun is not None else live(messages)

    return streamed


def _astream_like(real: Any) -> Any:
    async def astreamed(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        more = _manager(real, run_manager) | kwargs

        def live(messages: Any) -> Any:
            return real(self, messages, stop, **more)

        begun = ModelCall.of(self, messages, stop, kwargs)
        async for chunk in begun.astream(live) if begun is not None else live(messages):
            yield chunk

    return astreamed


_LIKE = (_generate_like, _agenerate_like, _stream_like, _astream_like)
"""In the order of `_compat.MODEL_WAYS`."""


@functools.cache
def _model_class(base: type[BaseChatModel]) -> type[BaseChatModel]:
    """A class like `base`, in which each way to call the model that `base` has of its own goes through the run.

    The other ways lead to these. A protocol of events that goes round them all is switched off.
    """
    methods = {
        name: like(getattr(base, name))
        for name, like in zip(_compat.MODEL_WAYS, _LIKE, strict=True)
        if getattr(base, name) is not getattr(BaseChatModel, name)
    }
    cls: type[BaseChatModel] = subclass(base, methods)
    for name in _compat.MODEL_EVENTS:
        if getattr(base, name, None) is not None:
            setattr(cls, name, None)
    return cls


def _manager(method: Any, run_manager: Any) -> dict[str, Any]:
    return {"run_manager": run_manager} if "run_manager" in _parameters(method) else {}


@functools.cache
def _parameters(method: Any) -> frozenset[str]:
    return frozenset(inspect.signature(method).parameters)
