"""Which run, turn and branch the current code belongs to.

Held in context variables: asyncio tasks inherit them, bare threads and thread pools do not (use `bind`).
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar, copy_context
from typing import ParamSpec, TypeVar

from aegis_core.adapter import Turn
from aegis_core.errors import RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.run import Run

__all__ = ["active_run", "active_turn", "bind", "branch", "current_branch", "guarded", "inside_entry"]

P = ParamSpec("P")
R = TypeVar("R")

active_run: ContextVar[Run | None] = ContextVar("aegis_run", default=None)
active_turn: ContextVar[Turn | None] = ContextVar("aegis_turn", default=None)
inside_entry: ContextVar[bool] = ContextVar("aegis_inside_entry", default=False)
"""Whether the current code was called, directly or not, by the entry of the system."""
current_branch: ContextVar[str] = ContextVar("aegis_branch", default="")


@contextlib.contextmanager
def branch(name: str) -> Iterator[None]:
    """Name a piece of parallel work, so that activations of one agent inside it are told from those beside it.

    Take the name from the work (an item's id), never from the order in which it starts. Branches nest: `a/b`.
    """
    outer = current_branch.get()
    token = current_branch.set(f"{outer}/{name}" if outer else name)
    try:
        yield
    finally:
        current_branch.reset(token)


def bind(function: Callable[P, R]) -> Callable[P, R]:
    """The function, tied to the current run: for thread pools and threads, which do not inherit it by themselves."""
    context = copy_context()

    @functools.wraps(function)
    def bound(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)

    return bound


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
