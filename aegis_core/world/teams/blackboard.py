"""A blackboard: whatever is said stands on the board, and everybody sees all of it."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.model import next_speaker
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["MAX_TURNS", "TEAM", "blackboard_team"]

TEAM = {
    "Chair": "manager",
    "Reader": "researcher",
    "Analyst": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Verifier": "verifier",
    "Reporter": "reporter",
}
MAX_TURNS = 16


def blackboard_team(*, seed: int = 0) -> System:
    """A chair who gives the floor, two researchers, a solver, a critic, a verifier and a reporter around one board.

    The task stands at the top of the board. The answer is the last report when the chair closes the session; after
    sixteen turns without that there is none.

    Args:
        seed: of the simulated model.
    """
    house = House(TEAM, seed)
    members = {name: house.member(name, tooled=name == "Analyst") for name in TEAM if name != "Chair"}
    lead = house.member("Chair")

    @trace(name="blackboard_team")
    def solve(task: str) -> str:
        job = job_number(task)
        board: Heard = []
        for _ in range(MAX_TURNS):
            board = [*board, {"Chair": lead(job, task, board)}]
            name = next_speaker(board[-1]["Chair"], members)
            if not name:
                return next((one["Reporter"] for one in reversed(board) if "Reporter" in one), "")
            board = [*board, {name: members[name](job, task, board)}]
        return ""

    return System(app=solve, name="blackboard_team")
