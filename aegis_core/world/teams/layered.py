"""Layers: notes, then several solvers at the same time, then one who merges what they came to."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["READERS", "SOLVERS", "TEAM", "layered_team"]

READERS, SOLVERS = ("Reader", "Analyst"), ("Ada", "Bruno", "Chloe")
TEAM = {
    "Planner": "planner",
    **dict.fromkeys(READERS, "researcher"),
    **dict.fromkeys(SOLVERS, "solver"),
    "Merger": "aggregator",
}


def layered_team(*, seed: int = 0) -> System:
    """A planner, a layer of two researchers, a layer of three solvers, and a merger.

    Planner and researchers are handed the task, the solvers plan and notes, the merger plan and results. No one sees
    what another of the same layer says.

    Args:
        seed: of the simulated model.
    """
    house = House(TEAM, seed, slip_rate=0.4)
    plan, merge = house.member("Planner"), house.member("Merger")
    readers = {name: house.member(name, tooled=name == "Analyst") for name in READERS}
    solvers = {name: house.member(name) for name in SOLVERS}

    @trace(name="layered_team")
    def solve(task: str) -> str:
        job = job_number(task)
        outline: Heard = [{"Planner": plan(job, task, [])}]
        notes: Heard = [{name: read(job, task, outline)} for name, read in readers.items()]
        results: Heard = [{name: work(job, "", [*outline, *notes])} for name, work in solvers.items()]
        return merge(job, "", [*outline, *results])

    return System(app=solve, name="layered_team")
