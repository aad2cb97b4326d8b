"""Which run, turn and branch the current code belongs to.

Held in context variables: asyncio tasks and `asyncio.to_thread` inherit them, bare threads, thread pools and
`run_in_executor` do not (use `bind`). Which run a call without one belongs to is never guessed: it is not recorded, and
warned of while any run is being recorded (`recorded`, `lost`).
"""

from __future__ import annotations

import contextlib
import functools
import threading
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar, copy_context
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from aegis_core.adapter import Turn
from aegis_core.errors import RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.run import Run
from aegis_core.run.places import Places
from aegis_core.run.recorder import OrderKey

__all__ = [
    "active_places",
    "active_run",
    "active_turn",
    "at_work",
    "begins",
    "beside_runs",
    "bind",
    "branch",
    "branches_before",
    "current_branch",
    "current_run",
    "ends",
    "guarded",
    "inside_entry",
    "lost",
    "next_place",
    "over",
    "recorded",
]

P = ParamSpec("P")
R = TypeVar("R")

active_run: ContextVar[Run | None] = ContextVar("aegis_run", default=None)
active_turn: ContextVar[Turn | None] = ContextVar("aegis_turn", default=None)
inside_entry: ContextVar[bool] = ContextVar("aegis_inside_entry", default=False)
"""Whether the current code was called, directly or not, by the entry of the system."""
current_branch: ContextVar[str] = ContextVar("aegis_branch", default="")
active_places: ContextVar[Places | None] = ContextVar("aegis_places", default=None)
"""Order keys for what happens in the turn, or the tool, that the current code belongs to; None: in the run."""
branches_before: ContextVar[tuple[Places, int] | None] = ContextVar("aegis_branches_before", default=None)
"""The level that branches have come to which ended in this context, so that what follows here comes after them."""
beside_runs: ContextVar[bool] = ContextVar("aegis_beside_runs", default=False)
"""Whether the current code was called by the entry of a system that is not recorded, while other runs are."""
recorded: dict[Run, set[str]] = {}
"""The runs of plain functions that are being recorded in this process, each with what was said to be lost meanwhile."""
_recorded_lock = threading.Lock()
_at_work: WeakKeyDictionary[Run, list[str]] = WeakKeyDictionary()
"""The agents in whose functions a run is, as often as it is in them."""
_told_over: WeakSet[Run] = WeakSet()
"""The runs of which it was said that something goes on after their end."""


@contextlib.contextmanager
def branch(name: str) -> Iterator[None]:
    """Name a piece of parallel work, so that activations of one agent inside it are told from those beside it.

    Take the name from the work (an item's id), never from the order in which it starts: the record goes by the names,
    and so does not depend on who is faster. Branches nest: `a/b`.
    """
    outer = current_branch.get()
    path = f"{outer}/{name}" if outer else name
    token = current_branch.set(path)
    try:
        yield
    finally:
        current_branch.reset(token)
        run = active_run.get()
        if run is not None:
            places = active_places.get() or run.places
            branches_before.set((places, places.reached(path)))


def next_place(run: Run, parents: tuple[int, ...] = ()) -> OrderKey:
    """The order key of what begins here now, and was led to by these steps."""
    places = active_places.get() or run.places
    before = branches_before.get()
    after = before[1] if before is not None and before[0] is places else 0
    return places.next(current_branch.get(), after=after, sources=run.recorder.orders(parents))


def bind(function: Callable[P, R]) -> Callable[P, R]:
    """The function, tied to the current run: for thread pools and threads, which do not inherit it by themselves.

        pool.map(aegis.bind(work), items)
        threading.Thread(target=aegis.bind(work), args=(item,))

    Call it where the run is, and not in the thread. Give each piece of parallel work a `branch` of its own.
    """
    context = copy_context()

    @functools.wraps(function)
    def bound(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)

    return bound


def current_run(what: str) -> Run | None:
    """The run that the current code belongs to; None once it is over, with a warning that names `what` was called."""
    run = active_run.get()
    if run is None or run in recorded:
        return run
    over(run, f"{what} was called")
    return None


def begins(run: Run, agent: str) -> None:
    """The function of an agent was called."""
    with _recorded_lock:
        _at_work.setdefault(run, []).append(agent)


def ends(run: Run, agent: str) -> None:
    """The function of an agent has come to its end."""
    with _recorded_lock:
        if agent in (agents := _at_work.get(run, [])):
            agents.remove(agent)


def at_work(run: Run) -> tuple[str, ...]:
    """The agents whose functions have not come to their end, sorted."""
    with _recorded_lock:
        return tuple(sorted(set(_at_work.get(run, ()))))


def over(run: Run, what: str) -> None:
    """Warn, once a run, that something went on after its end.

    Args:
        what: the clause that says it.
    """
    with _recorded_lock:
        if run in _told_over:
            return
        _told_over.add(run)
    warnings.warn(
        f"aegis: {what} after the recording of {run.info.system!r} had ended, and what goes on there is not recorded; "
        "wait for tasks, threads and streams before its block or entry is left",
        RecorderWarning,
        stacklevel=4,
    )


def lost(what: str) -> None:
    """Warn, once a run, that a call which no run knows of was made while runs are being recorded.

    Called where `recorded` is not empty: in a program that records nothing, this costs the look at it.
    """
    if beside_runs.get() or active_run.get() is not None:  # of no run, or of one that is over
        return
    with _recorded_lock:
        runs = [run for run, told in recorded.items() if what not in told]
        for run in runs:
            recorded[run].add(what)
    if runs:
        systems = ", ".join(sorted({repr(run.info.system) for run in runs}))
        warnings.warn(
            f"aegis: {what} was called in a thread (or context) that no run is known in, while {systems} is being "
            "recorded: the call is not recorded. If it belongs to the run, give the thread or pool "
            "`aegis.bind(function)` instead of the function",
            RecorderWarning,
            stacklevel=4,
        )


@contextlib.contextmanager
def guarded(run: Run) -> Iterator[None]:
    """Recorder boundary: trouble of the recorder is one warning, never an exception in the user's code.

    The run is void then: it stays readable, but nothing can be proven by it. Drift and limits pass through: they
    are how a campaign ends a run, and do not occur in plain recording.
    """
    try:
        yield
    except (ReplayDrift, RunLimitReached):
        raise
    except Exception as error:  # recorder boundary, see above
        run.trouble = f"recording failed: {type(error).__name__}: {error}"
        warnings.warn(
            f"aegis: recording failed here ({type(error).__name__}: {error}); the run itself is not affected, "
            "but its trajectory has a gap",
            RecorderWarning,
            stacklevel=4,
        )
