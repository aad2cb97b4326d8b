"""`aegis.model` and `aegis.tool`: calls inside an agent's turn that are recorded, served and altered one by one."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from pydantic import JsonValue

from aegis_core.adapter import CallKind, Turn
from aegis_core.run import Run
from aegis_core.run.outputs import call_data, call_text
from aegis_core.run.places import Places
from aegis_core.run.recorder import OrderKey, after
from aegis_core.run.secrets import is_secret
from aegis_core.run.values import plain_arguments, value_parts, write_value
from aegis_core.trace.active import active_places, active_turn, current_run, guarded, lost, next_place, recorded
from aegis_core.trace.agents import ValueCodec, signature_of
from aegis_core.trace.wrapping import decorate, is_coroutine
from aegis_core.trajectory import Content, StepKind

__all__ = ["call_kind", "model", "tool"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__aegis_call__"


def model(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a model, plain or coroutine function, from plain data (a prompt, a list of messages) to plain data.

    Inside an `@aegis.agent` of a recorded run each call goes on the tape, can be served from it, and can be
    altered: the request for this call alone (`ephemeral`), the result so that the agent itself believes it
    (`belief`). Anywhere else it is the function itself; in a thread, see `aegis.bind`. Keys, headers and the like are
    not recorded, as far as parameters and the environment call them so (`run.secrets`).
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
    signature = signature_of(function)

    @functools.wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        call = _begun(kind, name, called, signature, args, kwargs)
        if call is None:
            return function(*args, **kwargs)

        def live(texts: dict[str, str]) -> Any:
            new_args, new_kwargs = call.arguments(texts)
            with call.inside():
                return function(*new_args, **new_kwargs)

        with call.told():
            result = call.run.call(call.turn, kind, call.parts, live, codec, name=name, order=call.order)
        call.ended(result)
        return result

    @functools.wraps(function)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        call = _begun(kind, name, called, signature, args, kwargs)
        if call is None:
            return await function(*args, **kwargs)

        async def live(texts: dict[str, str]) -> Any:
            new_args, new_kwargs = call.arguments(texts)
            with call.inside():
                return await function(*new_args, **new_kwargs)

        with call.told():
            result = await call.run.acall(call.turn, kind, call.parts, live, codec, name=name, order=call.order)
        call.ended(result)
        return result

    wrapper = coroutine if is_coroutine(function) else plain
    setattr(wrapper, _MARK, kind)
    return wrapper


def call_kind(function: Any) -> str:
    """`model` or `tool` for what these decorators made, else ""."""
    kind = getattr(function, _MARK, "")
    return kind if isinstance(kind, str) else ""


def _begun(
    kind: CallKind,
    name: str,
    called: str,
    signature: inspect.Signature | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> _Call | None:
    """The call that begins here; None where it is not recorded."""
    run, turn = current_run(called), active_turn.get()
    if run is None or turn is None:
        if run is None and recorded:
            lost(called)
        return None
    return _Call(run, turn, kind, name, args, kwargs, signature)


def _secret_arguments(signature: inspect.Signature | None, args: tuple[Any, ...]) -> frozenset[int]:
    """Positions of arguments whose parameters have the names of secrets."""
    if signature is None or not args:
        return frozenset()
    named = enumerate(zip(signature.parameters.values(), args, strict=False))
    return frozenset(
        number
        for number, (parameter, value) in named
        if parameter.kind is not inspect.Parameter.VAR_POSITIONAL and is_secret(parameter.name, value)
    )


def _by_name(signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of their parameters."""
    try:
        bound = signature.bind(*args, **kwargs) if signature is not None else None
    except TypeError:  # the call itself will raise it, where the user expects it
        bound = None
    if signature is None or bound is None:
        return {str(number): value for number, value in enumerate(args)} | dict(kwargs)
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        inner = signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        found |= value if inner else {name: value}
    return {name: value for name, value in found.items() if name not in ("self", "cls")}


class _Call:
    """One call of a model or tool inside a turn."""

    def __init__(
        self,
        run: Run,
        turn: Turn,
        kind: CallKind,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        signature: inspect.Signature | None,
    ) -> None:
        self.run, self.turn = run, turn
        self.order = next_place(run)
        self._args, self._kwargs = args, kwargs
        secret = _secret_arguments(signature, args)
        told = tuple(None if number in secret else value for number, value in enumerate(args))
        self.parts = value_parts((told, kwargs), root="", role="user")
        self._places = Places(self.order)
        self._call_id: str | None = None
        if kind == "tool":  # a model's call is no step of its own: its text is in the turn's output
            moment = turn.moment
            calls = sum(turn.calls.values()) + 1
            self._call_id = f"{moment.agent}-{moment.branch}-{moment.turn}-{name}-{calls}"
            given = _by_name(signature, args, kwargs)
            self._step("tool_call", call_text(name, given), self.order, call_data(name, given))

    def arguments(self, texts: dict[str, str]) -> Any:
        """Positional and keyword arguments, with these texts altered."""
        return write_value((self._args, self._kwargs), texts, root="")

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Turns that begin in here are part of the call."""
        token = active_places.set(self._places)
        try:
            yield
        finally:
            active_places.reset(token)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What a tool raises in here is told as what it gave, whether the agent gets over it or not."""
        try:
            yield
        except Exception as error:
            if self._call_id is not None:
                moment = self.turn.moment
                with guarded(self.run):
                    self.run.failed(error, moment.agent, moment=moment, order=self.order, call_id=self._call_id)
            raise

    def ended(self, result: Any) -> None:
        """The call gave this."""
        if self._call_id is None:
            return
        if isinstance(result, str):
            self._step("tool_result", result, after(self.order))
            return
        data = plain_arguments({"": result})[""]
        structured = data if isinstance(data, dict | list) else None
        self._step("tool_result", json.dumps(data, ensure_ascii=False), after(self.order), structured)

    def _step(self, kind: StepKind, text: str, order: OrderKey, data: JsonValue = None) -> None:
        moment = self.turn.moment
        content = (Content(type="json", data=data),) if data is not None else ()
        self.run.step(moment.agent, kind, text, moment=moment, order=order, call_id=self._call_id, content=content)
