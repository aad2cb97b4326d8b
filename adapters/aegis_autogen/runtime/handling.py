"""What an agent does with one message: turns, each from what reaches the agent to what leaves it.

A handler may send and publish as often as it likes, and wait for replies. Each message that leaves the agent ends a
turn; a reply that reaches it begins the next one, and so does whatever it does after it has said something. So every
request, reply and publication can be altered where it leaves one agent or where it reaches another.

Messages are handled side by side, and nobody says which comes first. A turn is placed by its level, one more than
that of all that led to it, then by the path of messages from outside down to it: so the record does not depend on
who is faster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from autogen_core.models import CreateResult

from aegis_autogen.runtime.messages import altered, answer_of, message_parts, message_steps
from aegis_autogen.texts.messages import added, usage_of
from aegis_core.adapter import Turn
from aegis_core.run import Run
from aegis_core.trajectory import Usage

__all__ = ["Handling", "Levels", "Origin", "current"]


@dataclass
class Origin:
    """Where a message comes from: its sender ("user" if from outside), and its place in the order of turns."""

    author: str
    level: int
    path: tuple[int, ...]
    replied: int = 0
    """The level of the turn that replied to it."""


class Levels:
    """How far each agent is. What reaches an agent comes after all that it did before."""

    def __init__(self) -> None:
        self._reached: dict[tuple[str, str], int] = {}
        self._last: tuple[tuple[int, ...], str | None] = ((), None)

    def next(self, agent: str, branch: str, after: int) -> int:
        """The level of a turn that comes after this one and after the agent's own turns."""
        level = max(after, self._reached.get((agent, branch), 0)) + 1
        self._reached[agent, branch] = level
        return level

    def spoken(self, order: tuple[int, ...], text: str | None) -> None:
        """A message left an agent."""
        self._last = max(self._last, (order, text), key=lambda said: said[0])

    @property
    def last_words(self) -> str | None:
        """The message that left an agent last, in the order of turns; None if there was none."""
        return self._last[1]

    @property
    def highest(self) -> int:
        """The highest level so far."""
        return max(self._reached.values(), default=0)


@dataclass
class Handling:
    """One message in the hands of an agent."""

    run: Run
    levels: Levels
    agent: str
    branch: str
    origin: Origin
    turn: Turn | None = None
    level: int = 0
    n_sent: int = 0
    n_tools: int = 0
    model: str | None = None
    usage: Usage | None = None
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[Any] | None = field(default_factory=asyncio.current_task)

    async def receive(self, message: Any, author: str, branch: str = "") -> Any:
        """Something reaches the agent: a turn begins. Returns the message as the agent is to see it."""
        turn = await self._begin(message_parts(message, author), branch)
        self.turn = turn
        return altered(message, turn.texts())

    async def open(self) -> Turn:
        """The turn that is under way; a new one, if the agent has said something since the last began."""
        async with self.opening:
            if self.turn is None:
                self.turn = await self._begin((), "")
            return self.turn

    async def _begin(self, parts: tuple[Any, ...], branch: str) -> Turn:
        after = max(self.level, self.origin.level)
        self.level = level = self.levels.next(self.agent, self.branch, after)
        parts, parents = self.run.recorder.sources(parts, self.agent, precedes=_before(level))
        return await self.run.abegin_turn(
            self.agent,
            parts,
            branch="/".join(name for name in (self.branch, branch) if name),
            order=(level, *self.origin.path),
            parents=parents,
        )

    async def say(self, message: Any, recipients: tuple[str, ...]) -> Any:
        """A message leaves the agent: its turn ends. Returns the message as others are to see it."""
        turn, self.turn = self.turn, None
        if turn is None:
            turn = await self._begin((), "")
        parts = message_parts(message, self.agent, "assistant")
        to = tuple(dict.fromkeys(recipients))
        delivery = await self.run.aend_turn(
            turn,
            parts,
            addressed_to=to,
            visible_to=to,
            model=self.model,
            usage=self.usage,
            steps=lambda delivered: message_steps(message, delivered),
        )
        self.model, self.usage = None, None
        said = altered(message, delivery.texts())
        self.levels.spoken((self.level, *self.origin.path), answer_of(said))
        return said

    async def heard_beside(self, message: Any, author: str, number: int) -> Any:
        """A reply reaches a task that the handler started: a turn of its own, as several may come at the same time."""
        turn = await self._begin(message_parts(message, author), f"reply {number}")
        await self.run.aend_turn(turn, ())
        return altered(message, turn.texts())

    def next_tool(self) -> str:
        """What a call of a tool is called that has no id of its own."""
        self.n_tools += 1
        return f"{'-'.join(map(str, self.origin.path))}-{self.n_tools}"

    def told(self, model: str, result: CreateResult) -> None:
        """A model was called; what leaves the agent next is its, and what all calls before it cost."""
        self.model = model
        self.usage = added(self.usage, usage_of(result.usage))

    async def finish(self, reply: Any, recipients: tuple[str, ...], *, counts: bool) -> Any:
        """The handler is done. Its result leaves the agent only where it is a reply that somebody waits for."""
        if counts and reply is not None:
            reply = await self.say(reply, recipients)
        elif self.turn is not None:
            turn, self.turn = self.turn, None
            await self.run.aend_turn(turn, ())
        self.origin.replied = self.level
        return reply

    def fail(self, error: BaseException) -> None:
        """The handler raised."""
        turn, self.turn = self.turn, None
        if turn is None:
            self.run.failed(error, self.agent)
        else:
            self.run.failed(error, self.agent, moment=turn.moment, order=turn.order)

    def sent(self, n_recipients: int) -> tuple[Origin, ...]:
        """The origins of a message for each of its recipients, in the order of subscription."""
        self.n_sent += 1
        return tuple(
            Origin(self.agent, self.level, (*self.origin.path, self.n_sent, place)) for place in range(n_recipients)
        )


def _before(level: int) -> Callable[[tuple[int | str, ...]], bool]:
    return lambda order: bool(order) and isinstance(order[0], int) and order[0] < level


current: ContextVar[Handling | None] = ContextVar("aegis_autogen_handling", default=None)
"""What the agent whose code runs here is handling."""
