"""What belongs to one run: where in its plan of work a turn stands, which turn is open, and what has been patched.

Nothing of it is held by context alone: CAMEL runs tools, and steps with a time limit, in threads that know of no
context. So an agent's tap also knows its own open turns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from aegis_camel.texts.codec import NodeNames
from aegis_camel.texts.wrapping import Wrapping
from aegis_core.adapter import Turn
from aegis_core.errors import AegisError, ReplayDrift, RunLimitReached
from aegis_core.faults import Scope as InjectionScope
from aegis_core.run import Run, patches
from aegis_core.run.places import Places
from aegis_core.run.recorder import OrderKey
from aegis_core.trace.active import current_branch
from aegis_core.trajectory import StepKind, Usage

__all__ = ["Asked", "Patches", "Scope", "Session", "Visit"]


class Scope:
    """A piece of work: the turns in it are sorted by where it stands in the plan, then by when they began.

    Those of branches that `aegis.branch` names are sorted by their names, whichever began first.

    Args:
        session: the run that it is a piece of.
        prefix: where it stands.
        branch: what the framework calls it; "" where there is only one.
    """

    def __init__(self, session: Session, prefix: OrderKey = (), branch: str = "") -> None:
        self.session = session
        self.prefix = prefix
        self._branch = branch
        self._places = Places(prefix)

    @property
    def branch(self) -> str:
        """The branch of a turn that begins now: the framework's, and below it what `aegis.branch` says."""
        named, own = current_branch.get(), self._branch
        if not named or f"/{own}".endswith(f"/{named}"):  # inside a turn that was begun on that branch
            return own
        return f"{own}/{named}" if own else named

    def place(self) -> OrderKey:
        """The order key of what begins now."""
        return self._places.next(self.branch)


@dataclass
class Asked:
    """A call of a tool that a model asked for, and that is not answered yet."""

    call_id: str
    name: str
    arguments: str


@dataclass(eq=False)
class Visit:
    """One open turn of an agent, with what is known of it so far."""

    session: Session
    turn: Turn
    scope: Scope
    kind: StepKind = "message"
    message: Any = None
    """What the agent is told."""
    asked: dict[str, Asked] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Ids of calls of tools that raised."""
    taken: set[str] = field(default_factory=set)
    """Ids of calls that a tool has been called for."""
    model: str | None = None
    usage: Usage | None = None
    """Of the calls of the model that no step tells of yet."""
    said: list[Any] = field(default_factory=list)
    """What the model said last, a text for each choice; nothing, once it is recorded."""
    thought: str = ""
    """What it said last beside calls of tools."""
    failures: int = 0
    """How many calls of the model failed, and were made again."""
    error: Exception | None = None
    """What the last call of the model raised."""
    stream: Any = None
    """The stream that its model is giving, which CAMEL may leave as soon as it has what it needs."""

    def inside(self, order: OrderKey) -> Scope:
        """What happens inside of a call that stands here."""
        return Scope(self.session, order, self.turn.moment.branch)


_here: ContextVar[Visit | Scope | None] = ContextVar("aegis_camel_here", default=None)
_inside_entry: ContextVar[Session | None] = ContextVar("aegis_camel_inside_entry", default=None)
_inside_model: ContextVar[bool] = ContextVar("aegis_camel_inside_model", default=False)


class Session:
    """One run, as seen by everything that is tapped for it."""

    def __init__(self, run: Run, *, persistent: bool = True) -> None:
        self.run = run
        self.scopes: tuple[InjectionScope, ...] = ("persistent",) if persistent else ()
        """How far an alteration of what an agent is told can reach: not into a memory that it shares with others."""
        self.names = NodeNames()
        self.wrapping = Wrapping()
        self.root = Scope(self)
        self.patches = Patches()
        self.stopped: AegisError | None = None
        """Why the run can't go on: a drift or a limit, which the framework may have swallowed."""
        self.entered = 0
        """How many calls of the entry of the system are running."""
        self.own_words: dict[tuple[str, str], str] = {}
        """What an agent said, by its path and what others were given instead: it remembers its own words."""
        self.began = False
        """Whether it was called before."""
        self.closing: list[Callable[[], None]] = []
        """Called at the end of the run, before anything is restored."""

    @property
    def inside_entry(self) -> bool:
        """Whether the current code was called, directly or not, by the entry of the system."""
        return _inside_entry.get() is self

    @contextlib.contextmanager
    def entering(self) -> Iterator[None]:
        """Run the entry of the system, or a piece of it."""
        token = _inside_entry.set(self)
        try:
            yield
        finally:
            _inside_entry.reset(token)

    @property
    def inside_model(self) -> bool:
        """Whether the current code was called by a model that is tapped already."""
        return _inside_model.get()

    def here(self) -> Visit | None:
        """The turn that the current code belongs to, as far as its context knows."""
        found = _here.get()
        return found if isinstance(found, Visit) and found.session is self else None

    def scope(self) -> Scope:
        """The piece of work that the current code belongs to."""
        found = _here.get()
        if found is None or found.session is not self:
            return self.root
        return found.scope if isinstance(found, Visit) else found

    @contextlib.contextmanager
    def at(self, place: Visit | Scope) -> Iterator[None]:
        """Run code as a part of a turn or of a piece of work."""
        token = _here.set(place)
        try:
            yield
        finally:
            _here.reset(token)

    @contextlib.contextmanager
    def calling_model(self) -> Iterator[None]:
        """Run the real model: what is tapped in there is not recorded again."""
        token = _inside_model.set(True)
        try:
            yield
        finally:
            _inside_model.reset(token)

    def noted(self, error: BaseException) -> None:
        """Remember why the run can't go on."""
        if isinstance(error, ReplayDrift | RunLimitReached) and self.stopped is None:
            self.stopped = error

    def check(self) -> None:
        """Raise what the framework may have swallowed.

        Raises:
            ReplayDrift, RunLimitReached: the run can't go on.
        """
        if self.stopped is not None:
            raise self.stopped


class Patches(patches.Patches):
    """What was replaced, and how each thing is put back."""

    def items(self, mapping: dict[str, Any], change: Callable[[Any], Any]) -> None:
        """Replace the values of a mapping that the framework reads, in place; what is added to it meanwhile stays."""
        for key, value in list(mapping.items()):
            self.item(mapping, key, change(value))
