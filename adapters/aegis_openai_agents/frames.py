"""Calls of `Runner.run` and the activations of agents in them, as turns of the run.

A *frame* is one call of `Runner.run`, by the user or inside a tool. In it one agent acts at a time: an *activation* is
the stretch from its first model call to its answer or its hand-off.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from agents import Agent, MaxTurnsExceeded, ModelResponse

from aegis_core.adapter import Part
from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.run.recorder import OrderKey, sortable
from aegis_core.trace.active import guarded
from aegis_openai_agents import _compat
from aegis_openai_agents.activation import Activation, Place, current_place
from aegis_openai_agents.hold import Hold
from aegis_openai_agents.leaving import calls_in, fits, leaving, redirected, steps_of, thoughts
from aegis_openai_agents.requests import request_parts, task_text
from aegis_openai_agents.responses import Reading, answer_text, tokens_of
from aegis_openai_agents.tool_use import record_asked, record_shown_results

__all__ = ["Frame", "current_frame"]

_END = (2, 0, "")
"""Behind everything in a frame, as `sortable` counts."""
current_frame: ContextVar[Frame | None] = ContextVar("aegis_openai_agents_frame", default=None)


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
        self._counter, self._number = counter, counter.begun
        front: OrderKey = place.order if place is not None else ()
        own = str(self._number) if counter.open else ""
        self.beside: tuple[OrderKey, ...] = tuple((*front, number) for number in sorted(counter.open))
        """The calls that were under way when this one began."""
        counter.open.add(self._number)
        self.order: OrderKey = (*front, self._number)
        self.branch = "/".join(filter(None, (place.branch if place is not None else "", own)))
        self.scope = place.path if place is not None else ""
        outer = place.frame.siblings if place is not None else ()
        self.siblings: tuple[tuple[OrderKey, int], ...] = outer
        if place is not None:
            self.beside = (*place.frame.beside, *self.beside)
            self.siblings = (*outer, place.beside) if place.beside is not None else outer

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
        if len(self.hold.open) > 1 and not self.hold.several:
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
            if self.hold.ending is None:  # an earlier call may have failed, and the user's code went on from that
                self.run.error, self.run.limit_reached = None, ""
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
            elif self.hold.ending is not None:  # what the SDK has made of it
                error = self.hold.ending
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

    def raise_ending(self, error: BaseException) -> None:
        """Raise the drift or the limit itself, where the SDK has made another exception of it."""
        if self.hold.ending is not None and self.hold.ending is not error and isinstance(error, Exception):
            raise self.hold.ending from error

    def _end(self) -> bool:
        if self.ended:
            return False
        self.ended = True
        self._counter.open.discard(self._number)
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
        is recorded here, as it is.
        """
        active = self.activation
        if active is None or active.turn.ended:
            return
        with guarded(self.run):
            text = answer_text(output)
            parts = (Part(id="output", text=text, role="assistant"),) if text is not None else ()
            await self.run.aend_turn(active.turn, parts, usage=active.spent() if parts else None, scopes=())

    # -- models ---------------------------------------------------------------------------------------------------

    async def shown(
        self, agent: Agent[Any], parts: tuple[Part, ...]
    ) -> tuple[Activation, tuple[Part, ...], dict[str, str]]:
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
            record_shown_results(self.run, active, seen)
        active.calls += 1
        return active, seen, texts

    def _persistent(self, active: Activation, before: tuple[Part, ...]) -> dict[str, str]:
        changed = active.turn.texts()
        for part in before:
            if part.id in changed:
                self.hold.views.keep(active.path, part.text, changed[part.id])
        return changed

    def _precedes(self, order: OrderKey) -> bool:
        """Whether a step with this order key came before, rather than beside, what happens in this frame."""
        if sortable(order) >= (*sortable(self.order), _END) or any(order[: len(key)] == key for key in self.beside):
            return False
        return not any(
            len(order) > len(front) and order[: len(front)] == front and order[len(front)] != number
            for front, number in self.siblings
        )

    async def answered(
        self, active: Activation, response: ModelResponse, reading: Reading, handoffs: list[Any], model: str | None
    ) -> ModelResponse:
        """A model has answered: records what it asks for, and ends the turn if this is its last word."""
        attempts, active.failures = active.failures + 1, 0
        calls = calls_in(response)
        over = next((call for call in calls if getattr(call, "name", "") in reading.handoffs), None)
        active.spend(tokens_of(response))
        speaks = any(getattr(item, "type", "") == "message" for item in response.output)
        ends = over is not None or (speaks and not calls)
        record_asked(self.run, active, [call for call in calls if call is not over], model, spends=not ends)
        self._thinks(active, response, reading, words=not ends)
        if not ends:
            return response
        return await self._ends(active, response, reading, over, handoffs, model, attempts)

    def _thinks(self, active: Activation, response: ModelResponse, reading: Reading, *, words: bool) -> None:
        turn = active.at(active.calls, 0, 0)
        for text in thoughts(response, reading, words=words):
            self.run.step(active.path, "thought", text, moment=turn.moment, order=turn.order, parents=turn.parents)

    async def _ends(
        self,
        active: Activation,
        response: ModelResponse,
        reading: Reading,
        over: Any,
        handoffs: list[Any],
        model: str | None,
        attempts: int,
    ) -> ModelResponse:
        ways = {self._target(handoff): handoff for handoff in handoffs}
        first = {handoff.tool_name: handoff for handoff in handoffs}.get(over.name) if over is not None else None
        route = self._target(first) if first is not None else None
        parts = leaving(response, reading, over, attempts)
        delivery = await self.run.aend_turn(
            active.turn,
            parts,
            route=route,
            model=model,
            usage=active.spent(),
            steps=lambda delivered: steps_of(delivered, response, reading),
        )
        altered = reading.write(response, delivery.texts())
        self._keep(active, reading, response, altered)
        if delivery.route == route:
            return altered
        other = ways.get(delivery.route or "")
        if other is None or not fits(other, first):
            self.run.trouble = f"{active.path} can't hand over to {delivery.route} instead of {route}"
            return altered
        return redirected(altered, over, other)

    def _target(self, handoff: Any) -> str:
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

    def inner_place(self) -> Place:
        """Where a call of `Runner.run` is made now, inside this frame."""
        place = current_place.get()
        if place is not None and place.frame is self:
            return place
        if self._side is None:  # in a guardrail, a hook, a callback of a hand-off
            path = self.hold.layout.path(self.scope, self.agent)
            self._side = Place(path, self, (*self.order, max(1, self._turns), 0), self.branch, None)
        return self._side
