"""Taps on model objects: every call goes through the run, which serves it from a tape, or alters it.

A tap stands in the model object's own namespace, so the object stays what it is to the roles and actions that share
it: MetaGPT writes a system prompt and a cost manager into it. A tap knows no run. Which turn a call belongs to is told
by the seat, so one object may serve several roles, and several runs at once.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, JsonValue

from aegis_core.adapter import CallKind, Part
from aegis_core.run.values import plain_data, text_of, value_parts, write_value
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Usage
from aegis_metagpt import _compat
from aegis_metagpt._compat import BaseLLM, HumanProvider
from aegis_metagpt.copies import copying
from aegis_metagpt.requests import request_parts, written_request
from aegis_metagpt.seat import Seat, current

__all__ = ["look_for_strays", "release", "stop_looking", "take"]

_ABSENT = object()

_Method = Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class _Reply:
    """What a model call gives: a text, or plain data; with what it cost, as far as the provider tells.

    `waited` says whether others could act meanwhile. The roles of a round are started one after the other: one that
    answers without waiting has published before the next one looks at its messages.
    """

    value: Any  # str, or the arguments of a function that the model was asked to fill in
    usage: Usage | None = None
    model: str | None = None
    waited: bool = False


class _ReplyCodec:
    def __init__(self, author: str) -> None:
        self._author = author

    def encode(self, result: _Reply) -> JsonValue:
        usage = result.usage.model_dump(mode="json") if result.usage is not None else None
        return {"value": plain_data(result.value), "usage": usage, "model": result.model, "waited": result.waited}

    def decode(self, payload: JsonValue) -> _Reply:
        assert isinstance(payload, dict)
        usage, model = payload.get("usage"), payload.get("model")
        return _Reply(
            payload.get("value"),
            Usage.model_validate(usage) if usage is not None else None,
            model if isinstance(model, str) else None,
            bool(payload.get("waited")),
        )

    def parts(self, result: _Reply) -> tuple[Part, ...]:
        return value_parts(result.value, root="reply", role="assistant", author=self._author)

    def write(self, result: _Reply, texts: Mapping[str, str]) -> _Reply:
        return replace(result, value=write_value(result.value, texts, root="reply"))


# -- which model is held how often --------------------------------------------------------------------------------


@dataclass(eq=False)
class _Held:
    """A tapped model, and by how many attachments it is held: systems may share one."""

    model: Any
    table: list[tuple[str, Any]]
    count: int = 0


_held: dict[int, _Held] = {}
_lock = threading.Lock()


def take(model: Any) -> None:
    """Tap a model; of one that is tapped already, remember that one more holds it."""
    with _lock:
        held = _held.get(id(model))
        if held is None:
            held = _held[id(model)] = _Held(model, [])
            for name, wrapper in _taps(model).items():
                held.table.append((name, vars(model).get(name, _ABSENT)))
                setattr(model, name, wrapper)
        held.count += 1


def release(model: Any) -> None:
    """Let a model go; the last who does restores its attributes."""
    with _lock:
        held = _held.get(id(model))
        if held is None:
            return
        held.count -= 1
        if held.count:
            return
        del _held[id(model)]
        while held.table:
            name, before = held.table.pop()
            if before is _ABSENT:
                delattr(model, name)
            else:
                setattr(model, name, before)


def _taps(model: Any) -> dict[str, Any]:
    """What to put in place of a model's methods.

    All calls of MetaGPT's own providers come down to `acompletion_text`. A provider that answers in `aask` already, as
    the one that asks a human does, is tapped there as well.
    """
    own = type(model)
    kind: CallKind = "human" if isinstance(model, HumanProvider) else "model"
    taps: dict[str, Any] = {"acompletion_text": _tap(model, model.acompletion_text, "messages", kind)}
    if own.aask is not BaseLLM.aask:
        taps["aask"] = _tap(model, model.aask, "msg", kind)
    if own.aask_code is not BaseLLM.aask_code:
        taps["aask_code"] = _tap(model, model.aask_code, "messages", kind, name="code")
    if hasattr(own, _compat.COSTS):
        taps[_compat.COSTS] = _counting(getattr(model, _compat.COSTS))
    return taps | copying(model, taps)


# -- strays -------------------------------------------------------------------------------------------------------


_ASKING = ("aask", "aask_batch")
_looking: list[tuple[str, Any]] = []
_n_looking = 0


def look_for_strays() -> None:
    """Tap models that no role or action holds when they are asked something in a turn.

    A planner makes an action, and so a model, of its own; code may have a model of the module. They are found by the
    methods of the base class, for as long as anybody looks.
    """
    global _n_looking  # noqa: PLW0603  the base class is one for all runs, too
    with _lock:
        _n_looking += 1
        if _n_looking == 1:
            for name in _ASKING:
                real = vars(BaseLLM)[name]
                _looking.append((name, real))
                setattr(BaseLLM, name, _finding(real))


def stop_looking() -> None:
    """The last who does restores the base class."""
    global _n_looking  # noqa: PLW0603  the base class is one for all runs, too
    with _lock:
        _n_looking -= 1
        while _n_looking == 0 and _looking:
            name, real = _looking.pop()
            setattr(BaseLLM, name, real)


def _finding(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    async def asked(model: Any, *args: Any, **kwargs: Any) -> Any:
        seat = current.get()
        if seat is not None and seat.acts:
            seat.hold.tap_model(model)
        return await real(model, *args, **kwargs)

    return asked


# -- calls --------------------------------------------------------------------------------------------------------


_inside: ContextVar[bool] = ContextVar("aegis_metagpt_inside_call", default=False)
"""Whether a tapped call is under way: what it calls by itself is part of it."""
_spent: ContextVar[list[tuple[Usage, str | None]] | None] = ContextVar("aegis_metagpt_spent", default=None)


def _tap(model: Any, real: _Method, asked: str, kind: CallKind, *, name: str = "") -> _Method:
    async def call(*args: Any, **kwargs: Any) -> Any:
        seat = current.get()
        if seat is None or not seat.acts or _inside.get():
            return await real(*args, **kwargs)
        given = dict(kwargs)
        if args:
            given[asked], args = args[0], args[1:]
        return await _called(seat, model, real, asked, args, given, kind, name)

    return call


async def _called(
    seat: Seat, model: Any, real: _Method, asked: str, args: tuple[Any, ...], given: dict[str, Any],
    kind: CallKind, name: str,
) -> Any:  # fmt: skip
    assert seat.turn is not None
    shown: list[tuple[Part, ...]] = []
    with guarded(seat.run):
        shown.append(request_parts(given, asked))
    if not shown:  # recording has failed, which is none of the call's business
        return await real(given.pop(asked), *args, **given)
    served = True

    async def live(texts: dict[str, str]) -> _Reply:
        nonlocal served
        served = False
        more = given | written_request(given, asked, texts)
        first = more.pop(asked)
        spent: list[tuple[Usage, str | None]] = []
        others: list[None] = []
        watch = asyncio.get_running_loop().call_soon(others.append, None)
        inside, costs = _inside.set(True), _spent.set(spent)
        try:
            value = await real(first, *args, **more)
        except Exception:  # it may have been answered and paid for before
            if kind == "model" and spent:
                _spend(seat, _total(spent), spent[-1][1] or getattr(model, "model", None))
            raise
        finally:
            _inside.reset(inside)
            _spent.reset(costs)
            watch.cancel()
        return _Reply(value, _total(spent), spent[-1][1] if spent else None, bool(others))

    author = seat.member.path
    reply = await seat.run.acall(seat.turn, kind, shown[0], live, _ReplyCodec(author), name=name)
    if served and reply.waited:
        await asyncio.sleep(0)
    if served and reply.usage is not None:
        _compat.tell_costs(model, reply.usage.input_tokens, reply.usage.output_tokens, reply.model)
    if kind == "model":
        _spend(seat, reply.usage, reply.model or getattr(model, "model", None))
        seat.words.append(text_of(reply.value) or "")
    return reply.value


def _spend(seat: Seat, usage: Usage | None, model: str | None) -> None:
    """A model call of the turn has cost this."""
    seat.usage = _total([(each, None) for each in (seat.usage, usage) if each is not None])
    seat.model = model


def _total(spent: Sequence[tuple[Usage, str | None]]) -> Usage | None:
    if not spent:
        return None
    return Usage(
        input_tokens=sum(usage.input_tokens for usage, _ in spent),
        output_tokens=sum(usage.output_tokens for usage, _ in spent),
    )


def _counting(real: Callable[..., Any]) -> Callable[..., Any]:
    def update_costs(usage: Any, model: Any = None, *args: Any, **kwargs: Any) -> Any:
        spent = _spent.get()
        told = usage.model_dump() if isinstance(usage, BaseModel) else usage
        if spent is not None and isinstance(told, dict):
            tokens = Usage(
                input_tokens=int(told.get("prompt_tokens") or 0), output_tokens=int(told.get("completion_tokens") or 0)
            )
            spent.append((tokens, model if isinstance(model, str) else None))
        return real(usage, model, *args, **kwargs)

    return update_costs
