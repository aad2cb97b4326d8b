"""Our own exceptions (drift, limits) on their way out of a run.

AutoGen swallows exceptions at many places: those of tools become results, those of agents a `RuntimeError` with the
text alone. So the first one is remembered, and raised again at the next place where it can pass.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from aegis_core.errors import ReplayDrift, RunLimitReached

__all__ = ["OWN", "Signals"]

OWN = (ReplayDrift, RunLimitReached)


class Signals:
    """The exception of ours by which a run is being ended, if any."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self.cause: BaseException | None = None
        """The last exception of the system's own that left an agent, from which AutoGen makes another."""

    def passing(self, error: BaseException) -> BaseException | None:
        """An exception leaves an agent: remember it, and return the one that AutoGen made it from, if it did."""
        cause = self.cause
        made = cause is not None and cause is not error and f"{type(cause).__name__}: {cause}\nTraceback" in str(error)
        if not made:
            self.cause = error
        return cause if made else None

    def note(self, error: BaseException) -> None:
        """Remember an exception, if it is the first of ours."""
        if isinstance(error, OWN) and self.raised is None:
            self.raised = error

    def check(self) -> None:
        """Raise what was remembered."""
        if self.raised is not None:
            raise self.raised

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Remember what of ours is raised inside."""
        try:
            yield
        except OWN as error:
            self.note(error)
            raise
