"""An adapter's hold on a system: taps on its very objects, put on through one table and taken off through it."""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator, Callable
from contextvars import ContextVar
from typing import Any

from aegis_autogen import _compat
from aegis_autogen.entry import Entry
from aegis_autogen.names import Layout, Member, TeamNode, survey
from aegis_autogen.patches import Patches, is_patched
from aegis_autogen.signals import Signals
from aegis_autogen.taps.agents import AgentTap, stepping
from aegis_autogen.taps.managers import ManagerTap, OrchestratorTap, noting_choices
from aegis_autogen.taps.models import tapped_client
from aegis_autogen.taps.orders import Plan
from aegis_autogen.taps.tools import ToolTap, WorkbenchTap, tapped_code, tapped_input
from aegis_autogen.taps.turns import Speaker
from aegis_autogen.taps.words import Words
from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey

__all__ = ["SystemAttachment"]

acting_in: ContextVar[TeamNode | None] = ContextVar("aegis_autogen_acting_in", default=None)
"""The team that the current code runs in. Set around each step of its stream; its runtime takes it over."""


class SystemAttachment(Attachment):
    """Taps teams and agents, their models, tools and managers."""

    def __init__(self, app: Any, run: Run) -> None:
        self.app = app
        self.run = run
        self.signals = Signals()
        self._layout = survey(app)
        self._words = Words()
        self._acting: dict[int, int] = {id(node): 0 for node in self._layout.teams}
        """How often each team is running now."""
        self._plans = {id(node): Plan() for node in self._layout.teams}
        roots = self._layout.roots
        self._outside = (self._plans.get(id(roots[0])) if len(roots) == 1 else None) or Plan()
        """The plan of what the user calls: of a team alone it is the team's."""
        self._taps: dict[int, AgentTap] = {}
        self._table = Patches(run.info.run_id)
        self.attached = True
        _refuse_attached(self._layout)
        try:
            self._tap()
        except BaseException:
            self.detach()
            raise

    def detach(self) -> None:
        self.attached = False
        self._table.restore()

    def _tap(self) -> None:
        for member in self._layout.members:
            if member.kind != "manager":
                self._tap_agent(member)
        for node in self._layout.teams:
            self._tap_team(node)
        several = len(self._layout.roots) > 1 or isinstance(self.app, list | tuple)
        for root in self._layout.roots:
            entry = Entry(self.run, self.signals, _Listeners(root, self._outside), self._words, several=several)
            owner = root.team if isinstance(root, TeamNode) else root.outer
            self._table.put(owner, "run_stream", entry.stream(owner.run_stream))
            if isinstance(root, Member):
                self._table.put(owner, "run", entry.whole(owner.run))
                self._taps[id(root)].entry = entry

    # -- agents ----------------------------------------------------------------------------------------------------

    def _tap_agent(self, member: Member) -> None:
        agent = member.agent
        speaker = Speaker(
            path=member.path,
            sources=member.sources,
            authors=self._layout.authors(member),
            team=lambda: self._team_of(member),
            private=self._layout.private(member),
            words=self._words,
        )
        tap = self._taps[id(member)] = AgentTap(self.run, speaker, lambda: self._order(member), self.signals)
        for attribute in _compat.attributes_with_clients(agent):
            client = getattr(agent, attribute)
            self._table.put(agent, attribute, tapped_client(client, self.run, tap, self.signals))
            tap.model = _compat.model_name(client)
        self._tap_tools(agent, tap)
        self._table.put(agent, "on_messages", tap.whole(agent.on_messages))
        self._table.put(agent, "on_messages_stream", tap.stream(agent.on_messages_stream))

    def _tap_tools(self, agent: Any, tap: AgentTap) -> None:
        own = {id(tool): ToolTap(tool, tap) for tool in _compat.own_tools(agent)}
        taps: dict[int, Any] = {id(bench): WorkbenchTap(bench, tap) for bench in _compat.workbenches(agent)} | own
        for attribute, value in _compat.replaced(agent, taps):
            self._table.put(agent, attribute, value)
        if _compat.runs_code(agent):
            self._table.put(agent, "execute_code_block", tapped_code(agent, tap))
        if _compat.is_human(agent) and hasattr(agent, _compat.GET_INPUT):
            self._table.put(agent, _compat.GET_INPUT, tapped_input(agent, tap))

    def _order(self, member: Member) -> OrderKey:
        if (team := self._team_of(member)) is not None:
            return self._plans[id(team)].taken(str(member.outer.name))
        return (*self._inside(member.owner), *self._outside.taken(member.path))

    def _team_of(self, member: Member) -> TeamNode | None:
        """The team that an agent acts in now: it may be in several, or be called by itself."""
        team = acting_in.get()
        if team is not None and member in team.members:
            return team
        home = member.team
        known = home is not None and self._acting[id(home)] and not _compat.runs_itself(home.team)
        return home if known else None

    def _inside(self, owner: Member | None) -> OrderKey:
        place = self._taps[id(owner)].here() if owner is not None else None
        return place.order if place is not None else ()

    # -- teams -----------------------------------------------------------------------------------------------------

    def _tap_team(self, node: TeamNode) -> None:
        team, plan = node.team, self._plans[id(node)]
        self._table.put(team, "run_stream", self._planned(node, plan, team.run_stream))
        if not hasattr(team, _compat.CREATE_MANAGER):  # a team of the user's own making
            return
        if (manager := _compat.current_manager(team)) is not None:
            self.tap_manager(node, manager)
        create = getattr(team, _compat.CREATE_MANAGER)
        self._table.put(team, _compat.CREATE_MANAGER, _creating(create, weakref.ref(self), node))

    def _planned(self, node: TeamNode, plan: Plan, real: Callable[..., Any]) -> Callable[..., Any]:
        """`run_stream` of a team: what is told of it stands where the team stands."""

        async def run_stream(*args: Any, **options: Any) -> AsyncGenerator[Any, None]:
            if not self._acting[id(node)]:
                plan.begin(self._place_of(node))
            self._acting[id(node)] += 1
            stream = stepping(real(*args, **options), lambda: node, acting_in)
            try:
                async for item in stream:
                    yield item
            finally:
                self._acting[id(node)] -= 1
                await stream.aclose()

        return run_stream

    def _place_of(self, node: TeamNode) -> OrderKey:
        if node.inside is not None:
            return self._plans[id(node.inside)].taken(node.name)
        if node.owner is not None:
            return self._inside(node.owner)
        return self._outside.taken(node.name) if len(self._layout.roots) > 1 else ()

    def tap_manager(self, node: TeamNode, manager: Any) -> None:
        """Take hold of a team's manager, which is made in the team's first run."""
        plan, member = self._plans[id(node)], node.manager
        if is_patched(manager, "select_speaker"):
            return
        if member is None:
            self._table.put(manager, "select_speaker", noting_choices(manager, plan))
            return
        speaker = Speaker(
            path=member.path,
            sources=frozenset({_compat.own_name(manager)}),
            authors=node.paths(),
            team=lambda: node,
            words=self._words,
        )
        kind = OrchestratorTap if _compat.orchestrates(node.team) else ManagerTap
        tap = kind(manager, self.run, speaker, plan, self.signals)
        client = getattr(manager, _compat.MODEL_CLIENT)
        tap.model = _compat.model_name(client)
        self._table.put(manager, _compat.MODEL_CLIENT, tapped_client(client, self.run, tap, self.signals))
        self._table.put(manager, "select_speaker", tap.select(manager.select_speaker))
        if isinstance(tap, OrchestratorTap):
            self._table.put(manager, "on_message_impl", tap.handle(manager.on_message_impl))
            self._table.put(manager, "update_message_thread", tap.remember(manager.update_message_thread))
            self._table.put(manager, "publish_message", tap.publish(manager.publish_message))
            facts = _compat.FACTS_PROMPT
            self._table.put(manager, facts, tap.facts(getattr(manager, facts)))


class _Listeners:
    """Who gets what the user says to a team or an agent."""

    def __init__(self, root: TeamNode | Member, plan: Plan) -> None:
        self._root = root
        self._plan = plan

    def of(self, target: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        root = self._root
        if isinstance(root, Member):
            return (root.path,), (root.path,)
        hearers = root.hearers("user")
        one = root.routes().get(target) if target is not None else None
        manager = root.manager.path if root.manager is not None else None
        return (one,) if one is not None else tuple(path for path in hearers if path != manager), hearers

    def place(self) -> OrderKey:
        return self._plan.said()


def _creating(
    create: Callable[..., Any], attachment: weakref.ref[SystemAttachment], node: TeamNode
) -> Callable[..., Any]:
    """What makes the factory of a manager: the one that is made in this run is tapped.

    The framework keeps the factory for good, so that it must not keep the run.
    """

    def create_factory(*args: Any, **options: Any) -> Callable[[], Any]:
        factory = create(*args, **options)

        def made() -> Any:
            manager = factory()
            holder = attachment()
            if holder is not None and holder.attached:
                holder.tap_manager(node, manager)
            return manager

        return made

    return create_factory


def _refuse_attached(layout: Layout) -> None:
    """Raise if anything in the system is in the hands of a run already."""
    places: list[tuple[Any, str, str]] = [
        (member.agent, "on_messages_stream", f"agent {member.path!r}")
        for member in layout.members
        if member.kind != "manager"
    ]
    places += [(node.team, "run_stream", f"team {node.name!r}") for node in layout.teams]
    for owner, attribute, what in places:
        if run := is_patched(owner, attribute):
            raise AdapterError(
                f"{what} is attached to run {run} already; leave that `with` block first, and give each system that "
                "runs at the same time agents of its own (AutoGen's agents remember, so that two runs would mix)"
            )
