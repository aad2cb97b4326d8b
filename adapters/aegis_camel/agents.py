"""Tapping agents: a step of an agent is a turn, and whatever it is asked to do in there goes through the run."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from typing import Any, NamedTuple

from camel.agents.chat_agent import AsyncStreamingChatAgentResponse, StreamingChatAgentResponse

from aegis_camel import _compat
from aegis_camel.calls import ModelCall, note_result
from aegis_camel.held import cut_anew, said_in
from aegis_camel.models import tapped_manager
from aegis_camel.session import Scope, Session, Visit
from aegis_camel.texts.messages import input_parts, output_parts, output_steps, written_input, written_output
from aegis_camel.tools import real_tool, tapped_tool
from aegis_core.adapter import Delivery, Part
from aegis_core.run.recorder import OrderKey
from aegis_core.trajectory import StepKind

__all__ = ["AgentTap", "Manner", "Place"]


class Place(NamedTuple):
    """Where in the plan of work a turn stands, and of which kind its output is."""

    order: OrderKey
    branch: str = ""
    kind: StepKind = "message"


class Manner:
    """What an agent's place in a society says of its turns. By default: nothing."""

    def place(self, session: Session) -> Place:
        """Of a turn that begins now."""
        scope = session.scope()
        return Place(scope.place(), scope.branch)

    def addressed_to(self) -> tuple[str, ...]:
        """Whom the agent speaks to."""
        return ()

    def is_told_otherwise(self, messages: list[Any]) -> bool:
        """Whether what leaves the agent is recorded in another form than as a message."""
        del messages
        return False

    def ended(self, visit: Visit, messages: list[Any]) -> None:
        """The turn ended with these messages, as delivered."""


class AgentTap:
    """The hold on one agent object. Clones that it makes are tapped too, as the same agent."""

    def __init__(self, session: Session, agent: Any, path: str, manner: Manner | None = None) -> None:
        self.session = session
        self.agent = agent
        self.path = path
        self.manner = manner or Manner()
        self._open: list[Visit] = []
        self._lock = threading.Lock()
        patches = session.patches
        self._step, self._astep, self._clone = agent.step, agent.astep, agent.clone
        patches.set(agent, "step", self.step)
        patches.set(agent, "astep", self.astep)
        patches.set(agent, "clone", self.clone)
        patches.set(agent, "model_backend", tapped_manager(agent.model_backend, self))
        patches.items(_compat.tools_of(agent), lambda tool: tapped_tool(tool, self))

    # -- what the agent is asked to do -----------------------------------------------------------------------------

    def step(self, input_message: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.step`."""
        if self.session.patches.closed or self._is_inside():
            return self._step(input_message, *args, **kwargs)
        if self._streams():
            return StreamingChatAgentResponse(self._streamed(input_message, args, kwargs))
        visit = self._begin(input_message)
        try:
            with self.session.at(visit):
                response = self._step(written_input(input_message, visit.turn.texts()), *args, **kwargs)
        except BaseException as error:
            self._failed(visit, error)
            raise
        return self._end(visit, response)

    async def astep(self, input_message: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.astep`."""
        if self.session.patches.closed or self._is_inside():
            return await self._astep(input_message, *args, **kwargs)
        if self._streams():
            return AsyncStreamingChatAgentResponse(self._astreamed(input_message, args, kwargs))
        visit = self._begin(input_message)
        try:
            with self.session.at(visit):
                response = await self._astep(written_input(input_message, visit.turn.texts()), *args, **kwargs)
        except BaseException as error:
            self._failed(visit, error)
            raise
        return self._end(visit, response)

    def clone(self, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.clone`: the clone is the same agent."""
        clone = self._clone(*args, **kwargs)
        tools = _compat.tools_of(clone)
        for tool in tools.values():
            tool.func = real_tool(tool.func)
        if not self.session.patches.closed:
            AgentTap(self.session, clone, self.path, self.manner)
        return clone

    def call_model(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for the `run` of the agent's models."""
        visit = self._visit()
        if visit is None:
            return real(messages, response_format, tools)
        return ModelCall(real, messages, response_format, tools, streams).make(visit)

    async def acall_model(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for the `arun` of the agent's models."""
        visit = self._visit()
        if visit is None:
            return await real(messages, response_format, tools)
        return await ModelCall(real, messages, response_format, tools, streams).amake(visit)

    # -- which turn ------------------------------------------------------------------------------------------------

    def _is_inside(self) -> bool:
        """Whether the agent's own step calls this: some agents make one kind of step out of the other."""
        here = self.session.here()
        return here is not None and here in self._open

    def _visit(self) -> Visit | None:
        if self.session.patches.closed:
            return None
        here = self.session.here()
        with self._lock:
            if here is not None and here in self._open:
                return here
            return self._open[-1] if self._open else None

    def visit_for_tool(self, name: str, arguments: Mapping[str, Any]) -> tuple[Visit | None, str]:
        """The turn that a tool is called in, and the id of the call; tools run in threads that don't know either."""
        if self.session.patches.closed:
            return None, ""
        with self._lock:
            for visit in reversed(self._open):
                for asked in visit.asked.values():
                    if asked.name == name and asked.call_id not in visit.taken and _same(asked.arguments, arguments):
                        visit.taken.add(asked.call_id)
                        return visit, asked.call_id
            return (self._open[-1] if self._open else None), ""

    def _streams(self) -> bool:
        return bool(self.agent.model_backend.model_config_dict.get("stream", False))

    # -- the turn --------------------------------------------------------------------------------------------------

    def _begin(self, message: Any) -> Visit:
        session = self.session
        session.check()
        order, branch, kind = self.manner.place(session)
        given, parents = session.run.recorder.sources(input_parts(message), self.path)
        try:
            turn = session.run.begin_turn(self.path, given, branch=branch, order=order, parents=parents)
        except BaseException as error:
            session.noted(error)
            raise
        visit = Visit(session, turn, Scope(session, order, branch), kind=kind)
        with self._lock:
            self._open.append(visit)
        return visit

    def _leave(self, visit: Visit) -> None:
        with self._lock:
            if visit in self._open:
                self._open.remove(visit)

    def _failed(self, visit: Visit, error: BaseException) -> None:
        self._leave(visit)
        self.session.noted(error)
        self.session.run.failed(error, self.path, moment=visit.turn.moment, order=visit.turn.order)

    def _end(self, visit: Visit, response: Any) -> Any:
        messages = list(response.msgs or ())
        delivery = self._deliver(visit, messages, response.info)
        if response.terminated and not messages:
            self._tell_why(visit, response.info)
        texts = delivery.texts()
        if texts:
            messages = written_output(messages, texts)
            response = response.model_copy(update={"msgs": messages})
        self.manner.ended(visit, messages)
        return response

    def _deliver(self, visit: Visit, messages: list[Any], info: Any) -> Delivery:
        self._leave(visit)
        self._flush(visit, info)
        attempts = {"attempts": visit.failures + 1} if visit.failures else {}
        addressed = self.manner.addressed_to()

        def steps(delivery: Delivery) -> tuple[Part, ...]:
            told = written_output(messages, delivery.texts())
            if self.manner.is_told_otherwise(told):
                return ()
            return output_steps(told, self.path, visit.kind, attempts)

        return self.session.run.end_turn(
            visit.turn, output_parts(messages, self.path), addressed_to=addressed, model=visit.model,
            usage=visit.usage, steps=steps,
        )  # fmt: skip

    def _flush(self, visit: Visit, info: Any) -> None:
        """Record what tools returned that no model was shown any more."""
        records = info.get("tool_calls") if isinstance(info, Mapping) else None
        for record in records or ():
            asked = visit.asked.pop(getattr(record, "tool_call_id", ""), None)
            if asked is not None:
                note_result(visit, asked, str(record.result))

    def _tell_why(self, visit: Visit, info: Any) -> None:
        reasons = info.get("termination_reasons") if isinstance(info, Mapping) else None
        told = ", ".join(map(str, reasons)) if isinstance(reasons, list) else str(reasons or "no reason is given")
        self.session.run.step(
            self.path, "error", f"terminated: {told}", moment=visit.turn.moment, order=visit.turn.order
        )

    # -- streams ---------------------------------------------------------------------------------------------------

    def _streamed(self, message: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[Any, None, None]:
        visit = self._begin(message)
        held = self._is_due(visit)
        chunks: list[Any] = []
        try:
            with self.session.at(visit):
                response = self._step(written_input(message, visit.turn.texts()), *args, **kwargs)
            pieces = iter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = next(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                if not held:
                    yield chunk
        except GeneratorExit:
            self._left(visit)
            raise
        except BaseException as error:
            self._failed(visit, error)
            raise
        yield from self._whole(visit, chunks, held=held)

    async def _astreamed(
        self, message: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        visit = self._begin(message)
        held = self._is_due(visit)
        chunks: list[Any] = []
        try:
            with self.session.at(visit):
                response = await self._astep(written_input(message, visit.turn.texts()), *args, **kwargs)
            pieces = aiter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = await anext(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                if not held:
                    yield chunk
        except GeneratorExit:
            self._left(visit)
            raise
        except BaseException as error:
            self._failed(visit, error)
            raise
        for chunk in self._whole(visit, chunks, held=held):
            yield chunk

    def _is_due(self, visit: Visit) -> bool:
        """Whether what leaves this turn is going to be altered, so that no piece of it may leave before."""
        interventions = self.session.run.interventions
        return interventions is not None and interventions.due(visit.turn.moment, "response_corruption", ("outgoing",))

    def _left(self, visit: Visit) -> None:
        """The consumer went away in the middle: an end, but one without words."""
        self._leave(visit)
        with contextlib.suppress(Exception):
            self.session.run.end_turn(visit.turn, (), scopes=())

    def _whole(self, visit: Visit, chunks: list[Any], *, held: bool) -> Iterator[Any]:
        """The stream is over: end the turn, and give what was held back."""
        if visit.stream is not None:
            visit.stream.finish()
        if visit.error is not None:  # CAMEL makes a message of what the model raised
            self._failed(visit, visit.error)
            self.session.check()
            yield from chunks if held else ()
            return
        messages = said_in(chunks, visit.said)
        delivery = self._deliver(visit, messages, chunks[-1].info if chunks else {})
        texts = delivery.texts()
        delivered = written_output(messages, texts)
        self.manner.ended(visit, delivered)
        if held:
            yield from cut_anew(chunks, messages, delivered)


def _same(asked: str, given: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(asked) == dict(given))
    except ValueError:
        return False
