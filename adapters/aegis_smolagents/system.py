"""Agents that the user's own code runs, one after another or as it likes, as one system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from smolagents import MultiStepAgent

__all__ = ["Group"]


class Group:
    """Several agents, and the function that runs them.

    smolagents has managers, but no object for agents that plain code runs. This is one, and records them as one run:

        def work(task):
            return critic.run(writer.run(task))

        group = Group(work, writer, critic)
        with aegis.record(group) as run:
            group.run("...")

    Args:
        entry: takes a task, runs the agents, and returns the answer, or yields what their streams give.
        agents: those that it runs. Whom they manage is found by itself.
    """

    def __init__(self, entry: Callable[..., Any], *agents: MultiStepAgent) -> None:
        self.entry = entry
        self.agents: Sequence[MultiStepAgent] = agents

    def run(self, task: str, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        entry = self.entry
        if (owner := getattr(entry, "__self__", None)) in self.agents:
            entry = getattr(owner, entry.__name__)  # a member's own `run`, as it is now
        return entry(task, *args, **kwargs)
