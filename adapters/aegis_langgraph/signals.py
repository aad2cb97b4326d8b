"""How a run is ended from inside a graph, by drift or a limit.

LangGraph tries a node again on most exceptions, and its tools node may turn them into messages. What derives from
`GraphBubbleUp` is let through by both, so inside a graph drift and limits are raised in that form.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from langgraph.errors import GraphBubbleUp

from aegis_core.errors import ReplayDrift, RunLimitReached

__all__ = ["DriftInGraph", "LimitInGraph", "surfacing"]


class DriftInGraph(ReplayDrift, GraphBubbleUp):
    """`ReplayDrift`, raised inside a graph."""


class LimitInGraph(RunLimitReached, GraphBubbleUp):
    """`RunLimitReached`, raised inside a graph."""


@contextlib.contextmanager
def surfacing() -> Iterator[None]:
    """Raise drift and limits in the form in which they leave a graph."""
    try:
        yield
    except GraphBubbleUp:
        raise
    except ReplayDrift as error:
        raise DriftInGraph(*error.args) from error
    except RunLimitReached as error:
        raise LimitInGraph(*error.args) from error
