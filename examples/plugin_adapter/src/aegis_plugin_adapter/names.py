"""Who is an agent, how it is called, and which piece of parallel work it belongs to."""

from dataclasses import dataclass

from tinycrew import Agent, Crew


@dataclass(frozen=True)
class Member:
    """An agent somewhere in a crew."""

    agent: Agent
    path: str
    """`Writer`, or `Office/Clerk` in an inner crew."""
    branch: str
    """The path of its place inside crews whose members act at once; "" elsewhere."""


def members(crew, team="", branch=""):
    """The agents of a crew and of the crews inside, each once, in the order in which they first act."""
    found = {}
    for member in crew.members:
        path = f"{team}/{member.name}" if team else member.name
        place = (f"{branch}/{member.name}" if branch else member.name) if crew.at_once else branch
        inside = members(member, path, place) if isinstance(member, Crew) else [Member(member, path, place)]
        for one in inside:
            found.setdefault(id(one.agent), one)
    return list(found.values())
