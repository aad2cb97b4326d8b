"""Who is an agent, and what it is called.

CAMEL calls nearly every agent "System": that is the role of a system message which was given as a text. So a name is
looked for in this order: the user's own (of an `Ensemble`, or of a tapped model), the role, the description of a
worker, the id if it was given and not drawn, and at last what the agent is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from camel.agents import ChatAgent
from camel.models import BaseModelBackend
from camel.societies import RolePlaying
from camel.societies.workforce import RolePlayingWorker, SingleAgentWorker, Workforce

from aegis_camel import _compat
from aegis_camel.ensemble import Ensemble
from aegis_camel.models import name_of
from aegis_camel.texts.codec import is_drawn
from aegis_core.trajectory import Agent

__all__ = ["COORDINATOR", "PLANNER", "Member", "Namer", "is_app", "members", "members_of_worker", "shares_memory"]

COORDINATOR, PLANNER = "Coordinator", "Task Planner"
"""The agents that lead a workforce."""
_NO_NAMES = frozenset({"", "system", "assistant", "user"})


@dataclass(frozen=True)
class Member:
    """One agent of a system.

    `target` is the `ChatAgent` itself, or, where agents come and go, the tapped model that acts for it, or None if
    nothing of it can be reached. `owner` is the society that it is a part of, `part` what it is there.
    """

    agent: Agent
    target: Any
    owner: Any = None
    part: str = ""

    @property
    def path(self) -> str:
        return self.agent.path


class Namer:
    """Gives paths, no path twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def path(self, prefix: str, name: str) -> str:
        """A path that nobody has."""
        wanted = f"{prefix}{name.strip().replace('/', '-')}"
        path, number = wanted, 1
        while path in self._taken:
            number += 1
            path = f"{wanted} {number}"
        self._taken.add(path)
        return path


def is_app(value: Any) -> bool:
    """Whether the adapter can handle an object."""
    return isinstance(value, ChatAgent | RolePlaying | Workforce | Ensemble)


def shares_memory(app: Any, found: Iterable[Member]) -> bool:
    """Whether agents of a system read what others are told: they have one memory, or a workforce copies it."""
    inner = app.agents.values() if isinstance(app, Ensemble) else (app,)
    if any(isinstance(one, Workforce) and one.share_memory for one in inner):
        return True
    memories = [id(member.target.memory) for member in found if isinstance(member.target, ChatAgent)]
    return len(set(memories)) < len(memories)


def members(app: Any, namer: Namer | None = None, prefix: str = "") -> tuple[Member, ...]:
    """All agents of a system, in the order in which they are declared."""
    return tuple(_members(app, namer or Namer(), prefix))


def _members(app: Any, namer: Namer, prefix: str) -> Iterator[Member]:
    if isinstance(app, ChatAgent):
        yield _of_agent(app, namer.path(prefix, _name(app) or "Agent"), None, "")
    elif isinstance(app, RolePlaying):
        yield from _of_role_playing(app, namer, prefix)
    elif isinstance(app, Workforce):
        yield from _of_workforce(app, namer, prefix)
    elif isinstance(app, Ensemble):
        yield from _of_ensemble(app, namer, prefix)


def _of_ensemble(app: Ensemble, namer: Namer, prefix: str) -> Iterator[Member]:
    for name, member in app.agents.items():
        if isinstance(member, ChatAgent):
            yield _of_agent(member, namer.path(prefix, name), app, name)
        else:
            yield from _members(member, namer, f"{prefix}{name.replace('/', '-')}/")
    for model in app.models:
        name = name_of(model)
        yield Member(Agent(path=namer.path(prefix, name or "Agent")), model, app, name)


def _of_role_playing(app: RolePlaying, namer: Namer, prefix: str) -> Iterator[Member]:
    sides = {"user": app.user_agent, "assistant": app.assistant_agent}
    names = {side: _name(agent) or side.capitalize() for side, agent in sides.items()}
    if names["user"] == names["assistant"]:
        names = {side: f"{name} ({side})" for side, name in names.items()}
    for side, agent in sides.items():
        yield _of_agent(agent, namer.path(prefix, names[side]), app, side)
    if isinstance(app.critic, ChatAgent):
        yield _of_agent(app.critic, namer.path(prefix, _name(app.critic) or "Critic"), app, "critic")


def _of_workforce(app: Workforce, namer: Namer, prefix: str) -> Iterator[Member]:
    for part, agent in ((PLANNER, app.task_agent), (COORDINATOR, app.coordinator_agent)):
        yield _of_agent(agent, namer.path(prefix, part), app, part, kind="manager")
    for node in _compat.children(app):
        yield from members_of_worker(node, namer, prefix)


def members_of_worker(node: Any, namer: Namer, prefix: str) -> Iterator[Member]:
    """The agents of one node of a workforce."""
    description = str(node.description or "").strip().replace("/", "-")
    if isinstance(node, SingleAgentWorker):
        own = _name(node.worker, known_by=description) or "Worker"
        yield _of_agent(node.worker, namer.path(prefix, own), node, "worker", role=description)
    elif isinstance(node, RolePlayingWorker):
        inner = f"{prefix}{description or 'Role playing'}/"
        sides = (("user", node.user_role_name), ("assistant", node.assistant_role_name))
        same = node.user_role_name == node.assistant_role_name
        for side, name in sides:
            path = namer.path(inner, f"{name} ({side})" if same else name)
            kwargs = getattr(node, f"{side}_agent_kwargs") or {}
            model = kwargs.get("model")
            yield Member(Agent(path=path), model if isinstance(model, BaseModelBackend) else None, node, side)
        yield _of_agent(node.summarize_agent, namer.path(inner, "Summarizer"), node, "summarizer")
    elif isinstance(node, Workforce):
        yield from _of_workforce(node, namer, f"{prefix}{description or 'Workforce'}/")


def _of_agent(agent: ChatAgent, path: str, owner: Any, part: str, *, kind: Any = "worker", role: str = "") -> Member:
    message = agent.system_message
    told = str.__str__(message.content) if message is not None else ""
    return Member(Agent(path=path, kind=kind, role=told or role, tools=tuple(agent.tool_dict)), agent, owner, part)


def _name(agent: ChatAgent, known_by: str = "") -> str:
    for model in agent.model_backend.models:
        if name := name_of(model):
            return name
    if agent.role_name.strip().lower() not in _NO_NAMES:
        return str(agent.role_name)
    return known_by or ("" if is_drawn(agent.agent_id) else agent.agent_id)
