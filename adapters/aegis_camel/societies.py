"""RolePlaying: two agents that take turns, and a critic between them."""

from __future__ import annotations

from typing import Any

from camel.societies import RolePlaying

from aegis_camel.agents import AgentTap
from aegis_camel.entry import Entry
from aegis_camel.names import Member
from aegis_camel.session import Session
from aegis_camel.texts.messages import content_text
from aegis_camel.turns import Manner

__all__ = ["attach_role_playing", "converse", "enter_role_playing"]

_ROUNDS = 20
"""After so many rounds a conversation is ended, if nobody ended it."""
_DONE = "CAMEL_TASK_DONE"


class _Seat(Manner):
    """Who speaks to whom is fixed: the user to the assistant, the assistant to the user, both through the critic."""

    def __init__(self, table: dict[str, str], part: str) -> None:
        self._table = table
        self._part = part

    def addressed_to(self) -> tuple[str, ...]:
        other = {"user": "assistant", "assistant": "user"}
        if self._part == "critic":
            proposer = self._table.get("proposer", "")
            return (self._table[other[proposer]],) if proposer else ()
        self._table["proposer"] = self._part
        return (self._table.get("critic") or self._table[other[self._part]],)


def attach_role_playing(session: Session, society: RolePlaying, found: tuple[Member, ...]) -> None:
    """Tap the agents of a society."""
    own = [member for member in found if member.owner is society]
    table = {member.part: member.path for member in own}
    for member in own:
        AgentTap(session, member.target, member.path, _Seat(table, member.part))


def enter_role_playing(session: Session, society: RolePlaying, found: tuple[Member, ...]) -> None:
    """Have a society tell the run of its task and its answers. A conversation is one run, however many steps it has."""
    going = {"on": False}

    def goes_on() -> bool:
        before, going["on"] = going["on"], True
        return before

    def anew(real: Any) -> Any:
        def init_chat(*args: Any, **kwargs: Any) -> Any:
            going["on"] = False
            return real(*args, **kwargs)

        return init_chat

    to = tuple(member.path for member in found if member.part == "user")

    def later(message: Any, *_: Any, **__: Any) -> tuple[str, tuple[str, ...]]:
        """The user's own words: what a conversation begins with is CAMEL's, and most goes on with what was said."""
        text = content_text(message)
        return ("", ()) if not going["on"] or session.wrapping.knows(text) else (text, to)

    entry = Entry(session, lambda *_, **__: str.__str__(str(society.task_prompt)), goes_on, later)
    for name in ("step", "astep"):
        session.patches.attribute(society, name, entry.around(getattr(society, name)))
    session.patches.attribute(society, "init_chat", anew(society.init_chat))


def converse(society: RolePlaying, task: str, rounds: int = _ROUNDS) -> Any:
    """Let a society work on a task, until one of the two ends it; what the last step returned."""
    told = society.init_chat()
    if task and task not in str(society.task_prompt):
        told = society.init_chat(f"{told.content}\n\n{task}")
    said: Any = None
    for _ in range(rounds):
        said = society.step(told)
        assistant, user = said
        if assistant.terminated or user.terminated or not assistant.msgs or _DONE in user.msgs[0].content:
            break
        told = assistant.msgs[0]
    return said
