"""One wrapper for each kind of function: plain, coroutine, generator, asynchronous generator.

What happens at the beginning and end of a call is a `Scope`; the wrappers only see to it that the function keeps
its kind, its exceptions pass through unchanged, and context variables are set around each step of a generator and
not across its `yield`s (they would leak to the consumer, and can't be reset from another task).
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

from aegis_core.errors import RecordError

__all__ = ["Scope", "decorate", "is_coroutine", "wrap"]


class Scope(ABC):
    """What surrounds one call of a wrapped function. Values are the user's own: hence Any throughout."""

    @abstractmethod
    def variables(self) -> tuple[tuple[ContextVar[Any], Any], ...]:
        """Context variables that hold inside the call."""

    @abstractmethod
    def enter(self) -> None:
        """Before the first line of the function runs."""

    async def aenter(self) -> None:
        """Asynchronous form of `enter`."""
        self.enter()

    @abstractmethod
    def call(self, function: Callable[..., Any]) -> Any:
        """Call the function (or make its coroutine or generator) with the arguments as they are to be."""

    @abstractmethod
    def leave(self, value: Any) -> Any:
        """After the function returned `value`; returns what the caller gets."""

    async def aleave(self, value: Any) -> Any:
        """Asynchronous form of `leave`."""
        return self.leave(value)

    @abstractmethod
    def fail(self, error: BaseException) -> None:
        """The function raised."""

    def keep(self, items: list[Any], item: Any) -> None:
        """Keep an item of a generator for `join`."""
        items.append(item)

    def holds_stream(self) -> bool:
        """Whether the items of a generator must be held back until it ends, because they may be altered."""
        return False

    def join(self, items: list[Any]) -> Any:
        """The items of a generator as one value, for `leave`."""
        return "".join(items) if items and all(isinstance(item, str) for item in items) else items

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Sets the context variables for one uninterrupted stretch of the function."""
        tokens: list[tuple[ContextVar[Any], Token[Any]]] = [(v, v.set(value)) for v, value in self.variables()]
        try:
            yield
        finally:
            for variable, token in reversed(tokens):
                variable.reset(token)


Open = Callable[[tuple[Any, ...], dict[str, Any]], Scope | None]


def wrap(function: Callable[..., Any], open_scope: Open) -> Callable[..., Any]:
    """The function with a scope around each call; `open_scope` gives None where nothing is to be done."""
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, open_scope)
    if inspect.isgeneratorfunction(function):
        return _generator(function, open_scope)
    return (_coroutine if is_coroutine(function) else _plain)(function, open_scope)


def decorate(decorator: str, target: Any, around: Callable[[Callable[..., Any]], Any]) -> Any:
    """Put a wrapper around what a decorator is given; a class or static method stays one.

    Args:
        decorator: how it was written, for the message.
        around: from a function to the function with a wrapper around it.

    Raises:
        RecordError: it is no function.
    """
    if isinstance(target, classmethod | staticmethod):
        return type(target)(decorate(decorator, target.__func__, around))
    if inspect.isclass(target) or not callable(target):
        what = f"the class {target.__name__}" if inspect.isclass(target) else f"a {type(target).__name__}"
        raise RecordError(
            f"{decorator} was given {what}, and needs a function or method; put it directly above the `def` that is "
            "meant, beneath other decorators"
        )
    return around(target)


def is_coroutine(function: Any) -> bool:
    """Whether a call gives a coroutine: a coroutine function, or an object with an asynchronous `__call__`."""
    method = getattr(type(function), "__call__", None)  # noqa: B004  (its kind is asked, not whether it is there)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def _plain(function: Callable[..., Any], open_scope: Open) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        scope = open_scope(args, kwargs)
        if scope is None:
            return function(*args, **kwargs)
        scope.enter()
        try:
            with scope.inside():
                value = scope.call(function)
        except BaseException as error:
            scope.fail(error)
            raise
        return scope.leave(value)

    return wrapper


def _coroutine(function: Callable[..., Any], open_scope: Open) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        scope = open_scope(args, kwargs)
        if scope is None:
            return await function(*args, **kwargs)
        await scope.aenter()
        try:
            with scope.inside():
                value = await scope.call(function)
        except BaseException as error:
            scope.fail(error)
            raise
        return await scope.aleave(value)

    return wrapper


def _generator(function: Callable[..., Any], open_scope: Open) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        scope = open_scope(args, kwargs)
        if scope is None:
            return (yield from function(*args, **kwargs))
        scope.enter()
        held = scope.holds_stream()
        items: list[Any] = []
        with scope.inside():
            source = scope.call(function)
        step: Callable[[], Any] = functools.partial(next, source)
        while True:
            try:
                with scope.inside():
                    item = step()
            except StopIteration as stop:
                value = scope.leave(scope.join(items))
                if held:
                    yield from _pieces(value, items)
                return stop.value
            except BaseException as error:
                scope.fail(error)
                raise
            items.append(item)
            if held:
                step = functools.partial(next, source)
                continue
            try:
                sent = yield item
                step = functools.partial(source.send, sent)
            except GeneratorExit:
                with scope.inside():
                    source.close()
                scope.leave(scope.join(items))
                raise
            except BaseException as thrown:  # the consumer's, for the user's own generator
                step = functools.partial(source.throw, thrown)

    return wrapper


def _async_generator(function: Callable[..., Any], open_scope: Open) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        scope = open_scope(args, kwargs) or _Nothing(args, kwargs)
        await scope.aenter()
        held = scope.holds_stream()
        items: list[Any] = []
        with scope.inside():
            source = scope.call(function)
        step: Callable[[], Any] = functools.partial(source.asend, None)
        while True:
            try:
                with scope.inside():
                    item = await step()
            except StopAsyncIteration:
                break
            except BaseException as error:
                scope.fail(error)
                raise
            scope.keep(items, item)
            if held:
                step = functools.partial(source.asend, None)
                continue
            try:
                sent = yield item
                step = functools.partial(source.asend, sent)
            except GeneratorExit:
                with scope.inside():
                    await source.aclose()
                await scope.aleave(scope.join(items))
                raise
            except BaseException as thrown:  # the consumer's, for the user's own generator
                step = functools.partial(source.athrow, thrown)
        value = await scope.aleave(scope.join(items))
        if held:
            for piece in _pieces(value, items):
                yield piece

    return wrapper


class _Nothing(Scope):
    """The scope of an asynchronous generator with nothing around it: there is no `yield from` for these."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._args, self._kwargs = args, kwargs

    def variables(self) -> tuple[tuple[ContextVar[Any], Any], ...]:
        return ()

    def enter(self) -> None:
        return None

    def call(self, function: Callable[..., Any]) -> Any:
        return function(*self._args, **self._kwargs)

    def leave(self, value: Any) -> Any:
        return value

    def keep(self, items: list[Any], item: Any) -> None:
        del items, item

    def fail(self, error: BaseException) -> None:
        del error


def _pieces(value: Any, items: list[Any]) -> list[Any]:
    """What a held stream gives: the items as they were, or, if altered, the new value whole."""
    if isinstance(value, list):
        return value
    return items if value == "".join(items) else [value]
