"""Calls of `Runner.run` and the activations of agents in them, as turns of the run.

A *frame* is one call of `Runner.run`, by the user or inside a tool. In it one agent acts at a time: an *activation* is
the stretch from its first model call to its answer or its hand-off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from agents import Agent, MaxTurnsExceeded, ModelResponse
from openai.types.responses import ResponseFunctionToolCall, ResponseReasoningItem

from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.run.outputs import output_steps, whole
from aegis_core.run.recorder import OrderKey
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content
from aegis_openai_agents.hold import Hold
from aegis_openai_agents.requests import call_text, loaded, request_parts, task_text
from aegis_openai_agents.responses import Reading, answer_text, tokens_of
from aegis_openai_agents.results import ResultCodec, asked_part, result_text

__all__ = ["Activation", "Asked", "Frame", "Place", "current_frame", "tool_raised"]

current_frame: ContextVar[Frame | None] = ContextVar("aegis_openai_agents_frame", default=None)
_place: ContextVar[Place | None] = ContextVar("aegis_openai_agents_place", default=None)


@dataclass
class Asked:
    """A tool that a model asked for: in which of its calls, and as which of those that it asked for at once."""

    call_id: str
    name: str
    arguments: Any
    call: int
    position: int
    among: int
    told: bool = False


@dataclass
class Activation:
    """One stretch of an agent's work, with its turn."""

    agent: Agent[Any]
    path: str
    turn: Turn
    calls: int = 0
    failures: int = 0
    """Attempts of the present model call that failed."""
    asked: dict[str, Asked] = field(default_factory=dict)

    def at(self, *place: int) -> Turn:
        """The turn, for what happens at a place inside it: so that parallel work is in order, whoever is first."""
        return replace(self.turn, order=(*self.turn.order, *place))


@dataclass
class Place:
    """Where in an activation a call of `Runner.run` is made."""

    activation: Activation
    frame: Frame
    order: OrderKey
    branch: str
    beside: tuple[OrderKey, int] | None
    """In front of which order keys, and at which number, tools are used side by side."""
    begun: int = 0
    open: int = 0
    codec: ResultCodec = field(default_factory=ResultCodec)


def tool_raised(error: Exception) -> None:
    """The tool that is used now raised, and a text may be made of that."""
    place = _place.get()
    if place is not None:
        place.codec.error = f"{type(error).__name__}: {error}"


class Frame:
    """One call of `Runner.run`."""

    def __init__(self, hold: Hold, agent: Agent[Any], given: Any, place: Place | None) -> None:
        self.hold = hold
        self.run = hold.run
        self.place = place
        self.given = given
        self.agent = agent
        self.activation: Activation | None = None
        self.ended = False
        self._turns = 0
        self._side: Place | None = None
        counter: Hold | Place = place if place is not None else hold
        counter.begun += 1
        crowded = counter.open > 0
        counter.open += 1
        self._counter = counter
        own = str(counter.begun) if crowded else ""
        self.order: OrderKey = (*(place.order if place is not None else ()), counter.begun)
        self.branch = "/".join(filter(None, (place.branch if place is not None else "", own)))
        self.scope = place.activation.path if place is not None else ""
        outer = place.frame.siblings if place is not None else ()
        self.siblings: tuple[tuple[OrderKey, int], ...] = outer
        if place is not None and place.beside is not None:
            self.siblings = (*outer, place.beside)

    # -- from outside ---------------------------------------------------------------------------------------------

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the frame of what is called now."""
        token = current_frame.set(self)
        try:
            yield
        finally:
            current_frame.reset(token)

    def enter(self, *, goes_on: bool) -> None:
        """The call begins."""
        if self.place is not None:
            return
        if self.hold.open > 1 and not self.hold.several:
            self.run.entered_beside()
        else:
            self.run.enter(task_text(self.given), goes_on=goes_on)

    def finished(self, result: Any) -> None:
        """The call returned."""
        if not self._end():
            return
        with guarded(self.run):
            if getattr(result, "interruptions", None):
                if self.activation is not None and not self.activation.turn.ended:
                    self.hold.interrupted.append(self.activation)
            else:
                self._close()
            if self.place is not None:
                return
            answer, reason = (None, "") if self.hold.several else self.run.own_answer(result)
            if self.run.output is None or self.hold.several:
                answer = answer_text(result.final_output)
            self.run.leave(answer, unanswered=reason)

    def failed(self, error: BaseException) -> None:
        """The call ended with an exception."""
        if not self._end():
            return
        if not isinstance(error, Exception):  # cancelled: what was recorded until then stays
            if self.place is None:
                self.run.leave(None)
            return
        with guarded(self.run):
            if isinstance(error, ReplayDrift | RunLimitReached):
                self.hold.ending = error
            if isinstance(error, MaxTurnsExceeded):
                self.run.stopped_by(error)
            if self.hold.is_told(error):
                self._close()
            else:
                self.hold.told.append(error)
                active = self._active()
                moment, order = active.turn.moment, active.turn.order
                active.turn.ended = True
                self.run.failed(error, active.path, moment=moment, order=order)
            if self.place is None:
                self.run.failed(error)
                self.run.leave(None)

    def _end(self) -> bool:
        if self.ended:
            return False
        self.ended = True
        self._counter.open -= 1
        return True

    def _close(self) -> None:
        """End a turn that is still open: its agent was stopped before it said anything."""
        if self.activation is not None and not self.activation.turn.ended:
            self.run.end_turn(self.activation.turn, (), scopes=())

    def _active(self) -> Activation:
        """Who acts now; where nobody was asked yet (a guardrail stopped it), the agent that was told the task."""
        if self.activation is None:
            path = self.hold.layout.path(self.scope, self.agent)
            parts = request_parts(None, self.given) if isinstance(self.given, str | list) else ()
            turn = self.run.begin_turn(path, parts, branch=self.branch, order=(*self.order, 1), scopes=())
            self.activation = Activation(self.agent, path, turn)
        return self.activation

    # -- told by hooks --------------------------------------------------------------------------------------------

    def acts(self, agent: Agent[Any]) -> None:
        """An agent is about to act in this frame."""
        self.agent = agent

    async def answers(self, output: Any) -> None:
        """An agent has come to its final output. Where no model said it last (a tool's result, an error handler's), it
        is recorded here, as it is."""
        active = self.activation
        if active is None or active.turn.ended:
            return
        with guarded(self.run):
            text = answer_text(output)
            parts = (Part(id="output", text=text, role="assistant"),) if text is not None else ()
            await self.run.aend_turn(active.turn, parts, scopes=())

    # -- models ---------------------------------------------------------------------------------------------------

    async def shown(self, agent: Agent[Any], parts: tuple[Part, ...]) -> tuple[Activation, tuple[Part, ...], dict[str, str]]:
        """An agent's model is about to be called: its activation, the parts as it sees them, and what differs by id."""
        active = self.activation
        path = self.hold.layout.path(self.scope, agent)
        seen, texts = self.hold.views.of(path, parts)
        seen, parents = self.run.recorder.sources(seen, path, precedes=self._precedes)
        if active is None or active.turn.ended or active.agent is not agent:
            self._close()
            self._turns += 1
            order = (*self.order, self._turns)
            turn = await self.run.abegin_turn(path, seen, branch=self.branch, order=order, parents=parents)
            self.activation = active = Activation(agent, path, turn)
            texts |= self._persistent(active, seen)
            seen = turn.parts
        else:
            active.turn.parents = tuple(dict.fromkeys((*active.turn.parents, *parents)))
            self._results(active, seen)
        active.calls += 1
        return active, seen, texts

    def _persistent(self, active: Activation, before: tuple[Part, ...]) -> dict[str, str]:
        changed = active.turn.texts()
        for part in before:
            if part.id in changed:
                self.hold.views.keep(active.path, part.text, changed[part.id])
        return changed

    def _precedes(self, order: OrderKey) -> bool:
        return not any(
            len(order) > len(front) and order[: len(front)] == front and order[len(front)] != number
            for front, number in self.siblings
        )

    def _results(self, active: Activation, parts: tuple[Part, ...]) -> None:
        """Record results of tools that no tap has told of: hosted tools, refusals, what guardrails put in place."""
        for part in parts:
            asked = active.asked.get(part.call_id or "")
            if part.kind == "tool_result" and asked is not None and not asked.told:
                self._told(active, asked, part.text, None)

    async def answered(
        self, active: Activation, response: ModelResponse, reading: Reading, handoffs: list[Any], model: str | None
    ) -> ModelResponse:
        """A model has answered: records what it asks for, and ends the turn if this is its last word."""
        attempts, active.failures = active.failures + 1, 0
        calls = [item for item in response.output if _is_call(item)]
        over = [call for call in calls if call.name in reading.handoffs and isinstance(call, ResponseFunctionToolCall)]
        self._asks(active, [call for call in calls if call not in over])
        spoken = [item for item in response.output if getattr(item, "type", "") == "message"]
        if not over and (len(calls) > len(over) or not spoken):
            self._thinks(active, response, reading)
            return response
        self._thinks(active, response.__class__(output=_reasoning(response), usage=response.usage, response_id=None), reading)
        return await self._ends(active, response, reading, over, handoffs, model, attempts)

    def _thinks(self, active: Activation, response: ModelResponse, reading: Reading) -> None:
        """Words beside a call of a tool, and summaries of reasoning."""
        texts = [part.text for part in reading.parts(response) if part.kind == "message" and part.text]
        for item in response.output:
            if isinstance(item, ResponseReasoningItem):
                texts += [block.text for block in item.summary]
        for text in texts:
            turn = active.at(active.calls, 0, 0)
            self.run.step(active.path, "thought", text, moment=turn.moment, order=turn.order, parents=turn.parents)

    def _asks(self, active: Activation, calls: list[Any]) -> None:
        for number, call in enumerate(calls, 1):
            name, call_id = _name(call), getattr(call, "call_id", None) or getattr(call, "id", None) or f"call {number}"
            arguments = loaded(getattr(call, "arguments", None) or getattr(call, "input", None) or "")
            asked = Asked(call_id, name, arguments, active.calls, number, len(calls))
            active.asked[call_id] = asked
            turn = active.at(active.calls, 0, number)
            self.run.step(
                active.path,
                "tool_call",
                call_text(name, arguments),
                moment=turn.moment,
                order=turn.order,
                parents=turn.parents,
                call_id=call_id,
                content=(Content(type="json", data={"name": name, "args": arguments}),),
            )

    async def _ends(
        self,
        active: Activation,
        response: ModelResponse,
        reading: Reading,
        over: list[Any],
        handoffs: list[Any],
        model: str | None,
        attempts: int,
    ) -> ModelResponse:
        ways = {self._target(handoff): handoff for handoff in reversed(handoffs)}
        first = next((handoff for handoff in handoffs if over and handoff.tool_name == over[0].name), None)
        route = self._target(first) if first is not None else None
        parts = _leaving(response, reading, handing_over=bool(over), attempts=attempts)
        delivery = await self.run.aend_turn(
            active.turn,
            parts,
            route=route,
            model=model,
            usage=tokens_of(response),
            steps=lambda delivered: _steps(delivered, response, reading),
        )
        altered = reading.write(response, delivery.texts())
        self._keep(active, reading, response, altered)
        other = ways.get(delivery.route or "")
        if over and other is not None and delivery.route != route and _fits(other, first):
            altered = _redirected(altered, over[0], other)
        return altered

    def _target(self, handoff: Any) -> str:
        from aegis_openai_agents import _compat

        agent = _compat.target_of(handoff)
        layout = self.hold.layout
        return layout.path(self.scope, agent) if agent is not None else layout.named(self.scope, handoff.agent_name)

    def _keep(self, active: Activation, reading: Reading, before: ModelResponse, after: ModelResponse) -> None:
        """Others get an altered answer; its author goes on seeing its own."""
        if after is before:
            return
        plain = replace(reading, structured=False)
        for old, new in zip(plain.parts(before), plain.parts(after), strict=True):
            self.hold.views.keep(active.path, new.text, old.text)

    # -- tools ----------------------------------------------------------------------------------------------------

    async def use_tool(
        self, tool: Any, context: Any, arguments: str, real: Callable[[Any, str], Awaitable[Any]]
    ) -> Any:
        """A function tool is called, by the tap around it."""
        active = self.activation
        asked = self._asked_for(active, tool, context, arguments)
        if active is None or asked is None:  # the user's own code calls it
            return await real(context, arguments)
        front = (*active.turn.order, asked.call, 1)
        branch = active.turn.moment.branch
        beside = None
        if asked.among > 1:
            beside = (front, asked.position)
            branch = "/".join(filter(None, (branch, str(asked.position))))
        place = Place(active, self, (*front, asked.position), branch, beside)

        async def live(_: dict[str, str]) -> Any:
            token = _place.set(place)
            try:
                return await real(context, arguments)
            finally:
                _place.reset(token)

        result = await self.run.acall(
            active.at(asked.call, 1, asked.position),
            "tool",
            (asked_part(asked.name, asked.arguments),),
            live,
            place.codec,
            name=asked.name,
            before=(),
            after=("call",),
        )
        if self.hold.ending is not None:
            raise self.hold.ending
        with guarded(self.run):
            self._told(active, asked, result_text(result), place.codec.error)
        return result

    def _asked_for(self, active: Activation | None, tool: Any, context: Any, arguments: str) -> Asked | None:
        if active is None:
            return None
        found = active.asked.get(getattr(context, "tool_call_id", None) or "")
        if found is not None:
            return found
        alike = (asked for asked in active.asked.values() if asked.name == tool.name and not asked.told)
        return next((asked for asked in alike if asked.arguments == loaded(arguments)), None)

    def _told(self, active: Activation, asked: Asked, text: str, error: str | None) -> None:
        asked.told = True
        turn = active.at(asked.call, 2, asked.position)
        content = (Content(type="json", data={"status": "error", "error": error}),) if error else ()
        self.run.step(
            active.path,
            "tool_result",
            text,
            moment=turn.moment,
            order=turn.order,
            parents=turn.parents,
            call_id=asked.call_id,
            content=content,
        )

    def inner_place(self) -> Place:
        """Where a call of `Runner.run` is made now, inside this frame."""
        place = _place.get()
        if place is not None and place.frame is self:
            return place
        if self._side is None:  # in a guardrail, a hook, a callback of a hand-off
            active = self._active()
            self._side = Place(active, self, (*active.turn.order, 0), active.turn.moment.branch, None)
        return self._side


def _is_call(item: Any) -> bool:
    return str(getattr(item, "type", "")).endswith("_call")


def _name(call: Any) -> str:
    return str(getattr(call, "name", None) or call.type.removesuffix("_call"))


def _reasoning(response: ModelResponse) -> list[Any]:
    return [item for item in response.output if isinstance(item, ResponseReasoningItem)]


def _leaving(response: ModelResponse, reading: Reading, *, handing_over: bool, attempts: int) -> tuple[Part, ...]:
    """The parts of an answer with which a turn ends."""
    parts = [part for part in reading.parts(response) if part.kind != "tool_call"]
    said = [part for part in parts if part.kind == "message" and part.text]
    if handing_over and said:  # what the message says is handed over; the bare call beside it says nothing more
        parts = [part for part in parts if part.editable]
    if attempts > 1 and len(parts) == 1 and parts[0].data is None:
        parts = [parts[0].model_copy(update={"data": {"attempts": attempts}})]
    return tuple(parts)


def _steps(delivery: Delivery, response: ModelResponse, reading: Reading) -> Iterator[Part]:
    """One step for each message and each hand-off, as delivered."""
    after = reading.write(response, delivery.texts())
    for index, item in enumerate(after.output):
        path = f"[{index}]"
        own = [part for part in delivery.parts if part.id == path or part.id.startswith((f"{path}.", f"{path}["))]
        if not own:
            continue
        if isinstance(item, ResponseFunctionToolCall):
            yield _handoff_step(path, item, own)
            continue
        for number, block in enumerate(item.content):
            place = f"{path}.content[{number}]"
            inside = tuple(part for part in own if part.id == place or part.id.startswith((f"{place}.", f"{place}[")))
            data = reading.data(getattr(block, "text", "") or "")
            if data is not None and inside:
                yield from whole(data, inside, place)
            else:
                yield from inside


def _handoff_step(path: str, call: ResponseFunctionToolCall, own: list[Part]) -> Part:
    arguments = loaded(call.arguments)
    first = own[0]
    return first.model_copy(
        update={
            "id": path,
            "text": call_text(call.name, arguments),
            "kind": "handoff",
            "call_id": call.call_id,
            "data": {"name": call.name, "args": arguments},
        }
    )


def _fits(handoff: Any, instead_of: Any) -> bool:
    """Whether a hand-off takes the arguments of another."""
    return instead_of is None or handoff.input_json_schema == instead_of.input_json_schema


def _redirected(response: ModelResponse, call: Any, handoff: Any) -> ModelResponse:
    output = [
        item.model_copy(update={"name": handoff.tool_name}) if getattr(item, "call_id", None) == call.call_id else item
        for item in response.output
    ]
    return replace(response, output=output)
