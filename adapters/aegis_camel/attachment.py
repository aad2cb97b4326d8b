"""Taking hold of a system for one run, and letting it go."""

from __future__ import annotations

from typing import Any

from camel.agents import ChatAgent
from camel.societies import RolePlaying
from camel.societies.workforce import Workforce

from aegis_camel.agents import AgentTap
from aegis_camel.ensemble import Ensemble
from aegis_camel.entry import Entry, task_text
from aegis_camel.models import bind, is_tapped, name_of
from aegis_camel.names import PLANNER, Member, Namer, members, shares_memory
from aegis_camel.session import Session
from aegis_camel.societies import attach_role_playing, enter_role_playing
from aegis_camel.workforce import WorkforceTap
from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError
from aegis_core.run import Run

__all__ = ["CamelAttachment"]


class CamelAttachment(Attachment):
    """The hold on one system. `app` is the user's own object: whatever is tapped is tapped in place."""

    def __init__(self, app: Any, run: Run) -> None:
        self._namer = Namer()
        found = members(app, self._namer)
        _check(app, found)
        self.app = app
        self._session = Session(run, persistent=not shares_memory(app, found))
        try:
            self._attach(app, found, "")
            self._enter(app, found)
        except BaseException:
            self.detach()
            raise

    def detach(self) -> None:
        for close in self._session.closing:
            close()
        self._session.closing.clear()
        self._session.patches.restore()

    def _attach(self, app: Any, found: tuple[Member, ...], prefix: str) -> None:
        session = self._session
        if isinstance(app, ChatAgent):
            AgentTap(session, app, found[0].path)
        elif isinstance(app, RolePlaying):
            attach_role_playing(session, app, found)
        elif isinstance(app, Workforce):
            WorkforceTap(session, app, found, self._namer, prefix)
        elif isinstance(app, Ensemble):
            for member in found:
                if member.owner is app and isinstance(member.target, ChatAgent):
                    AgentTap(session, member.target, member.path)
                elif member.owner is app:
                    bind(session, member.target, member.path)
            for name, inner in app.agents.items():
                if not isinstance(inner, ChatAgent):
                    self._attach(inner, found, f"{prefix}{name.replace('/', '-')}/")

    def _enter(self, app: Any, found: tuple[Member, ...]) -> None:
        session = self._session
        if isinstance(app, RolePlaying):
            enter_role_playing(session, app, found)
            return
        called: list[bool] = []

        def again() -> bool:
            """Whether the agent was called before: it remembers, so that what follows is the same conversation."""
            called.append(True)
            return isinstance(app, ChatAgent) and len(called) > 1

        to = tuple(member.path for member in found if member.target is app or member.part == PLANNER)[:1]
        reads = isinstance(app, ChatAgent | Workforce)  # of an ensemble, only its function knows

        def later(*args: Any, **kwargs: Any) -> tuple[str, tuple[str, ...]]:
            return _first_text(*args, **kwargs), to if reads else ()

        entry = Entry(session, _first_text, again, later)
        names = ("process_task_async",) if isinstance(app, Workforce) else ("entry",)
        for name in ("step", "astep") if isinstance(app, ChatAgent) else names:
            around: Any = entry.around(getattr(app, name))
            around.aegis_entry = True
            session.patches.attribute(app, name, around)


def _first_text(*args: Any, **kwargs: Any) -> str:
    return next((text for value in (*args, *kwargs.values()) if (text := task_text(value))), "")


def _check(app: Any, found: tuple[Member, ...]) -> None:
    """Refuse what is attached already, and what has one agent under two names.

    Raises:
        AdapterError: the message says what to do.
    """
    seen: dict[int, str] = {}
    for member in found:
        agent = member.target
        if isinstance(agent, ChatAgent):
            if is_tapped(agent):
                raise AdapterError(
                    f"{member.path!r} is attached to a run already; leave that `with` block first, or build another"
                )
            if (other := seen.get(id(agent))) is not None:
                raise AdapterError(f"one agent object is both {other!r} and {member.path!r}; give each its own")
            seen[id(agent)] = member.path
        elif isinstance(member.owner, Ensemble) and not name_of(agent):
            raise AdapterError(
                f"a model of the ensemble is no tapped one ({type(agent).__name__}); "
                "give it aegis_camel.models.tap(model, name)"
            )
    if isinstance(app, Ensemble) and getattr(app.entry, "aegis_entry", False):
        raise AdapterError("this ensemble is attached to a run already; leave that `with` block first")
