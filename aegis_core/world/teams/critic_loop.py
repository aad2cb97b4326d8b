"""A writer and those who look over its shoulder, until they have nothing more to say."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.model import review_objects
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["MAX_DRAFTS", "TEAM", "critic_loop_team"]

TEAM = {"Writer": "solver", "Critic": "critic", "Verifier": "verifier"}
MAX_DRAFTS = 3


def critic_loop_team(*, seed: int = 0) -> System:
    """A writer, a critic who recomputes, and a verifier who looks at the requirements.

    All are handed the task; the writer also its drafts and what was said of the last one, the others the last draft.
    The answer is the draft that both let pass; after three drafts there is none.

    Args:
        seed: of the simulated model.
    """
    house = House(TEAM, seed, slip_rate=0.6)
    write, criticise, verify = map(house.member, TEAM)

    @trace(name="critic_loop_team")
    def solve(task: str) -> str:
        job = job_number(task)
        heard: Heard = []
        for _ in range(MAX_DRAFTS):
            draft = write(job, task, heard)
            heard = [*heard, {"Writer": draft}]
            review = criticise(job, task, [{"Writer": draft}])
            if not review_objects(review):
                heard, review = [*heard, {"Critic": review}], verify(job, task, [{"Writer": draft}])
                if not review_objects(review):
                    return draft
                heard = [*heard, {"Verifier": review}]
                continue
            heard = [*heard, {"Critic": review}]
        return ""

    return System(app=solve, name="critic_loop_team")
