"""Who of a run can be blamed, and where they speak."""

from __future__ import annotations

from collections.abc import Sequence

from aegis_core.attribution import Attribution, Blame
from aegis_core.trajectory import Trajectory

__all__ = ["answer", "suspects"]


def suspects(trajectory: Trajectory) -> dict[str, tuple[int, ...]]:
    """The agents that can be blamed, in the order in which they first speak, each with the indices of its steps.

    These are the workers and managers that speak; in a run without any, tools too. The user is never blamed.
    """
    steps: dict[str, list[int]] = {}
    for step in trajectory.steps:
        steps.setdefault(step.agent, []).append(step.index)
    kinds = {agent.path: agent.kind for agent in trajectory.agents}
    for eligible in ({"worker", "manager"}, {"tool"}):
        found = {agent: tuple(indices) for agent, indices in steps.items() if kinds[agent] in eligible}
        if found:
            return found
    return {}


def answer(trajectory: Trajectory, attributor: str, blames: Sequence[Blame], abstained: str = "") -> Attribution:
    """An attribution with these blames, the surest first; without any, an abstention with its reason."""
    if not blames and not abstained:
        abstained = "no agent that could be blamed speaks in this run"
    return Attribution(
        run_id=trajectory.run_id,
        blames=tuple(sorted(blames, key=lambda blame: -blame.confidence)),
        abstained=abstained,
        attributor=attributor,
    )
