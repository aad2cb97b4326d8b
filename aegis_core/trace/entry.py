"""`@aegis.trace`: the entry of one's own system. The outermost call of it is one run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

from aegis_core.run import Run, RunInfo
from aegis_core.run.values import text_of, value_parts
from aegis_core.trace.active import (
    active_places,
    active_run,
    active_turn,
    at_work,
    beside_runs,
    branches_before,
    current_run,
    guarded,
    inside_entry,
    over,
    recorded,
)
from aegis_core.trace.agents import declared_agents
from aegis_core.trace.observers import tell_finished, tell_started
from aegis_core.trace.wrapping import Scope, decorate, wrap
from aegis_core.trajectory import Trajectory

__all__ = ["is_traced", "trace", "trace_wrapper"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__aegis_trace__"


@overload
def trace(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def trace(
    *, to: str | Path | None = None, on_run: Callable[[Trajectory], None] | None = None, name: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def trace(
    function: Any = None,
    /,
    *,
    to: str | Path | None = None,
    on_run: Callable[[Trajectory], None] | None = None,
    name: str = "",
) -> Any:
    """Make a function the entry of a system, whose members are marked by `@aegis.agent`.

    Works on plain, coroutine, generator and asynchronous generator functions, and on methods of any kind. Without `to`
    and `on_run` a run is recorded only inside `with aegis.record(function)`; everywhere else the call costs one check.
    With them each outermost call is a run of its own; inside `record` the whole block is one run.

    Args:
        to: JSONL file to which the trajectory of each outermost call is appended, also after an exception.
        on_run: called with each trajectory; what it raises is a warning.
        name: of the system; the function's name if not given.

    Raises:
        RecordError: what is decorated is no function.
    """

    def decorated(inner: Any) -> Any:
        return decorate("@aegis.trace", inner, lambda plain: trace_wrapper(plain, to, on_run, name))

    return decorated if function is None else decorated(function)


def trace_wrapper(
    function: Callable[..., Any], to: str | Path | None, on_run: Callable[[Trajectory], None] | None, name: str
) -> Callable[..., Any]:
    """The function with a run around each outermost call."""
    system = name or getattr(function, "__name__", "system")

    def open_scope(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scope | None:
        run = current_run(f"the entry {system!r}")
        if run is not None and run.entered:
            if not inside_entry.get():
                run.entered_beside()
            return None
        if run is None and to is None and on_run is None:
            return _BesideScope(args, kwargs) if recorded else None
        if run is not None:
            return _EntryScope(run, args, kwargs, None, None)
        task = _task(args, kwargs)
        info = RunInfo(
            run_id=uuid.uuid4().hex, task=task, system=system, adapter="trace", agents=declared_agents(function)
        )
        return _EntryScope(Run(info), args, kwargs, to, on_run)

    wrapper = wrap(function, open_scope)
    setattr(wrapper, _MARK, system)
    return wrapper


def is_traced(function: Any) -> bool:
    """Whether this is an `@aegis.trace` function."""
    return isinstance(getattr(function, _MARK, None), str)


def _task(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The text of the task: all strings among the arguments."""
    return "\n".join(part.text for part in value_parts((args, kwargs)))


class _EntryScope(Scope):
    def __init__(
        self,
        run: Run,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        to: str | Path | None,
        on_run: Callable[[Trajectory], None] | None,
    ) -> None:
        self._run, self._args, self._kwargs = run, args, kwargs
        self._to, self._on_run = to, on_run
        self._own = to is not None or on_run is not None

    def variables(self) -> tuple[tuple[ContextVar[Any], Any], ...]:
        return (
            (active_run, self._run), (active_turn, None), (active_places, None), (branches_before, None),
            (inside_entry, True),
        )  # fmt: skip

    def enter(self) -> None:
        with guarded(self._run):
            task = _task(self._args, self._kwargs)
            if self._run.separate_calls and task:  # the task itself is no step
                self._run.told(task, order=self._run.places.next())
            self._run.enter(task)
            if self._own:
                recorded[self._run] = set()
                tell_started(self._run.info)

    def call(self, function: Callable[..., Any]) -> Any:
        return function(*self._args, **self._kwargs)

    def leave(self, value: Any) -> Any:
        self._ends()
        with guarded(self._run):
            answer, why = (text_of(value), "") if self._run.output is None else self._run.own_answer(value)
            self._run.leave(answer, unanswered=why)
            if self._own and (agents := at_work(self._run)):
                over(self._run, f"{', '.join(agents)} went on")
            self._close()
        return value

    def fail(self, error: BaseException) -> None:
        self._ends()
        with guarded(self._run):
            self._run.failed(error)
            self._run.leave(None)
            self._close()

    def _ends(self) -> None:
        if self._own:
            recorded.pop(self._run, None)

    def _close(self) -> None:
        if not self._own:
            return
        trajectory = self._run.trajectory()
        tell_finished(self._run.info, trajectory)
        if self._to is not None:
            from aegis_core.store import append

            append(Path(self._to), trajectory)
        if self._on_run is not None:
            self._on_run(trajectory)


class _BesideScope(Scope):
    """A call of an entry that is not recorded, while other runs are: what it calls is no lost part of these."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._args, self._kwargs = args, kwargs

    def variables(self) -> tuple[tuple[ContextVar[Any], Any], ...]:
        return ((beside_runs, True),)

    def enter(self) -> None:
        return None

    def call(self, function: Callable[..., Any]) -> Any:
        return function(*self._args, **self._kwargs)

    def leave(self, value: Any) -> Any:
        return value

    def fail(self, error: BaseException) -> None:
        del error
