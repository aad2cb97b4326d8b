"""Puts a recording around the method by which a sample starts its system; the sample's own text stays as it is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

import aegis_core as aegis
from aegis_core.trace import Recording
from benchmarks.samples.catalogue import Entrance

__all__ = ["recorded"]


@contextmanager
def recorded(entrance: Entrance, found: list[Recording]) -> Iterator[None]:
    """While this is open, each outermost start of a system is recorded; the recordings are added to `found`."""
    module, _, dotted = entrance.target.partition(":")
    owner, _, name = dotted.partition(".")
    cls = getattr(import_module(module), owner)
    held = inspect.getattr_static(cls, name)
    with ExitStack() as lasting:
        wrapped = _Wrapper(entrance, found, lasting).around(getattr(held, "__func__", held))
        setattr(cls, name, classmethod(wrapped) if isinstance(held, classmethod) else wrapped)
        try:
            yield
        finally:
            setattr(cls, name, held)


class _Wrapper:
    def __init__(self, entrance: Entrance, found: list[Recording], lasting: ExitStack) -> None:
        self._entrance, self._found, self._lasting = entrance, found, lasting
        self._inside = False

    def around(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method with a recording around it, of the same kind: plain, coroutine, or asynchronous generator."""
        if self._entrance.target.endswith(".__init__"):
            return self._built(method)
        if inspect.isasyncgenfunction(method):
            return self._streamed(method)
        return self._awaited(method) if inspect.iscoroutinefunction(method) else self._called(method)

    @contextmanager
    def _recording(self, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Callable[..., Any]]:
        """Yields what to call, without the object itself: the method, or what an adapter has put in its place."""
        if self._inside:  # the adapter calling the method, or a system inside the recorded one
            yield functools.partial(method, arguments[0])
            return
        self._inside = True
        try:
            with aegis.record(arguments[1] if self._entrance.argument else arguments[0]) as recording:
                self._found.append(recording)
                yield self._bound(method, arguments)
        finally:
            self._inside = False

    def _bound(self, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The method as the object has it now: an adapter may have put its own in the object's place of it."""
        name = self._entrance.target.rpartition(".")[2]
        own = vars(arguments[0]).get(name) if not isinstance(arguments[0], type) else None
        return own if own is not None else functools.partial(method, arguments[0])

    def _built(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def init(this: Any, *args: Any, **kwargs: Any) -> None:
            method(this, *args, **kwargs)
            if not self._inside:
                self._inside = True
                self._found.append(self._lasting.enter_context(aegis.record(this)))

        return init

    def _called(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._recording(method, args) as start:
                return start(*args[1:], **kwargs)

        return call

    def _awaited(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        async def call(*args: Any, **kwargs: Any) -> Any:
            with self._recording(method, args) as start:
                return await start(*args[1:], **kwargs)

        return call

    def _streamed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        async def stream(*args: Any, **kwargs: Any) -> Any:
            with self._recording(method, args) as start:
                async for item in start(*args[1:], **kwargs):
                    yield item

        return stream
