"""What tapped models and tools share: how they are made, and how they find the turn in which they are called.

A tapped object is a copy whose class derives from the object's own, so that everything that is asked of it (binding
tools, structured output, streaming, profile) is answered as before. Outside of a recorded run, and inside tools nodes
and the nodes of hand-written loops, which are calls themselves, it is the object itself. The run is found by the
callbacks of the call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.runnables import ensure_config

from aegis_core.adapter import Turn
from aegis_core.run import Run
from aegis_langgraph.watching.callbacks import Watcher
from aegis_langgraph.watching.tracker import TurnState

__all__ = ["Here", "here", "making_call", "subclass", "tapped_copy"]

_MARK = "__aegis_tapped__"
_running: ContextVar[frozenset[int]] = ContextVar("aegis_langgraph_running", default=frozenset())
"""Tapped objects that are making their call: what they call of themselves is part of it."""


def tapped_copy(given: Any, cls: type) -> Any:
    """A copy of a model or tool with another class; what is tapped already stays as it is."""
    if getattr(type(given), _MARK, False):
        return given
    copy = given.model_copy()
    object.__setattr__(copy, "__class__", cls)
    return copy


@contextlib.contextmanager
def making_call(thing: Any) -> Iterator[None]:
    """While a tapped object makes its call, it is itself."""
    token = _running.set(_running.get() | {id(thing)})
    try:
        yield
    finally:
        _running.reset(token)


@dataclass(frozen=True)
class Here:
    """Where a tapped thing was called."""

    run: Run
    turn: Turn
    watcher: Watcher
    parent_id: Any
    state: TurnState
    in_loop: bool
    """Whether this is a node of an agent's loop, with others in the same turn."""


def here(thing: Any) -> Here | None:
    """The turn around the call of a tapped thing, or None where the thing is to be itself."""
    if id(thing) in _running.get():
        return None
    callbacks = ensure_config().get("callbacks")
    if not isinstance(callbacks, BaseCallbackManager):
        return None
    watcher = next((handler for handler in callbacks.handlers if isinstance(handler, Watcher)), None)
    frame = watcher.tracker.frames.get(callbacks.parent_run_id) if watcher is not None else None
    state = watcher.tracker.state_of(frame) if watcher is not None else None
    if watcher is None or frame is None or state is None or state.turn is None:
        return None
    task = frame.task
    if task.role not in ("leaf", "within") and not task.catches:
        return None
    turn = dataclasses.replace(state.turn, order=task.order) if task.catches else state.turn
    return Here(watcher.tracker.run, turn, watcher, callbacks.parent_run_id, state, task.catches)


def subclass(base: type, methods: Mapping[str, Any]) -> Any:
    """A class that passes for its base: by name, module and signatures."""
    wrapped = {name: functools.wraps(getattr(base, name))(method) for name, method in methods.items()}
    names = {"__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__}
    cls = type(base)(base.__name__, (base,), {**wrapped, **names})
    setattr(cls, _MARK, True)
    return cls
