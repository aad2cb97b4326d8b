"""A debate: several work on the task by themselves, hear each other, and go on until a moderator sees agreement."""

from __future__ import annotations

from aegis_core.adapter import System
from aegis_core.trace import trace
from aegis_core.world.model import settled
from aegis_core.world.prompts import job_number
from aegis_core.world.teams.house import Heard, House

__all__ = ["DEBATERS", "MAX_ROUNDS", "TEAM", "debate_team"]

DEBATERS = ("Ada", "Bruno", "Chloe")
TEAM = {"Moderator": "manager", **dict.fromkeys(DEBATERS, "solver"), "Judge": "aggregator"}
MAX_ROUNDS = 4


def debate_team(*, seed: int = 0) -> System:
    """Three debaters, a moderator who says whether they agree, and a judge who states the answer.

    All are handed the task. A debater hears what the others said in the round before; the moderator hears the last
    round, the judge all that was said last by each. After four rounds without agreement there is no answer.

    Args:
        seed: of the simulated model.
    """
    house = House(TEAM, seed, slip_rate=0.6)
    debaters = {name: house.member(name) for name in DEBATERS}
    moderate, judge = house.member("Moderator"), house.member("Judge")

    @trace(name="debate_team")
    def solve(task: str) -> str:
        job = job_number(task)
        said: dict[str, list[str]] = {name: [] for name in debaters}
        calls: Heard = []
        for _ in range(MAX_ROUNDS):
            last: Heard = [{name: texts[-1]} for name, texts in said.items() if texts]
            for name, speak in debaters.items():
                mine: Heard = [{name: text} for text in said[name][:-1]]
                said[name].append(speak(job, task, [*mine, *last, *calls[-1:]]))
            round_: Heard = [{name: texts[-1]} for name, texts in said.items()]
            calls.append({"Moderator": moderate(job, task, [*calls, *round_])})
            if settled(calls[-1]["Moderator"]):
                return judge(job, task, round_)
        return ""

    return System(app=solve, name="debate_team")
