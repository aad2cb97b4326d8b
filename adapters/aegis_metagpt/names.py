"""Who is an agent, and what it is called: every role that was hired, by its name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aegis_core.trajectory import Agent
from aegis_metagpt._compat import Environment, Message, Role, Team, is_send_to

__all__ = ["Cast", "Member"]


@dataclass(eq=False)
class Member:
    """A role under the name that it has in the record.

    `place` is where the role stands among those of its environment, which is the order in which MetaGPT starts them.
    """

    path: str
    role: Any  # a metagpt Role
    place: int

    def described(self) -> Agent:
        """The role as an agent."""
        purpose = f"{self.role.profile}: {self.role.goal}" if self.role.goal else self.role.profile
        return Agent(path=self.path, role=self.role.desc or purpose)


class Cast:
    """The members of a team, an environment, or one role that works alone.

    Two roles with one name are told apart by a number: `Alice`, `Alice#2`.
    """

    def __init__(self, app: Any) -> None:  # a Team, an Environment or a Role
        self.environment = app if isinstance(app, Environment) else app.env if isinstance(app, Team) else None
        self._alone = app if isinstance(app, Role) else None
        self.members: list[Member] = []
        self.newcomers()

    def newcomers(self) -> list[Member]:
        """Members that were hired since this was asked last."""
        known = {id(member.role) for member in self.members}
        return [self._named(role) for role in self._roles() if id(role) not in known]

    def _roles(self) -> Iterable[Any]:
        if self._alone is not None:
            return (self._alone,)
        if self.environment is None:
            return ()
        active = {id(role): role for role in self.environment.roles.values()}
        return (active | {id(role): role for role in self.environment.member_addrs}).values()

    def _named(self, role: Any) -> Member:
        name = (role.name or role.profile or type(role).__name__).strip().replace("/", "-")
        taken = {member.path for member in self.members}
        path, number = name, 1
        while path in taken:
            number += 1
            path = f"{name}#{number}"
        member = Member(path, role, len(self.members))
        self.members.append(member)
        return member

    def agents(self) -> tuple[Agent, ...]:
        """The members as agents."""
        return tuple(member.described() for member in self.members)

    def shadowed(self) -> list[Member]:
        """Members that MetaGPT never runs: an environment keeps its roles by profile, and a later one has the same.

        They still get messages (FoundationAgents/MetaGPT#1246).
        """
        if self.environment is None:
            return []
        running = {id(role) for role in self.environment.roles.values()}
        return [member for member in self.members if id(member.role) not in running]

    def of(self, role: Any) -> Member | None:
        """The member that a role is."""
        return next((member for member in self.members if member.role is role), None)

    def receivers(self, message: Message) -> list[Member]:
        """Into whose memory a message is put."""
        if self.environment is None:
            return []
        addresses = self.environment.member_addrs
        return [m for m in self.members if m.role in addresses and is_send_to(message, addresses[m.role])]

    def addressees(self, message: Message) -> list[Member]:
        """Who of the receivers acts on a message, by MetaGPT's rule: who watches its cause, or is named in it.

        What is sent to a class is delivered; who does not watch it does not act (FoundationAgents/MetaGPT#1390).
        """
        idle = self.shadowed()
        return [
            m
            for m in self.receivers(message)
            if m not in idle and (m.role.is_watch(message.cause_by) or m.role.name in message.send_to)
        ]

    def author(self, message: Message) -> str:
        """Who wrote a message, by its sender: a member, or `user`; "" where two members have the same class."""
        found = [member.path for member in self.members if _address(member.role) == message.sent_from]
        if found:
            return found[0] if len(found) == 1 else ""
        return "" if message.sent_from else "user"


def _address(role: Any) -> str:
    own = type(role)
    return f"{own.__module__}.{own.__name__}"
