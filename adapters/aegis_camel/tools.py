"""Tapping tools: a stand-in takes the tool's place with one agent, so that a tool that agents share is told apart."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_camel.session import Visit
from aegis_camel.texts.messages import call_text
from aegis_core.adapter import Part
from aegis_core.run.values import plain_arguments, value_parts, write_value

if TYPE_CHECKING:
    from aegis_camel.agents import AgentTap

__all__ = ["ResultCodec", "real_tool", "tapped_tool"]

_ROOT = "result"


def tapped_tool(tool: Any, tap: AgentTap) -> Any:
    """A stand-in for a tool: the same attributes (they share them), but its calls go through the run."""
    base: Any = type(tool)
    cls = _tool_class(base)
    stand_in = cls.__new__(cls)
    object.__setattr__(stand_in, "__dict__", vars(tool))
    stand_in.aegis_tap, stand_in.aegis_real = tap, tool
    return stand_in


def real_tool(tool: Any) -> Any:
    """The tool behind a stand-in, or the function behind a tapped one; itself, if it is neither."""
    return getattr(tool, "aegis_real", tool)


@functools.cache
def _tool_class(base: type) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _call(self, self.aegis_real, args, kwargs)

    async def async_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await _acall(self, self.aegis_real.async_call, args, kwargs)

    space: dict[str, Any] = {
        "__slots__": ("aegis_real", "aegis_tap"),
        "__doc__": base.__doc__,
        "__call__": call,
        "func": property(_function, _set_function),
    }
    if hasattr(base, "async_call"):
        space["async_call"] = async_call
    return type(f"Tapped{base.__name__}", (base,), space)


def _set_function(self: Any, function: Any) -> None:
    self.aegis_real.func = function


def _function(self: Any) -> Any:
    """The function of the tool, tapped if the framework calls it by itself: one that is asynchronous."""
    function = vars(self.aegis_real)["func"]
    asynchronous = getattr(function, "async_call", None)
    if asynchronous is None and not inspect.iscoroutinefunction(function):
        return function
    tapped: Any

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def tapped(*args: Any, **kwargs: Any) -> Any:
            return await _acall(self, function, args, kwargs)

    else:

        @functools.wraps(function)
        def tapped(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

    if asynchronous is not None:

        async def async_call(*args: Any, **kwargs: Any) -> Any:
            return await _acall(self, asynchronous, args, kwargs)

        tapped.async_call = async_call
    if hasattr(function, "__self__"):
        tapped.__self__ = function.__self__  # by which CAMEL knows the toolkit of a method
    tapped.aegis_real = function
    return tapped


def _call(tool: Any, real: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    name, parts = _asked(tool, args, kwargs)
    visit, call_id = tool.aegis_tap.visit_for_tool(name, kwargs)
    if visit is None:
        return real(*args, **kwargs)
    session, order = visit.session, visit.scope.place()

    def live(_: dict[str, str]) -> Any:
        with session.at(visit.inside(order)):
            return real(*args, **kwargs)

    try:
        return session.run.call(visit.turn, "tool", parts, live, ResultCodec(), name=name, order=order)
    except BaseException as error:
        _broken(visit, call_id, error)
        raise


async def _acall(tool: Any, real: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    name, parts = _asked(tool, args, kwargs)
    visit, call_id = tool.aegis_tap.visit_for_tool(name, kwargs)
    if visit is None:
        return await real(*args, **kwargs)
    session, order = visit.session, visit.scope.place()

    async def live(_: dict[str, str]) -> Any:
        with session.at(visit.inside(order)):
            return await real(*args, **kwargs)

    try:
        return await session.run.acall(visit.turn, "tool", parts, live, ResultCodec(), name=name, order=order)
    except BaseException as error:
        _broken(visit, call_id, error)
        raise


def _broken(visit: Visit, call_id: str, error: BaseException) -> None:
    visit.session.noted(error)
    visit.broken.add(call_id)


def _asked(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[str, tuple[Part, ...]]:
    name = str(tool.aegis_real.get_function_name())
    given = {f"_{index}": value for index, value in enumerate(args)} | dict(kwargs)
    data: JsonValue = {"name": name, "args": plain_arguments(given)}
    return name, (Part(id="call", text=call_text(name, given), editable=False, kind="tool_call", data=data),)


class ResultCodec:
    """Codec of what tools return. What has no plain form is kept as the text that the model is shown of it."""

    def encode(self, result: Any) -> JsonValue:
        try:
            plain: JsonValue = json.loads(json.dumps(result))
            equal = bool(plain == result)
        except (TypeError, ValueError):
            return {"text": str(result)}
        return {"value": plain} if equal else {"text": str(result)}

    def decode(self, payload: JsonValue) -> Any:
        data: Any = payload
        return data["value"] if "value" in data else data["text"]

    def parts(self, result: Any) -> tuple[Part, ...]:
        return value_parts(result, root=_ROOT, role="tool", kind="tool_result")

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        return write_value(result, texts, root=_ROOT)
