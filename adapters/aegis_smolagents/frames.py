"""Where the code is: in which activation of which agent, and in which of its calls.

An order key tells where something stands in a run, so that the order of arrival does not show:

    (n,)                       the n-th run of an agent that the user's own code started
    (..., slot)                the slot-th thing that an agent does in its turn: asks its model, calls tools
    (..., slot, position)      the position-th of the calls that its model asked for at once, which run side by side
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey
from aegis_core.trajectory import StepKind, Usage
from aegis_smolagents._compat import ChatMessage, arguments_of

if TYPE_CHECKING:
    from aegis_smolagents.agents import AgentTap

__all__ = ["Frame", "Site", "active", "precedes", "site"]


@dataclass(eq=False)
class Site:
    """One call of a tool or a managed agent, from which a turn may begin.

    `arguments` is the object that the model's message holds, by which the call is known again when it is carried out.
    """

    frame: Frame
    name: str
    arguments: Any
    call_id: str
    order: OrderKey
    ordinal: int
    """The n-th call of this name in the turn, from 1."""
    branch: str = ""
    managed: bool = False
    """Whether an agent is called."""
    text: str = ""
    data: JsonValue = None
    step: int | None = None
    """Text, data and number of the step of the call."""
    begun: bool = False
    answers: tuple[int, ...] = ()
    """Numbers of the steps in which the agent that was called answered."""


@dataclass(eq=False)
class Frame:
    """One activation of an agent.

    Args:
        tap: of the agent.
        path, place: of the agent, and of this activation in the run.
    """

    run: Run
    tap: AgentTap
    turn: Turn
    path: str
    place: OrderKey
    usage: Usage | None = None
    model: str | None = None
    said: ChatMessage | None = None
    """What the agent's model said last."""
    late: bool = False
    """Whether a stream of it was read behind the block."""
    unsaid: bool = False
    """Whether nothing of it is a step yet."""
    acting: Site | None = None
    """The code action that is being carried out."""
    answers: tuple[str, ...] = ()
    """The literal answers in its code."""
    parents: tuple[int, ...] = ()
    failed: set[int] = field(default_factory=set)
    """Ids of the exceptions that are told already."""
    held: list[BaseException] = field(default_factory=list)
    """These exceptions, so that no later one can have the same id."""
    _unread: set[int] = field(default_factory=set)
    _slot: int = 0
    _named: dict[str, int] = field(default_factory=dict)
    _pending: list[Site] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_order(self) -> OrderKey:
        """The order key of what the agent does now."""
        with self._lock:
            self._slot += 1
            return (*self.place, self._slot)

    def at(self, order: OrderKey, name: str = "", ordinal: int = 0) -> Turn:
        """The turn as a call inside sees it: with an order key of its own.

        Args:
            name, ordinal: the call is the ordinal-th of a tool of this name, whichever of those that run side by side
                comes first.
        """
        calls = {f"tool/{name}": ordinal - 1} if name else self.turn.calls
        parents = tuple(dict.fromkeys((*self.turn.parents, *self.parents)))
        return replace(self.turn, order=order, calls=calls, parents=parents)

    def step(self, kind: StepKind, text: str, order: OrderKey, **more: Any) -> int:  # Any: keywords of `Run.step`
        """Record a step of this turn."""
        parents = tuple(dict.fromkeys((*more.pop("parents", ()), *self.turn.parents, *self.parents)))
        return self.run.step(self.path, kind, text, moment=self.turn.moment, order=order, parents=parents, **more)

    def used(self, usage: Usage | None) -> None:
        """A model call of this turn told of tokens: the step that ends the turn has those of all its calls."""
        if usage is not None and self.usage is not None:
            self.usage = Usage(
                input_tokens=self.usage.input_tokens + usage.input_tokens,
                output_tokens=self.usage.output_tokens + usage.output_tokens,
            )
        else:
            self.usage = usage or self.usage

    def tell(self, error: BaseException) -> None:
        """Record an exception as raised in this turn, once."""
        if id(error) not in self.failed:
            self.told(error)
            self.run.failed(error, self.path, moment=self.turn.moment, order=self.next_order())

    def told(self, error: BaseException) -> None:
        """Remember that an exception is recorded."""
        self.failed.add(id(error))
        self.held.append(error)

    def is_told(self, error: BaseException | None) -> bool:
        """Whether an exception, or what it was raised from, is recorded."""
        while error is not None:
            if id(error) in self.failed:
                return True
            error = error.__cause__
        return False

    def heard(self, answers: Iterable[int]) -> None:
        """Other agents answered, in these steps: the agent's model will read it."""
        with self._lock:
            self._unread.update(answers)

    def reads(self) -> None:
        """The agent's model reads what others answered: what follows has it among its parents."""
        with self._lock:
            if self._unread:
                self.parents = (*self.parents, *sorted(self._unread))
                self._unread.clear()

    def expect(self, site: Site) -> None:
        """A call was asked for by the model, and will be carried out."""
        with self._lock:
            self._pending.append(site)

    def claim(self, name: str, arguments: Any) -> Site | None:
        """The call that is carried out now, out of those that the model asked for."""
        given = arguments_of(arguments)
        with self._lock:
            open_ = [found for found in self._pending if found.name == name]
            same = [found for found in open_ if found.arguments is arguments]
            equal = [found for found in open_ if arguments_of(found.arguments or {}) == given]
            chosen = next(iter((*same, *equal, *open_)), None)
            if chosen is not None:
                self._pending.remove(chosen)
        return chosen

    def forget_pending(self) -> None:
        """What was asked for in an earlier step and never carried out, is not going to be."""
        with self._lock:
            self._pending.clear()

    def ordinal(self, name: str) -> int:
        """The number of the next call of this name in the turn, from 1."""
        with self._lock:
            self._named[name] = self._named.get(name, 0) + 1
            return self._named[name]

    def call_id(self, order: OrderKey) -> str:
        """An id for a call to which the model gave none, unlike any other of the run."""
        moment = self.turn.moment
        return "/".join(map(str, (self.path, *filter(None, (moment.branch,)), moment.turn, "call", order[-1])))

    def inner_branch(self, own: str) -> str:
        """The branch of a turn that begins from here."""
        return "/".join(filter(None, (self.turn.moment.branch, own)))

    def ended(self, parts: Iterable[Part], **more: Any) -> Any:  # Any: keywords of `Run.end_turn`
        """End the turn: what leaves it, as delivered."""
        turn = self.at(self.next_order())
        delivery = self.run.end_turn(turn, parts, model=self.model, usage=self.usage, **more)
        self.turn.ended = True
        return delivery


active: ContextVar[Frame | None] = ContextVar("aegis_smolagents_frame", default=None)
"""The activation that the current code is part of, where the framework carries context."""
site: ContextVar[Site | None] = ContextVar("aegis_smolagents_site", default=None)
"""The call of a tool or a managed agent that the current code is part of."""


def precedes(mine: OrderKey) -> Callable[[OrderKey], bool]:
    """Whether a step with an order key came before what has this one, rather than beside it."""

    def came_before(order: OrderKey) -> bool:
        for index, (other, own) in enumerate(zip(order, mine, strict=False)):
            if other != own:
                beside = index > 0 and index % 2 == 0
                return not beside and isinstance(other, int) and isinstance(own, int) and other < own
        return len(order) <= len(mine)

    return came_before
