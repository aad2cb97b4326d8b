"""Several agents that the user's own code runs one after another, or side by side, as one system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Workflow"]


@dataclass(frozen=True, init=False)
class Workflow:
    """The agents of a workflow that is plain code around `Runner.run`.

        team = Workflow(planner, writer)
        with aegis.record(team) as run:
            plan = await Runner.run(planner, task)
            text = await Runner.run(writer, plan.final_output)

    All calls in the block belong to one run: the task is what the first was given, the answer is that of the last.
    For a campaign, give `System(team, start=..., output=...)`.
    """

    agents: tuple[Any, ...]  # agents.Agent

    def __init__(self, *agents: Any) -> None:
        object.__setattr__(self, "agents", agents)
