"""Agents that code of your own calls, as one system.

team = Ensemble(solve, {"Planner": planner, "Solver": solver})
with aegis.record(team) as run:
    team("How many crates does hall 27 hold?")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Ensemble"]


@dataclass(eq=False)
class Ensemble:
    """A function of yours, and the agents that it lets act.

    Args:
        entry: called with the task; a function, a coroutine function, a generator, or an asynchronous one.
        agents: by the names under which they are recorded: `ChatAgent`s, and societies (`RolePlaying`, `Workforce`,
            another `Ensemble`), whose members are `name/member` then.
        models: models from `aegis_camel.models.tap`, of agents that are made while `entry` runs.
    """

    entry: Callable[..., Any]
    agents: Mapping[str, Any] = field(default_factory=dict)
    models: Iterable[Any] = ()
    name: str = "ensemble"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Let the agents act."""
        return self.entry(*args, **kwargs)
