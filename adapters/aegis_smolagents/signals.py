"""How a run is ended from inside an agent, by drift or a limit.

smolagents turns most exceptions into a message for the model and goes on. So inside an agent drift and limits travel as
a `Leaving`, which is no `Exception`; the outermost tap turns it back into what it carries.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from aegis_core.errors import ReplayDrift, ReplayError, RunLimitReached

__all__ = ["Leaving", "leaving"]


class Leaving(BaseException):
    """Carries an exception of the run out of an agent.

    Args:
        error: what the run raised.
    """

    def __init__(self, error: ReplayDrift | ReplayError | RunLimitReached) -> None:
        super().__init__(str(error))
        self.error = error


@contextlib.contextmanager
def leaving() -> Iterator[None]:
    """Raise drift and limits in the form in which they leave an agent."""
    try:
        yield
    except (ReplayDrift, ReplayError, RunLimitReached) as error:
        raise Leaving(error) from error
