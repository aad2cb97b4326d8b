"""One turn of a role: what it has come to know, and what it says, as parts and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey, after, sortable
from aegis_core.trace.active import guarded
from aegis_metagpt import _compat
from aegis_metagpt._compat import Message
from aegis_metagpt.messages import message_parts, message_step, message_text, write_message
from aegis_metagpt.names import Cast, Member
from aegis_metagpt.seat import Seat

__all__ = ["Ledger", "Turns"]

_SAID = "message"


@dataclass
class Ledger:
    """What the adapter remembers of the messages of one run, by their ids."""

    authors: dict[str, str] = field(default_factory=dict)
    orders: dict[str, OrderKey] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)

    def note(self, message: Message, author: str, order: OrderKey) -> None:
        """A message was said by a member, in a turn with this order key."""
        self.authors[message.id], self.orders[message.id] = author, order

    def steps_of(self, messages: Iterable[Message]) -> tuple[int, ...]:
        """The numbers of the steps that messages are."""
        return tuple(self.steps[message.id] for message in messages if message.id in self.steps)


class Turns:
    """Begins and ends the turns of one run."""

    def __init__(self, run: Run, cast: Cast) -> None:
        self._run = run
        self._cast = cast
        self.ledger = Ledger()
        self._known: dict[int, dict[int, Any]] = {}
        """What of its memory a role has been told in turns of this run; holds the messages, so that ids stay theirs."""

    # -- before ----------------------------------------------------------------------------------------------------

    async def begin(self, seat: Seat, order: OrderKey) -> None:
        """The role is about to react: to news, knowing what else came into its memory since its last turn.

        Messages that it does not watch are in its memory too, and so in its prompts (FoundationAgents/MetaGPT#1304).
        """
        with guarded(self._run):
            role = seat.member.role
            told = self._told(role)
            seat.told = frozenset(message.id for message in told)
            parts, known = self._parts(told)
            parts, seat.parents = self._run.recorder.sources(parts, seat.member.path, known=known)
            seat.turn = await self._run.abegin_turn(seat.member.path, parts, order=order, parents=seat.parents)
            self._remember(role, told, seat.turn.texts())

    def _told(self, role: Any) -> list[Message]:
        """What is new in a role's memory, in an order that does not depend on who was faster."""
        known = self._known.setdefault(id(role), {})
        news = role.rc.news
        new = [m for m in role.rc.memory.get() if id(m) not in known or any(m is item for item in news)]
        return sorted(new, key=lambda message: sortable(self.ledger.orders.get(message.id, ())))

    def _parts(self, messages: Sequence[Message]) -> tuple[tuple[Part, ...], dict[str, tuple[int, ...]]]:
        """What messages say, and of which steps that is the text, by the ids of the parts."""
        found: list[Part] = []
        known: dict[str, tuple[int, ...]] = {}
        for index, message in enumerate(messages):
            parts = message_parts(message, f"told[{index}]", role="user", author=self._author(message))
            found += parts
            known |= dict.fromkeys((part.id for part in parts), self.ledger.steps_of((message,)))
        return tuple(found), known

    def _author(self, message: Message) -> str:
        return self.ledger.authors.get(message.id) or self._cast.author(message)

    def _remember(self, role: Any, told: Sequence[Message], texts: dict[str, str]) -> None:
        for index, message in enumerate(told):
            edited = write_message(message, f"told[{index}]", texts)
            if edited is not message:
                _compat.remember_instead(role, message, edited)

    # -- after -----------------------------------------------------------------------------------------------------

    async def end(self, seat: Seat, message: Any) -> Any:  # what `Role.react` returns: a Message, or nothing
        """The role has reacted. Returns what it is to publish."""
        turn = seat.turn
        with guarded(self._run):
            if turn is not None and not turn.ended:
                message = await self._ended(seat, message if isinstance(message, Message) else None) or message
        known = self._known.setdefault(id(seat.member.role), {})
        known.update((id(item), item) for item in seat.member.role.rc.memory.get())
        return message

    async def _ended(self, seat: Seat, message: Message | None) -> Message | None:
        turn, path = seat.turn, seat.member.path
        assert turn is not None
        self._between(seat, message)
        if message is None:
            await self._silent(seat, turn)
            return None
        self.ledger.note(message, path, turn.order)
        to = self._cast.addressees(message)
        delivery = await self._run.aend_turn(
            turn,
            message_parts(message, _SAID, role="assistant", author=path),
            addressed_to=_paths(to),
            visible_to=_paths(m for m in self._cast.receivers(message) if m is not seat.member),
            model=seat.model,
            usage=seat.usage,
            steps=lambda delivered: message_step(self._left(message, delivered), _SAID, delivered.parts),
        )
        if delivery.steps:
            self.ledger.steps[message.id] = delivery.steps[-1]
        seat.said = self._left(message, delivery)
        if seat.said is not message:
            seat.altered = (message, seat.said)
        return seat.said

    def _between(self, seat: Seat, message: Message | None) -> None:
        """What the role put into its own memory in this turn, and tells nobody: results of all actions but the last."""
        turn, known = seat.turn, self._known.get(id(seat.member.role), {})
        assert turn is not None
        for own in seat.member.role.rc.memory.get():
            if own is message or id(own) in known or own.id in seat.told or own.id in self.ledger.authors:
                continue
            if text := message_text(own):
                self._thought(seat, turn, text)

    def _thought(self, seat: Seat, turn: Turn, text: str, **more: Any) -> None:
        self._run.step(
            seat.member.path, "thought", text, moment=turn.moment, order=turn.order, parents=seat.parents, **more
        )

    async def _silent(self, seat: Seat, turn: Turn) -> None:
        """The role has said nothing. What its models said is kept as what it thought."""
        *words, last = seat.words or [""]
        for text in filter(None, words):
            self._thought(seat, turn, text)
        if last or seat.usage is not None:
            self._thought(seat, turn, last, model=seat.model, usage=seat.usage)
        await self._run.aend_turn(turn, ())

    def _left(self, message: Message, delivery: Delivery) -> Message:
        """The message as others get it."""
        return write_message(message, _SAID, delivery.texts())

    # -- beside ----------------------------------------------------------------------------------------------------

    def said_beside(self, seat: Seat, message: Message) -> None:
        """A role published a message in the middle of its turn. It is recorded; it can't be altered."""
        turn, path = seat.turn, seat.member.path
        with guarded(self._run):
            if turn is None:
                return
            self.ledger.note(message, path, turn.order)
            for part in message_step(message, _SAID, message_parts(message, _SAID, role="assistant", author=path)):
                self.ledger.steps[message.id] = self._run.recorder.part_step(
                    path, part, moment=turn.moment, order=after(turn.order), parents=seat.parents,
                    addressed_to=_paths(self._cast.addressees(message)),
                    visible_to=_paths(m for m in self._cast.receivers(message) if m is not seat.member),
                )  # fmt: skip

    def fail(self, seat: Seat, error: BaseException) -> None:
        """The role's turn ends with an exception."""
        with guarded(self._run):
            if seat.turn is not None and not seat.turn.ended:
                seat.turn.ended = True
                self._run.failed(
                    error, seat.member.path, moment=seat.turn.moment, order=seat.turn.order, model=seat.model,
                    usage=seat.usage,
                )  # fmt: skip

    def went_nowhere(self, seat: Seat, message: Message) -> None:
        """A role published a message without recipients, of which MetaGPT but warns (FoundationAgents/MetaGPT#2082)."""
        with guarded(self._run):
            if seat.turn is not None:
                text = f"this message has no recipients: {', '.join(sorted(message.send_to))}"
                moment, order = seat.turn.moment, after(seat.turn.order)
                self._run.step(seat.member.path, "system", text, moment=moment, order=order)


def _paths(members: Iterable[Member]) -> tuple[str, ...]:
    return tuple(member.path for member in members)
