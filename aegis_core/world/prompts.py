"""What the teams in this tree tell their members: system prompts, and the head of each piece of work."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

__all__ = ["handed", "job_number", "system_prompt"]

_DUTIES = {
    "planner": "You divide the work: say what is asked, in which form, and which researcher finds which facts. "
    "Solver, critic and reporter know the task from your plan alone.",
    "researcher": "You collect the facts of your share and hand them on as notes, each with its figure.",
    "solver": "You work out the answer from the plan and the researchers' notes and show how you get there.",
    "critic": "You go over the solver's result, work it out from the notes yourself, and object with a reason if it "
    "is wrong.",
    "verifier": "You hold the solver's result against the requirements: completeness, unit, notation, and whether it "
    "rests on the notes; the arithmetic is not your business.",
    "aggregator": "You merge what the others came to, and say what you took.",
    "manager": "You decide from what was said whose turn it is, hand on what has to be known for it, and say when the "
    "work is over.",
    "proxy": "You speak for the user: you tell what only the user knows when you are asked for it, and say of an "
    "answer whether it is of the kind that was wanted.",
    "reporter": "You state the final answer of the team in the form that the plan asks for.",
}


def system_prompt(name: str, team: Mapping[str, str]) -> str:
    """The system prompt of the member `name` of a team of names and roles.

    Raises:
        KeyError: the team has no such member, or no such role is known.
    """
    members = ", ".join(f"{member} ({role})" for member, role in team.items())
    return f"You are {name}, the {team[name]} of a team: {members}. {_DUTIES[team[name]]}"


def job_number(task: str) -> int:
    """The number under which a task goes through the house, at least 0: what its members' chance is drawn from."""
    return zlib.crc32(task.encode()) % 1_000_000


def handed(job: int, source: str = "") -> str:
    """What a member is handed at first: the number of the job, and the text of the task if that is for its eyes."""
    return f"Job {job}:\n{source}" if source else f"Job {job}."
