"""Who is an agent, and where it stands: teams, agents that hold teams or agents, agents that are tools of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from autogen_agentchat.base import ChatAgent, Team
from autogen_agentchat.teams import BaseGroupChat

from aegis_autogen import _compat
from aegis_core.errors import AdapterError
from aegis_core.trajectory import Agent, AgentKind

__all__ = ["Layout", "Member", "TeamNode", "is_system", "survey"]


@dataclass(eq=False)
class Member:
    """An agent of a system, or the manager of a team, if that one asks a model.

    `agent` is whose turns are told: inside a MessageFilterAgent the agent that it filters for. `outer` is what the
    team knows. `team` is where it takes part, `owner` the agent that holds it or calls it as a tool.
    """

    path: str
    agent: Any
    outer: Any
    kind: AgentKind = "worker"
    team: TeamNode | None = None
    owner: Member | None = None

    @property
    def sources(self) -> frozenset[str]:
        """The names under which it says something."""
        return frozenset({str(self.agent.name), str(self.outer.name)})

    def described(self) -> Agent:
        """The agent as a record."""
        if self.kind == "manager":
            return Agent(path=self.path, kind="manager", role=str(getattr(self.agent, "description", "")))
        return Agent(path=self.path, kind=self.kind, role=_compat.system_text(self.agent), tools=_tools(self.agent))


@dataclass(eq=False)
class TeamNode:
    """A team, and where it stands: `inside` another one under a name, or held by an agent (`owner`)."""

    prefix: str
    team: Any
    name: str
    inside: TeamNode | None = None
    owner: Member | None = None
    members: list[Member | TeamNode] = field(default_factory=list)
    manager: Member | None = None

    def paths(self) -> dict[str, str]:
        """The paths of those who take part, by their names; of a team the path of what is in it."""
        found: dict[str, str] = {}
        for member in self.members:
            if isinstance(member, Member):
                found |= dict.fromkeys(member.sources, member.path)
            else:
                found |= member.paths()
        if self.manager is not None:
            found[self.manager.path.rpartition("/")[2]] = self.manager.path
        return found

    def routes(self) -> dict[str, str]:
        """Whom a turn can be sent to, by the names of those who take part: of a team the one who is first in it."""
        found = {str(member.outer.name): member.path for member in self.members if isinstance(member, Member)}
        for member in self.members:
            if isinstance(member, TeamNode) and (first := member.first()) is not None:
                found[member.name] = first
        return found

    def first(self) -> str | None:
        """The path of who is first in this team: its manager, if that one asks a model, or its first agent."""
        if self.manager is not None:
            return self.manager.path
        first = self.members[0] if self.members else None
        return first.first() if isinstance(first, TeamNode) else first.path if first is not None else None

    def name_of(self, path: str) -> str | None:
        """The name of who takes part and is, or holds, the agent with this path."""
        for member in self.members:
            if isinstance(member, Member) and member.path == path:
                return str(member.outer.name)
            if isinstance(member, TeamNode) and (member.first() == path or member.name_of(path) is not None):
                return member.name
        return None

    def hearers(self, speaker: str) -> tuple[str, ...]:
        """Those to whom everything that is said in the team is delivered, as it is said."""
        hearing = [
            member.path
            for member in self.members
            if isinstance(member, Member) and member.outer is member.agent and member.path != speaker
        ]
        if self.manager is not None and self.manager.path != speaker:
            hearing.append(self.manager.path)
        return tuple(hearing)


@dataclass
class Layout:
    """All agents and teams of a system, each once, from outside in."""

    members: list[Member] = field(default_factory=list)
    teams: list[TeamNode] = field(default_factory=list)
    roots: list[Member | TeamNode] = field(default_factory=list)

    def agents(self) -> tuple[Agent, ...]:
        """The agents as records; also the user, if one of them can hand over to the user."""
        found = tuple(member.described() for member in self.members)
        targets = {name for member in self.members for name in _compat.handoff_targets(member.agent)}
        hands_back = "user" in targets and not any(agent.path == "user" for agent in found)
        return (*found, Agent(path="user", kind="user")) if hands_back else found

    def private(self, member: Member) -> bool:
        """Whether what an agent is given stays with it, so that an alteration of it is seen by nobody else."""
        return _compat.keeps_to_itself(member.agent, [other.agent for other in self.members])

    def authors(self, member: Member) -> Mapping[str, str]:
        """Paths by the names of sources, as an agent knows them."""
        found: dict[str, str] = {}
        place: Member | TeamNode | None = member
        while place is not None:
            team = place.team if isinstance(place, Member) else place.inside
            if team is not None:
                found = team.paths() | found
                place = team
            else:
                place = place.owner
        held = [team for team in self.teams if team.owner is member]
        for team in held:
            found |= {name: path for name, path in team.paths().items() if name not in found}
        return found | dict.fromkeys(member.sources if member.kind != "manager" else (), member.path)


def is_system(app: Any) -> bool:
    """Whether this is a team, an agent, or a list of agents and teams."""
    if isinstance(app, list | tuple):
        return bool(app) and all(isinstance(item, ChatAgent | BaseGroupChat) for item in app)
    return isinstance(app, ChatAgent | BaseGroupChat)


def survey(app: Any) -> Layout:
    """Find all agents of a system.

    Raises:
        AdapterError: two agents of a list have one name.
    """
    layout = Layout()
    seeker = _Seeker(layout)
    for item in app if isinstance(app, list | tuple) else [app]:
        if isinstance(item, Team):
            found: Member | TeamNode | None = seeker.team(item, "", _compat.team_name(item))
        else:
            found = seeker.agent(item, "")
        inside = isinstance(found, Member) and (found.team is not None or found.owner is not None)
        if found is not None and not inside and found not in layout.roots:
            layout.roots.append(found)
    paths = [member.path for member in layout.members]
    if twice := sorted({path for path in paths if paths.count(path) > 1}):
        raise AdapterError(f"agents {twice} occur twice in this system; give each agent a name of its own")
    return layout


class _Seeker:
    """Walks through a system; what is met again was found where it stood first."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._met: dict[int, Member | TeamNode] = {}

    def team(
        self, team: Any, prefix: str, name: str, *, inside: TeamNode | None = None, owner: Member | None = None
    ) -> TeamNode | None:
        if id(team) in self._met:
            return None
        node = TeamNode(prefix, team, name, inside, owner)
        self._met[id(team)] = node
        self._layout.teams.append(node)
        if (manager := _compat.manager_name(team)) is not None:
            node.manager = Member(prefix + manager, team, team, "manager", node)
            self._layout.members.append(node.manager)
        for participant in _compat.participants(team):
            if isinstance(participant, Team):
                inner = _compat.team_name(participant)
                found: Member | TeamNode | None = self.team(participant, f"{prefix}{inner}/", inner, inside=node)
            else:
                found = self.agent(participant, prefix, team=node)
            if found is not None:
                node.members.append(found)
        return node

    def agent(
        self, outer: Any, prefix: str, *, team: TeamNode | None = None, owner: Member | None = None
    ) -> Member | None:
        agent = outer
        while (inner := _compat.filtered(agent)) is not None:
            agent = inner
        if id(agent) in self._met:
            met = self._met[id(agent)]
            return met if isinstance(met, Member) else None
        kind: AgentKind = "user" if _compat.is_human(agent) else "worker"
        member = Member(f"{prefix}{outer.name}", agent, outer, kind, team, owner)
        self._met[id(agent)] = member
        self._layout.members.append(member)
        for item, place in self._below(member):
            if isinstance(item, Team):
                self.team(item, place, place.rstrip("/").rpartition("/")[2], owner=member)
            else:
                self.agent(item, place, owner=member)
        return member

    def _below(self, member: Member) -> Iterator[tuple[Any, str]]:
        """What an agent holds or can call, with the prefix of the paths there."""
        inner = f"{member.path}/"
        for item in _compat.held(member.agent):
            yield item, inner
        for tool in _compat.every_tool(member.agent):
            if (item := _compat.runner(tool)) is not None:
                yield item, f"{inner}{tool.name}/" if isinstance(item, Team) else inner


def _tools(agent: Any) -> tuple[str, ...]:
    tools = [tool.name for tool in _compat.every_tool(agent)]
    if _compat.runs_code(agent):
        tools.append("code")
    return tuple(dict.fromkeys([*tools, *_compat.handoff_tools(agent)]))
