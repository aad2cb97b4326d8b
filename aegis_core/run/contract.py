"""What the core hands to an adapter: the only way in which a run is recorded, served and altered.

    turn = run.begin_turn(agent, parts)            # what the agent sees; may come back altered
    result = run.call(turn, "model", parts, live, codec)     # served from the tape, or live; may be altered
    delivery = run.end_turn(turn, parts)           # what leaves the agent; may come back altered

Each has an `a…` form for asynchronous frameworks; calls have streaming forms as well (`run.streams`). There is
one implementation, written as coroutines; the synchronous forms drive them without an event loop.
"""

from __future__ import annotations

from aegis_core.run.calls import Calls
from aegis_core.run.turns import Turns

__all__ = ["Run"]


class Run(Turns, Calls):
    """One run of a system: records it, serves it from a tape, carries out interventions."""
