"""The tap of an agent: each call of its `on_messages_stream` or `on_messages` is one turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextvars import ContextVar
from typing import Any

from autogen_agentchat.base import Response
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from autogen_core.models import CreateResult

from aegis_autogen.entry import Entry
from aegis_autogen.signals import Signals
from aegis_autogen.taps.turns import Activation, Place, Speaker, inside
from aegis_autogen.texts.messages import usage_of
from aegis_autogen.texts.results import pieces
from aegis_core.adapter import Turn
from aegis_core.faults import Moment
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey
from aegis_core.run.tape import CallKey
from aegis_core.trace.active import guarded

__all__ = ["AgentTap", "stepping"]


class AgentTap:
    """What is put around one agent. Also the owner of its model clients.

    Args:
        order: the key of a turn that begins now.
    """

    def __init__(self, run: Run, speaker: Speaker, order: Callable[[], OrderKey], signals: Signals) -> None:
        self.run = run
        self.speaker = speaker
        self.authors = speaker.authors
        self.sources = speaker.sources
        self.signals = signals
        self._order = order
        self.open: list[Activation] = []
        self.model: str | None = None
        self._turns = 0
        self.entry: Entry | None = None
        """Of an agent that is called from outside."""

    # -- who calls ---------------------------------------------------------------------------------------------------

    def here(self) -> Place | None:
        """The turn of this agent that the current code runs in; None outside of any."""
        place = inside.get()
        if place is not None and place.activation in self.open:
            return place
        if len(self.open) == 1:  # a context that knows nothing of it: a thread, a runtime that was started elsewhere
            return self.open[0].inner()
        return None

    async def turn(self) -> Turn | None:
        place = self.here()
        return place.activation.at(place.activation.place) if place is not None else None

    def answered(self, result: CreateResult) -> None:
        place = self.here()
        if place is not None:
            place.activation.answered(usage_of(getattr(result, "usage", None)), self.model)

    # -- the agent -------------------------------------------------------------------------------------------------

    def stream(self, real: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncGenerator[Any, None]]:
        """`on_messages_stream`, with a turn around each call."""

        async def on_messages_stream(messages: Sequence[Any], *args: Any, **more: Any) -> AsyncGenerator[Any, None]:
            place = inside.get()
            if place is not None and place.activation in self.open:  # called by the agent's own `on_messages`
                async for item in stepping(real(messages, *args, **more), place.activation.inner):
                    self._saw(place.activation, item)
                    yield item
                return
            activation, messages = await self._begun(messages)
            holding = _Holding(self._holds(activation))
            try:
                async for item in stepping(real(messages, *args, **more), activation.inner):
                    self._saw(activation, item)
                    if isinstance(item, Response):
                        item = await self._ended(activation, item)
                    for ready in holding.passed(item):
                        yield ready
            except Exception as error:
                self._failed(activation, error)
                raise
            finally:
                self._closed(activation)

        return on_messages_stream

    def whole(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`on_messages`, with a turn around each call."""

        async def on_messages(messages: Sequence[Any], *args: Any, **more: Any) -> Any:
            place = inside.get()
            if place is not None and place.activation in self.open:  # called by the agent's own stream
                return await real(messages, *args, **more)
            activation, messages = await self._begun(messages)
            token = inside.set(activation.inner())
            try:
                response = await real(messages, *args, **more)
                for item in getattr(response, "inner_messages", None) or ():
                    self._saw(activation, item)
                return await self._ended(activation, response) if isinstance(response, Response) else response
            except Exception as error:
                self._failed(activation, error)
                raise
            finally:
                inside.reset(token)
                self._closed(activation)

        return on_messages

    async def _begun(self, messages: Sequence[Any]) -> tuple[Activation, Sequence[Any]]:
        alone = self.entry is not None and self.entry.begin(list(messages))
        activation = Activation(self.run, self.speaker, self._order())
        activation.alone = alone
        self.open.append(activation)
        given: Sequence[Any] = messages
        self._turns += 1
        try:
            with self.signals.noted(), guarded(self.run):
                given = await activation.begin(self._in_recorded_order(list(messages)))
        except BaseException:
            self.open.remove(activation)
            raise
        return activation, given

    def _in_recorded_order(self, messages: list[Any]) -> list[Any]:
        """What came from agents that spoke at the same time, in the order in which it came in the run that is served.

        AutoGen hands it on as it arrives, and answers from a tape arrive in another order than live ones.
        """
        if self.run.replay is None or len(messages) < 2:
            return messages
        key = CallKey(moment=Moment(agent=self.speaker.path, turn=self._turns), kind="input")
        entry = self.run.replay.tape.entry(key)
        recorded = list(dict.fromkeys(part.author for part in entry.request)) if entry is not None else []
        authors = [self.authors.get(message.source, message.source) for message in messages]
        if len(set(authors)) < len(authors) or set(authors) != set(recorded):
            return messages
        return [message for _, message in sorted(zip(map(recorded.index, authors), messages, strict=True), key=_first)]

    def _saw(self, activation: Activation, item: Any) -> None:
        self.signals.check()
        with guarded(self.run):
            activation.observe(item)

    async def _ended(self, activation: Activation, response: Response) -> Response:
        self.signals.check()  # an agent may have swallowed one of ours
        with self.signals.noted(), guarded(self.run):
            response = await activation.end(response)
        if activation.alone and self.entry is not None:
            self.entry.end(response)
            activation.alone = False
        return response

    def _failed(self, activation: Activation, error: Exception) -> None:
        """An exception leaves the agent: its own, or one of ours, which may be hidden in another."""
        if self.signals.raised is not None and error is not self.signals.raised:
            raise self.signals.raised from error
        cause = self.signals.passing(error)
        with guarded(self.run):
            activation.failed(error, cause)
        if activation.alone and self.entry is not None:
            activation.alone = False
            self.entry.failed(error)

    def _closed(self, activation: Activation) -> None:
        self.open.remove(activation)
        if activation.alone and self.entry is not None:  # cancelled, or left early
            self.entry.left()

    def _holds(self, activation: Activation) -> bool:
        plan, turn = self.run.interventions, activation.turn
        return bool(plan and turn and plan.due(turn.moment, "response_corruption", ("outgoing",)))


async def stepping(
    stream: AsyncIterator[Any], where: Callable[[], Any], known: ContextVar[Any] = inside
) -> AsyncGenerator[Any, None]:
    """A stream whose every step runs inside a place; between the steps the context is the consumer's own."""
    try:
        while True:
            token = known.set(where())
            try:
                item = await anext(stream)
            except StopAsyncIteration:
                return
            finally:
                known.reset(token)
            yield item
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()


def _first(pair: tuple[int, Any]) -> int:
    return pair[0]


class _Holding:
    """Keeps pieces of an answer back that is going to be altered, and cuts it anew."""

    def __init__(self, holds: bool) -> None:
        self._holds = holds
        self._kept: list[ModelClientStreamingChunkEvent] = []

    def passed(self, item: Any) -> list[Any]:
        """What can go on now."""
        if not self._holds:
            return [item]
        if isinstance(item, ModelClientStreamingChunkEvent):
            self._kept.append(item)
            return []
        if not isinstance(item, Response) or not self._kept:
            return [item]
        first, text = self._kept[0], item.chat_message.to_model_text()
        if "".join(chunk.content for chunk in self._kept) == text:
            return [*self._kept, item]
        return [*(first.model_copy(update={"content": piece}) for piece in pieces(text)), item]
