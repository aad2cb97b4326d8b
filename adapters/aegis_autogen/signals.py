"""Our own exceptions (drift, limits) on their way out of a run.

AutoGen swallows exceptions at many places: those of tools become results, those of agents a `RuntimeError` with the
text alone. So the first one is remembered, and raised again at the next place where it can pass.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.trajectory import RunError

__all__ = ["OWN", "Signals", "worded"]

OWN = (ReplayDrift, RunLimitReached)


_MADE = re.compile(r"(?P<type>\w+): (?P<message>.*?)\nTraceback:\n", re.DOTALL)
"""How AutoGen words a `RuntimeError` that it makes of an exception inside a team."""


def worded(error: BaseException) -> RunError | None:
    """Type and text of the exception that a `RuntimeError` of AutoGen tells of; None if it tells of none."""
    found = _MADE.match(str(error)) if type(error) is RuntimeError else None
    return RunError(type=found["type"], message=found["message"]) if found is not None else None


class Signals:
    """The exception of ours by which a run is being ended, if any."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self.cause: BaseException | None = None
        """The last exception of the system's own that left an agent, from which AutoGen makes another."""

    def passing(self, error: BaseException) -> BaseException | None:
        """An exception leaves an agent: remember it, and return the one that AutoGen made it from, if it did."""
        made_from = self.origin(error)
        if made_from is None:
            self.cause = error
        return made_from

    def origin(self, error: BaseException) -> BaseException | None:
        """The exception of an agent that AutoGen made this one from; None if it was made from none."""
        cause = self.cause
        made = cause is not None and cause is not error and f"{type(cause).__name__}: {cause}\nTraceback" in str(error)
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
