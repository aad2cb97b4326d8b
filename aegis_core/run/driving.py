"""Running coroutines from synchronous code, whether or not an event loop is running in this thread."""

from __future__ import annotations

import threading
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

__all__ = ["drive", "finish"]

R = TypeVar("R")


def drive(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never suspends: in the synchronous forms all that could is done in `finish`."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: R = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a synchronous run was suspended; use the asynchronous form of this call")


def finish(coroutine: Coroutine[Any, Any, R], context: Context | None = None) -> R:
    """Run a coroutine to its end on a loop of its own, in a thread: one may be running in this one.

    Args:
        context: what it sees of context variables; None is an empty one, so that an injector's own calls are not
            taken for those of the system under study.
    """
    import asyncio  # slow to load, and most runs need none

    context = context if context is not None else Context()
    box: list[R] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            box.append(context.run(asyncio.run, coroutine))
        except BaseException as error:  # raised again in the caller's thread
            failure.append(error)

    thread = threading.Thread(target=work, name="aegis")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return box[0]
