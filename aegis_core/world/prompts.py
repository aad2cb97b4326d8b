"""The system prompts of the teams in this tree."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["system_prompt"]

_DUTIES = {
    "planner": "You divide the work: say what is asked and which researcher finds which facts.",
    "researcher": "You collect the facts of your share and hand them on as notes, each with its figure.",
    "solver": "You work out the answer from the researchers' notes and show how you get there.",
    "critic": "You go over the solver's result, work it out from the notes yourself, and object with a reason if it "
    "is wrong.",
    "reporter": "You state the final answer of the team in the form that the task asks for.",
}


def system_prompt(name: str, team: Mapping[str, str]) -> str:
    """The system prompt of the member `name` of a team of names and roles.

    Raises:
        KeyError: the team has no such member, or no such role is known.
    """
    members = ", ".join(f"{member} ({role})" for member, role in team.items())
    return f"You are {name}, the {team[name]} of a team: {members}. {_DUTIES[team[name]]}"
