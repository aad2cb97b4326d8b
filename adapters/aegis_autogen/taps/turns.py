"""One activation of an agent, from what it is given to what it says, with the events in between as steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from autogen_agentchat.base import Response
from autogen_agentchat.messages import (
    BaseChatMessage,
    CodeExecutionEvent,
    CodeGenerationEvent,
    HandoffMessage,
    MemoryQueryEvent,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)
from pydantic import JsonValue

from aegis_autogen.names import TeamNode
from aegis_autogen.taps.orders import precedes, tool_place
from aegis_autogen.taps.words import Words
from aegis_autogen.texts.messages import (
    added,
    delivered_steps,
    given_parts,
    said_parts,
    usage_of,
    write_given,
    write_message,
)
from aegis_autogen.texts.requests import call_part
from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.run import Run
from aegis_core.run.outputs import call_data, call_text
from aegis_core.run.recorder import OrderKey
from aegis_core.trajectory import Agent, StepKind, Usage

__all__ = ["Activation", "Place", "Speaker", "inside"]


@dataclass(frozen=True)
class Place:
    """Where the current code runs: in which turn, and under which key others are called from there."""

    activation: Activation
    order: OrderKey


inside: ContextVar[Place | None] = ContextVar("aegis_autogen_inside", default=None)
"""The innermost turn around the current code. Set around each step of a generator only, never across a `yield`."""


@dataclass
class Speaker:
    """Who acts: what all activations of one agent share."""

    path: str
    sources: frozenset[str]
    authors: Mapping[str, str]
    team: Callable[[], TeamNode | None] = lambda: None
    """The team that it acts in now."""
    private: bool = True
    """Whether an alteration of what it is given stays with it, and has an effect there."""
    words: Words = field(default_factory=Words)
    """Which messages and events of the run are steps already; shared by all agents."""

    @property
    def routes(self) -> Mapping[str, str]:
        """Whom it can send a turn to: paths by the names that its team knows."""
        team = self.team()
        return team.routes() if team is not None else {}

    @property
    def hearers(self) -> tuple[str, ...]:
        """Who is shown what it says, as it says it."""
        team = self.team()
        return team.hearers(self.path) if team is not None else ()

    def name_of(self, path: str) -> str | None:
        """The name by which its team knows the agent with this path."""
        team = self.team()
        return team.name_of(path) if team is not None else None


class Activation:
    """One activation of an agent."""

    def __init__(self, run: Run, speaker: Speaker, order: OrderKey) -> None:
        self.run = run
        self.speaker = speaker
        self.order = order
        self.usage: Usage | None = None
        self.model: str | None = None
        self.turn: Turn | None = None
        self.alone = False
        """Whether the agent was called from outside, by none of the methods that run it on a task."""
        self._events = 0
        self._calls = 0

    # -- what is around it -----------------------------------------------------------------------------------------

    async def begin(self, messages: list[Any]) -> list[Any]:
        """The turn begins; returns the messages that the agent is to get."""
        parts = given_parts(messages, self.speaker.authors)
        scopes: tuple[Any, ...] = ("persistent",) if self.speaker.private else ()
        turn = await self.begin_with(parts, scopes=scopes, known=self.speaker.words.known(messages, parts))
        return write_given(messages, turn.texts()) if turn.changed else messages

    async def begin_with(
        self,
        parts: tuple[Part, ...],
        scopes: tuple[Any, ...] = ("persistent",),
        known: Mapping[str, Sequence[int]] | None = None,
    ) -> Turn:
        """The same, for what is no list of messages; `known`: of which steps parts are the texts."""
        given, parents = self.run.recorder.sources(
            parts, self.speaker.path, precedes=lambda row: precedes(row, self.order), known=known or {}
        )
        self.speaker.words.shown(self.speaker.path, parents)
        self.turn = await self.run.abegin_turn(
            self.speaker.path, given, order=self.order, parents=parents, scopes=scopes
        )
        return self.turn

    async def end(self, response: Response) -> Response:
        """The turn ends with a response; returns the one that others are to get."""
        message = response.chat_message
        delivery = await self.end_with(message, route=self._route(message))
        if delivery is None:
            return response
        said = write_message(message, delivery.texts()) if delivery.changed else message
        if isinstance(said, HandoffMessage) and delivery.route != self._route(message) and delivery.route is not None:
            target = self.speaker.name_of(delivery.route)
            said = said.model_copy(update={"target": target}) if target is not None else said
        return response if said is message else dataclasses.replace(response, chat_message=said)

    async def end_with(
        self,
        message: BaseChatMessage,
        *,
        route: str | None = None,
        addressed_to: tuple[str, ...] = (),
        kind: StepKind | None = None,
    ) -> Delivery | None:
        """The same, for a message that no response is made of; None if the turn never began, or has ended."""
        if self.turn is None or self.turn.ended:
            return None
        parts = said_parts(message, self.speaker.path)
        if kind is not None:
            parts = tuple(part.model_copy(update={"kind": kind}) for part in parts)
        delivery = await self.run.aend_turn(
            self.turn, parts, route=route, addressed_to=addressed_to, visible_to=self.speaker.hearers,
            model=self.model, usage=self.usage or usage_of(message.models_usage),
            steps=lambda delivery: delivered_steps(message, delivery),
        )  # fmt: skip
        texts = [part.text for part in delivered_steps(message, delivery)]
        self.speaker.words.are(message, delivery.steps, texts, by=self.speaker.path)
        return delivery

    def failed(self, error: BaseException, cause: BaseException | None = None) -> None:
        """The turn ends with an exception; with the one that it was made from, if that is told already."""
        if self.turn is not None and not self.turn.ended:
            self.turn.ended = True
            self.run.failed(
                error, self.speaker.path, moment=self.turn.moment, order=self.turn.order, cause=cause,
                model=self.model, usage=self.usage,
            )  # fmt: skip

    def _route(self, message: BaseChatMessage) -> str | None:
        """Whom a message hands over to, as a path; None if it hands nothing over, or to nobody that is known."""
        if not isinstance(message, HandoffMessage):
            return None
        if message.target in self.speaker.routes:
            return self.speaker.routes[message.target]
        if message.target == "user":
            self.run.recorder.declare((Agent(path="user", kind="user"),))
            return "user"
        return None

    # -- what is inside it -----------------------------------------------------------------------------------------

    @property
    def place(self) -> OrderKey:
        """The key of what happens now: after the events so far."""
        return (*self.order, self._events)

    def inner(self) -> Place:
        """Where the code of the agent runs now."""
        return Place(self, self.place)

    def at(self, order: OrderKey) -> Turn | None:
        """The turn, as it is seen from a place inside it; None if it never began."""
        return dataclasses.replace(self.turn, order=order) if self.turn is not None else None

    def answered(self, usage: Usage | None, model: str | None) -> None:
        """The model has answered. All answers of a turn are counted, and the last one names the model."""
        self.usage, self.model = added(self.usage, usage), model

    def next_call(self) -> OrderKey:
        """The key of the next tool call."""
        self._calls += 1
        return tool_place(self.place, self._calls - 1)

    def call_part(self, name: str, arguments: Mapping[str, Any] | None, call_id: str | None) -> Part:
        """A tool call, as it is made."""
        args = dict(arguments or {})
        return Part(
            id="call", text=call_text(name, args), role="assistant", author=self.speaker.path, editable=False,
            kind="tool_call", call_id=call_id or None, data=call_data(name, args),
        )  # fmt: skip

    def observe(self, item: Any) -> None:
        """Something comes out of the agent while it works; what is its own, and new, is a step."""
        if self.turn is None or getattr(item, "source", None) not in self.speaker.sources:
            return
        found = list(_steps(item))
        if not found or self.speaker.words.of(item) is not None:
            return
        self._events += 1
        self._calls = 0
        where: Any = {"moment": self.turn.moment, "order": self.place, "parents": self.turn.parents}
        numbers = [self.run.recorder.part_step(self.speaker.path, part, **where) for part in found]
        self.speaker.words.are(item, numbers, [part.text for part in found], by=self.speaker.path)


def _steps(item: Any) -> Iterable[Part]:
    if isinstance(item, ToolCallRequestEvent):
        yield from (call_part("call", call, "") for call in item.content)
    elif isinstance(item, ToolCallExecutionEvent):
        for result in item.content:
            failed: JsonValue = {"is_error": True} if result.is_error else None
            yield Part(
                id="result", text=result.content, kind="tool_result", call_id=result.call_id or None, data=failed
            )
    elif isinstance(item, CodeExecutionEvent):
        code: JsonValue = {"exit_code": item.result.exit_code}
        yield Part(id="result", text=item.result.output, kind="tool_result", data=code)
    elif isinstance(item, ThoughtEvent | CodeGenerationEvent):
        yield Part(id="thought", text=item.content, kind="thought")
    elif isinstance(item, MemoryQueryEvent):
        text = "\n".join(str(memory.content) for memory in item.content if isinstance(memory.content, str))
        yield Part(id="memory", text=text, kind="system")
    elif isinstance(item, BaseChatMessage):  # shown to whoever watches, and to no other agent
        yield Part(id="thought", text=item.to_model_text(), kind="thought")
