"""`aegis.model` and `aegis.tool`: calls inside an agent's turn that are recorded, served and altered one by one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from aegis_core.adapter import CallKind, Part
from aegis_core.run.values import value_parts, write_value
from aegis_core.trace.active import active_run, active_turn, lost, recorded
from aegis_core.trace.agents import ValueCodec
from aegis_core.trace.wrapping import decorate, is_coroutine

__all__ = ["call_kind", "model", "tool"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__aegis_call__"


def model(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a model, plain or coroutine function, from plain data (a prompt, a list of messages) to plain data.

    Inside an `@aegis.agent` of a recorded run each call goes on the tape, can be served from it, and can be
    altered: the request for this call alone (`ephemeral`), the result so that the agent itself believes it
    (`belief`). Anywhere else it is the function itself; in a thread, see `aegis.bind`.
    """
    wrapper: Callable[P, R] = decorate("@aegis.model", function, lambda plain: _call_wrapper(plain, "model", ""))
    return wrapper


def tool(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a tool, plain or coroutine function of plain data: call and result are recorded as two steps."""
    wrapper: Callable[P, R] = decorate(
        "@aegis.tool", function, lambda plain: _call_wrapper(plain, "tool", getattr(plain, "__name__", "tool"))
    )
    return wrapper


def _call_wrapper(function: Any, kind: CallKind, name: str) -> Any:
    codec = ValueCodec()
    called = f"{kind} {getattr(function, '__name__', name)!r}"

    @functools.wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        run, turn = active_run.get(), active_turn.get()
        if run is None or turn is None:
            if run is None and recorded:
                lost(called)
            return function(*args, **kwargs)
        given, parts = _request(args, kwargs)

        def live(texts: dict[str, str]) -> Any:
            new_args, new_kwargs = write_value(given, texts, root="")
            return function(*new_args, **new_kwargs)

        number = _record_call(kind, name, args, kwargs)
        result = run.call(turn, kind, parts, live, codec, name=name)
        _record_result(number, result)
        return result

    @functools.wraps(function)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        run, turn = active_run.get(), active_turn.get()
        if run is None or turn is None:
            if run is None and recorded:
                lost(called)
            return await function(*args, **kwargs)
        given, parts = _request(args, kwargs)

        async def live(texts: dict[str, str]) -> Any:
            new_args, new_kwargs = write_value(given, texts, root="")
            return await function(*new_args, **new_kwargs)

        number = _record_call(kind, name, args, kwargs)
        result = await run.acall(turn, kind, parts, live, codec, name=name)
        _record_result(number, result)
        return result

    wrapper = coroutine if is_coroutine(function) else plain
    setattr(wrapper, _MARK, kind)
    return wrapper


def call_kind(function: Any) -> str:
    """`model` or `tool` for what these decorators made, else ""."""
    kind = getattr(function, _MARK, "")
    return kind if isinstance(kind, str) else ""


def _request(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Part, ...]]:
    given = (args, kwargs)
    return given, value_parts(given, root="", role="user")


def _record_call(kind: CallKind, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """A model's call is not a step of its own (its text is in the turn's output); a tool's call is one."""
    run, turn = active_run.get(), active_turn.get()
    if kind != "tool" or run is None or turn is None:
        return None
    call_id = f"{turn.moment.agent}-{turn.moment.branch}-{turn.moment.turn}-{name}-{sum(turn.calls.values()) + 1}"
    shown = ", ".join([*map(repr, args), *(f"{key}={value!r}" for key, value in kwargs.items())])
    run.step(turn.moment.agent, "tool_call", f"{name}({shown})", moment=turn.moment, order=turn.order, call_id=call_id)
    return call_id


def _record_result(call_id: str | None, result: Any) -> None:
    run, turn = active_run.get(), active_turn.get()
    if call_id is None or run is None or turn is None:
        return
    text = result if isinstance(result, str) else repr(result)
    run.step(turn.moment.agent, "tool_result", text, moment=turn.moment, order=turn.order, call_id=call_id)
