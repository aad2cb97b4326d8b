"""The contract between the core and what wraps a framework.

An adapter translates: it tells the core when an agent's turn begins and ends and which calls it makes inside,
as *parts* of plain text; edits come back by part id, and the adapter writes them into the framework's own
objects. `run.run.Run` is the core's side of the contract, and the only thing that ever alters a run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pydantic import JsonValue

from aegis_core.faults import Moment, Scope, Strategy
from aegis_core.records import Record
from aegis_core.trajectory import Agent, StepKind

if TYPE_CHECKING:
    from aegis_core.run import Run

__all__ = [
    "Adapter",
    "Attachment",
    "CallKind",
    "Capabilities",
    "Codec",
    "Delivery",
    "Part",
    "ReplayLevel",
    "Site",
    "System",
    "Turn",
]

CallKind = Literal["model", "tool", "human", "node"]
ReplayLevel = Literal["call", "node"]
R = TypeVar("R")


class Part(Record):
    """A piece of text that goes into or comes out of an agent, by which the core sees and edits a message.

    `id` is unique within one input or output and says where the text stands in the native object. Only an
    `editable` part may be altered. `kind` is what the part would be as a step; `data` is structured content
    beside the text (tool arguments), never edited.
    """

    id: str
    text: str
    role: str = ""
    """Who the framework says is speaking in the model's terms: system, user, assistant, tool."""
    author: str = ""
    """Path of the agent that wrote it, `user` for the caller, "" if not known."""
    editable: bool = True
    kind: StepKind = "message"
    call_id: str | None = None
    data: JsonValue = None


class Codec(Protocol[R]):
    """How one kind of call result becomes plain data and parts, and back. Never pickle."""

    def encode(self, result: R) -> JsonValue:
        """Plain data from which `decode` makes an equal result."""

    def decode(self, payload: JsonValue) -> R:
        """A fresh result, equal to the recorded one; never an object that was handed out before."""

    def parts(self, result: R) -> tuple[Part, ...]:
        """The texts of the result."""

    def write(self, result: R, texts: Mapping[str, str]) -> R:
        """A copy of the result with the texts of these parts replaced; ids, classes and structure stay valid."""


@dataclass
class Turn:
    """One activation of an agent, from `Run.begin_turn` to `Run.end_turn`. The handle for all that is inside.

    `parts` is what the agent is to see. If they were altered, `scope` says how far that reaches: `persistent` is
    written into the agent's memory, `ephemeral` is for this activation alone; else it is None.
    """

    moment: Moment
    parts: tuple[Part, ...]
    scope: Scope | None = None
    order: tuple[int | str, ...] = ()
    changed: frozenset[str] = frozenset()
    """Ids of the altered parts."""
    ended: bool = False
    calls: dict[str, int] = field(default_factory=dict)
    parents: tuple[int, ...] = ()
    started: float = 0.0
    since: int = 0
    """How many steps were recorded before it began."""

    def texts(self) -> dict[str, str]:
        """Altered texts by part id: what the adapter has to write."""
        return {part.id: part.text for part in self.parts if part.id in self.changed}


@dataclass(frozen=True)
class Delivery:
    """What leaves an agent's turn. `scope` is set if the parts were altered: `outgoing` or `belief`."""

    parts: tuple[Part, ...]
    route: str | None
    scope: Scope | None = None
    changed: frozenset[str] = frozenset()
    steps: tuple[int, ...] = ()
    """Numbers of the steps that were recorded of it, for the `parents` of what follows from them."""

    def texts(self) -> dict[str, str]:
        """Altered texts by part id: what the adapter has to write."""
        return {part.id: part.text for part in self.parts if part.id in self.changed}


class Site(Record):
    """A strategy with a scope that an adapter can carry out on an object."""

    strategy: Strategy
    scope: Scope


class Capabilities(Record):
    """What an adapter can do with one object. Honest: what is not listed is refused, not tried."""

    sync: bool = True
    asynchronous: bool = False
    streaming: bool = False
    """Its result can be had in pieces."""
    streaming_as: tuple[Literal["sync", "asynchronous"], ...] = ("sync", "asynchronous")
    """In which of the two ways it streams, if it does and has both."""
    sites: tuple[Site, ...] = ()
    redirect: bool = False
    """A hand-off can be sent to another agent."""
    replay: tuple[ReplayLevel, ...] = ()
    fork: bool = False
    """The framework's own checkpoints can start a run in the middle."""
    notes: tuple[str, ...] = ()
    """What can't be done with this object, and why, one sentence each."""

    def offers(self, strategy: Strategy, scope: Scope) -> bool:
        """Whether this strategy can be carried out with this scope."""
        return any((site.strategy, site.scope) == (strategy, scope) for site in self.sites)


class Attachment(AbstractContextManager["Attachment"]):
    """An adapter's hold on an object for one run. Leaving it restores everything.

    `app` is what to run: the object itself, or a rebuilt one.
    """

    app: Any  # a framework's own object

    @abstractmethod
    def detach(self) -> None:
        """Restore every attribute that was replaced, by identity; may be called more than once."""

    def __exit__(self, *exc: object) -> None:
        self.detach()


@dataclass(frozen=True)
class System:
    """What a factory may return instead of the bare object: how to start it and where its answer is.

    `start(app, task)` runs the object on the text of a task and returns its result, or an awaitable of it;
    `output(result)` takes the final answer out of the result. None leaves it to the adapter.
    """

    app: Any  # a framework's own object
    start: Callable[[Any, str], Any] | None = None
    output: Callable[[Any], str | None] | None = None
    name: str = ""


class Adapter(ABC):
    """Makes one framework recordable and injectable. Subclasses live in plugins, one instance serves all runs."""

    name: str

    @abstractmethod
    def can_handle(self, app: Any) -> bool:
        """Whether `app` is an object of this framework. Never raises, never changes it."""

    @abstractmethod
    def agents(self, app: Any) -> tuple[Agent, ...]:
        """The agents of the object, spelled as in the steps that it will produce."""

    @abstractmethod
    def capabilities(self, app: Any) -> Capabilities:
        """What can be done with this very object."""

    @abstractmethod
    def attach(self, app: Any, run: Run) -> Attachment:
        """Take hold of the object so that what happens in it reaches `run`.

        Raises:
            AdapterError: already attached, or the object can't be handled; the message says what to do.
        """

    @abstractmethod
    def start(self, app: Any, task: str) -> Any:
        """Run the object on the text of a task; returns its result or an awaitable of it."""

    @abstractmethod
    def output(self, result: Any) -> str | None:
        """The final answer in a result of `start`, or None if there is none."""

    def normalise(self, request: JsonValue) -> JsonValue:
        """The request without what differs from run to run (random ids, times), for the hash of the tape.

        Asked piece by piece, and once for equal pieces: `{"parts": [[role, author, kind, text, data]], "extra": None}`
        of each part alone, and `{"parts": [], "extra": ...}` of what else a call depends on. Returns the same form.
        """
        return request
