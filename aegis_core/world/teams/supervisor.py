"""A supervisor who decides after each message whose turn it is."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.model import next_speaker
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["MAX_TURNS", "SEES", "TEAM", "supervisor_team"]

TEAM = {
    "Supervisor": "manager",
    "Researcher": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
    "Client": "proxy",
}
SEES = {
    "Researcher": (),
    "Solver": ("Researcher", "Solver", "Critic"),
    "Critic": ("Researcher", "Solver"),
    "Reporter": ("Solver", "Critic"),
    "Client": ("Reporter",),
}
"""Whose messages a member is handed, beside the supervisor's last one."""
MAX_TURNS = 14


def supervisor_team(*, seed: int = 0) -> System:
    """A supervisor, a researcher with tools, a solver, a critic, a reporter, and a client who approves.

    Supervisor, researcher and client are handed the task. The supervisor hears all that is said; who it gives the floor
    to hears its last message and what belongs to its work. The answer is the last report when the supervisor closes
    the session; after fourteen turns without that there is none.

    Args:
        seed: of the simulated model.
    """
    house = House(TEAM, seed)
    direct = house.member("Supervisor")
    members = {name: house.member(name, tooled=name == "Researcher") for name in SEES}

    @trace(name="supervisor_team")
    def solve(task: str) -> str:
        job = job_number(task)
        said: Heard = []
        for _ in range(MAX_TURNS):
            call: Heard = [{"Supervisor": direct(job, task, said)}]
            name = next_speaker(call[0]["Supervisor"], members)
            said = [*said, *call]
            if not name:
                return next((one["Reporter"] for one in reversed(said) if "Reporter" in one), "")
            shown = [one for one in said if set(one) <= set(SEES[name])]
            given = task if name in ("Researcher", "Client") else ""
            said = [*said, {name: members[name](job, given, [*call, *shown])}]
        return ""

    return System(app=solve, name="supervisor_team")
