"""A team of agents in MetaGPT, to try Aegis on: real team and environment, simulated models, no network."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_metagpt.testing.configuration import prepare

__all__ = ["TEAM", "analysis_team"]

TEAM = {
    "Planner": "planner",
    "Reader": "researcher",
    "Analyst": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the team, each with its role."""


def analysis_team(*, seed: int = 0) -> System:
    """A planner, two researchers who work side by side, a solver, a critic and a reporter.

    Each sees what it is handed, and no more: the text of the task goes to Planner and researchers; Solver and Critic
    get plan and notes, the Reporter plan and reviewed work. The critic can send the work back to the solver once. The
    final answer is the reporter's message.

    Args:
        seed: of the simulated models.
    """
    prepare()
    from aegis_metagpt.testing import team

    return System(app=team.build(TEAM, seed), start=team.solve, name="analysis_team")
