"""`@aegis.agent`: a function that is a member of the system. Each call of it is one turn."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar, overload

from pydantic import JsonValue

from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.errors import RecordError
from aegis_core.run import Run
from aegis_core.run.outputs import output_steps, readable
from aegis_core.run.places import Places
from aegis_core.run.values import plain_data, value_parts, without_secrets, write_value
from aegis_core.trace.active import (
    active_places,
    active_turn,
    begins,
    branches_before,
    current_branch,
    current_run,
    ends,
    guarded,
    lost,
    next_place,
    recorded,
)
from aegis_core.trace.reach import reachable
from aegis_core.trace.wrapping import Scope, decorate, wrap
from aegis_core.trajectory import Agent, AgentKind

__all__ = ["ValueCodec", "agent", "agent_wrapper", "declared_agents", "signature_of"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__aegis_agent__"


@overload
def agent(name: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def agent(
    name: str, /, *, role: str = "", kind: AgentKind = "worker", tools: tuple[str, ...] = (), pure: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def agent(
    name: Any,
    /,
    *,
    role: str = "",
    kind: AgentKind = "worker",
    tools: tuple[str, ...] = (),
    pure: bool = False,
) -> Any:
    """Make a function a member of the system: what goes in and what comes out is recorded as one turn.

    Works on plain, coroutine, generator and asynchronous generator functions and on methods, also class and static
    ones. Outside a recorded run it costs one check. A thread or thread pool does not know of the run by itself: give it
    `aegis.bind(function)`, or the call is not recorded, and a warning says so. Strings anywhere in arguments and result
    are what the agent sees and says. A result is one step, however many strings and figures it holds (`run.outputs`).

    Args:
        name: path of the agent, `outer/inner` where teams nest; the function's name if used without a call.
        role: its system prompt or description.
        tools: names of the tools it has.
        pure: the result depends on the arguments alone and is the whole effect, so that a replay may serve it.
            Only for functions that call no other agent, model or tool that matters by itself.

    Raises:
        RecordError: the name is no path, or what is decorated is no function.
    """
    if not isinstance(name, str):
        return decorate("@aegis.agent", name, lambda plain: agent_wrapper(plain, _described(plain), pure=False))
    if not all(segment.strip() for segment in name.split("/")):
        raise RecordError(
            f"@aegis.agent({name!r}): an agent needs a name, and each team around it too; write 'name' or 'outer/inner'"
        )
    description = Agent(path=name, kind=kind, role=role, tools=tools)
    return lambda function: decorate(
        f"@aegis.agent({name!r})", function, lambda plain: agent_wrapper(plain, description, pure=pure)
    )


def _described(function: Callable[..., Any]) -> Agent:
    name = getattr(function, "__name__", "")
    if not name:
        raise RecordError(f"@aegis.agent: {function!r} has no name; give one, as in aegis.agent('Critic')(...)")
    return Agent(path=name)


def agent_wrapper(function: Callable[..., Any], description: Agent, *, pure: bool) -> Callable[..., Any]:
    """The function with a turn around each call."""
    signature = signature_of(function)

    def open_scope(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scope | None:
        run = current_run(f"agent {description.path!r}")
        if run is not None:
            return _AgentScope(run, description, signature, args, kwargs, pure)
        if recorded:
            lost(f"agent {description.path!r}")
        return None

    wrapper = wrap(function, open_scope)
    setattr(wrapper, _MARK, description)
    return wrapper


def declared_agents(function: Callable[..., Any]) -> tuple[Agent, ...]:
    """The agents that a function can reach by name, in order of their paths.

    Those that it gets as arguments become known when they first act.
    """
    found = {mark.path: mark for value in reachable(function) if isinstance(mark := _mark(value), Agent)}
    return tuple(found[path] for path in sorted(found))


def _mark(value: Any) -> Any:
    return getattr(value, _MARK, None)


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, if it has one."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return None


class _AgentScope(Scope):
    def __init__(
        self,
        run: Run,
        description: Agent,
        signature: inspect.Signature | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        pure: bool,
    ) -> None:
        self._run = run
        self._agent = description
        self._args, self._kwargs = args, kwargs
        self._signature = signature
        self._pure = pure
        self._turn: Turn | None = None
        self._places: Places | None = None
        self._caller: Turn | None = None
        """The turn of another agent that called this one, and is given what it returns."""

    def variables(self) -> tuple[tuple[ContextVar[Any], Any], ...]:
        return ((active_turn, self._turn), (active_places, self._places), (branches_before, None))

    def enter(self) -> None:
        with guarded(self._run):
            parts, more = self._begins()
            self._begun(self._run.begin_turn(self._agent.path, parts, **more))

    async def aenter(self) -> None:
        with guarded(self._run):
            parts, more = self._begins()
            self._begun(await self._run.abegin_turn(self._agent.path, parts, **more))

    def _begins(self) -> tuple[tuple[Part, ...], dict[str, Any]]:
        """What `begin_turn` is given."""
        outer = active_turn.get()
        self._caller = outer if outer is not None and outer.moment.agent != self._agent.path else None
        parts, parents = self._input()
        order = next_place(self._run, parents)
        self._places = Places(order)
        return parts, {
            "branch": current_branch.get(), "order": order, "parents": parents, "nested": self._nested(),
        }  # fmt: skip

    def _input(self) -> tuple[tuple[Part, ...], tuple[int, ...]]:
        self._run.recorder.declare((self._agent,))
        return self._run.recorder.sources(value_parts(self._arguments(), root="", role="user"), self._agent.path)

    def _nested(self) -> bool:
        outer = active_turn.get()
        return outer is not None and outer.moment.agent == self._agent.path

    def _begun(self, turn: Turn) -> None:
        self._turn = turn
        begins(self._run, self._agent.path)
        if turn.changed:
            self._write(turn.texts())

    def _arguments(self) -> dict[str, Any]:
        if self._signature is None:
            return {str(index): value for index, value in enumerate(self._args)} | self._kwargs
        try:
            bound = self._signature.bind(*self._args, **self._kwargs)
        except TypeError:  # the call itself will raise it, where the user expects it
            return {}
        return {name: value for name, value in bound.arguments.items() if name not in ("self", "cls")}

    def _write(self, texts: dict[str, str]) -> None:
        edited = write_value(self._arguments(), texts, root="")
        if self._signature is None:
            self._args = tuple(edited.get(str(index), value) for index, value in enumerate(self._args))
            self._kwargs = {name: edited[name] for name in self._kwargs}
            return
        bound = self._signature.bind(*self._args, **self._kwargs)
        bound.arguments.update(edited)
        self._args, self._kwargs = bound.args, bound.kwargs

    def call(self, function: Callable[..., Any]) -> Any:
        plain = not (inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function))
        if self._pure and self._turn is not None and plain and not inspect.isasyncgenfunction(function):
            live = lambda _: function(*self._args, **self._kwargs)  # noqa: E731
            return self._run.call(self._turn, "node", self._turn.parts, live, ValueCodec())
        return function(*self._args, **self._kwargs)

    def holds_stream(self) -> bool:
        plan = self._run.interventions
        return bool(plan and self._turn and plan.due(self._turn.moment, "response_corruption", ("outgoing",)))

    def leave(self, value: Any) -> Any:
        if self._turn is None:
            return value
        ends(self._run, self._agent.path)
        with guarded(self._run):
            value = self._handed(value, self._run.end_turn(self._turn, self._output(value), **self._ends(value)))
        return value  # noqa: RET504  (`guarded` may have swallowed the assignment)

    async def aleave(self, value: Any) -> Any:
        if self._turn is None:
            return value
        ends(self._run, self._agent.path)
        with guarded(self._run):
            ended = await self._run.aend_turn(self._turn, self._output(value), **self._ends(value))
            value = self._handed(value, ended)
        return value  # noqa: RET504  (`guarded` may have swallowed the assignment)

    def _ends(self, value: Any) -> dict[str, Any]:
        """What `end_turn` is given."""
        readers = (self._caller.moment.agent,) if self._caller is not None else ()
        return {"steps": functools.partial(self._steps, value), "visible_to": readers}

    def _handed(self, value: Any, delivery: Delivery) -> Any:
        """The result as it leaves; it is among what leads to the output of the agent that called this one."""
        if self._caller is not None:
            self._caller.parents = (*self._caller.parents, *delivery.steps)
        return self._left(value, delivery)

    def _output(self, value: Any) -> tuple[Part, ...]:
        """The texts of a result. One without any is still what the agent gave: it is shown, but can't be edited."""
        parts = value_parts(value, role="assistant", author=self._agent.path)
        text = "" if value is None else readable(plain_data(value))
        return parts or (Part(id="value", text=text, role="assistant", author=self._agent.path, editable=False),)

    def _steps(self, value: Any, delivery: Delivery) -> tuple[Part, ...]:
        return output_steps(self._left(value, delivery), delivery.parts)

    def _left(self, value: Any, delivery: Delivery) -> Any:
        return write_value(value, delivery.texts()) if delivery.changed else value

    def fail(self, error: BaseException) -> None:
        if self._turn is not None:
            ends(self._run, self._agent.path)
        with guarded(self._run):
            moment, order = (self._turn.moment, self._turn.order) if self._turn else (None, ())
            self._run.failed(error, self._agent.path, moment=moment, order=order)


class ValueCodec:
    """Codec of results that are plain data: strings, numbers, lists, dicts. Anything else can't be served."""

    def encode(self, result: Any) -> JsonValue:
        """The result itself, if it is plain data; what must not be recorded is left out of it.

        Raises:
            RecordError: it is not.
        """
        if not _is_plain(result):
            raise RecordError(
                f"a result of type {type(result).__name__} can't be put on the tape; return plain data "
                "(strings, numbers, lists, dicts) or do without `pure=True`"
            )
        return without_secrets(result)

    def decode(self, payload: JsonValue) -> Any:
        """A deep copy."""
        return _copy(payload)

    def parts(self, result: Any) -> tuple[Part, ...]:
        """Every string in it."""
        return value_parts(result, role="assistant")

    def write(self, result: Any, texts: Any) -> Any:
        """A copy with these strings replaced."""
        return write_value(result, texts)


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(child) for key, child in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(child) for key, child in value.items()}
    return [_copy(child) for child in value] if isinstance(value, list) else value
