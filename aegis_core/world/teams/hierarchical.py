"""A hierarchy: a director above two teams of their own, a desk that collects and a lab that computes."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.model import next_speaker
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["DESK", "LAB", "MAX_TURNS", "TOP", "hierarchical_team"]

DESK = {"Director": "planner", "Reader": "researcher", "Analyst": "researcher", "Editor": "aggregator"}
LAB = {"Director": "planner", "Editor": "aggregator", "Lead": "manager", "Solver": "solver", "Critic": "critic"}
TOP = {**DESK, "Solver": "solver", "Critic": "critic", "Reporter": "reporter"}
MAX_TURNS = 8


def hierarchical_team(*, seed: int = 0) -> System:
    """A director; a desk of two researchers and an editor; a lab with a lead, a solver and a critic; a reporter.

    The director and the desk's researchers are handed the task. The editor sees the notes and the plan, the lab the
    plan and the merged notes, the reporter the plan and what leaves the lab. If the lead has not closed the work after
    eight turns, nothing leaves the lab.

    Args:
        seed: of the simulated model.
    """
    top, desk, lab = House(TOP, seed), House(DESK, seed), House(LAB, seed)
    direct, report = top.member("Director"), top.member("Reporter")
    readers = {name: desk.member(name, "Desk", tooled=name == "Analyst") for name in ("Reader", "Analyst")}
    edit, lead = desk.member("Editor", "Desk"), lab.member("Lead", "Lab")
    workers = {name: lab.member(name, "Lab") for name in ("Solver", "Critic")}

    def compute(job: int, brief: Heard) -> Heard:
        """What the lab came to: its last draft and review, or nothing if it does not come to an end."""
        said: Heard = []
        for _ in range(MAX_TURNS):
            said = [*said, {"Lead": lead(job, "", [*brief, *said])}]
            name = next_speaker(said[-1]["Lead"], workers)
            if not name:
                return [one for one in said if set(one) & set(workers)][-2:]
            said = [*said, {name: workers[name](job, "", [*brief, *said])}]
        return []

    @trace(name="hierarchical_team")
    def solve(task: str) -> str:
        job = job_number(task)
        outline: Heard = [{"Director": direct(job, task, [])}]
        notes: Heard = [{name: read(job, task, outline)} for name, read in readers.items()]
        merged: Heard = [{"Editor": edit(job, "", [*outline, *notes])}]
        work = compute(job, [*outline, *merged])
        return report(job, "", [*outline, *work]) if work else ""

    return System(app=solve, name="hierarchical_team")
