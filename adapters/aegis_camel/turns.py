"""The turns of one agent: when one begins and ends, what stands in the record of it, and which one a call is in."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from aegis_camel.calls import note_broken_off, note_result, note_unheard
from aegis_camel.held import told_in
from aegis_camel.session import Scope, Session, Visit
from aegis_camel.texts.messages import input_parts, output_parts, output_steps, written_input, written_output
from aegis_core.adapter import Delivery, Part
from aegis_core.run.recorder import OrderKey
from aegis_core.trace.active import guarded
from aegis_core.trajectory import StepKind

__all__ = ["Manner", "Place", "Planning", "Turns"]


class Place(NamedTuple):
    """Where in the plan of work a turn stands, and of which kind its output is."""

    order: OrderKey
    branch: str = ""
    kind: StepKind = "message"


class Manner:
    """What an agent's place in a society says of its turns. By default: nothing."""

    kind: StepKind = "message"
    """Of its output."""

    def place(self, session: Session) -> Place:
        """Of a turn that begins now."""
        scope = session.scope()
        return Place(scope.place(), scope.branch, self.kind)

    def addressed_to(self) -> tuple[str, ...]:
        """Whom the agent speaks to."""
        return ()

    def is_told_otherwise(self, messages: list[Any]) -> bool:
        """Whether what leaves the agent is recorded in another form than as a message."""
        del messages
        return False

    def said_before(self, session: Session) -> Iterable[tuple[str, int]]:
        """What the agent may be shown in the turn that begins now: texts, and the numbers of their steps."""
        del session
        return ()

    def ended(self, visit: Visit, messages: list[Any], steps: tuple[int, ...]) -> None:
        """The turn ended with these messages, as delivered, which are these steps."""


class Planning(Manner):
    """What the agent says is the plan of what others do."""

    kind: StepKind = "plan"


class Turns:
    """Begins and ends turns. Trouble in recording is warned of, and never that of the agent.

    Args:
        session: of the run.
        path: of the agent.
        manner: what its place in a society says of its turns.
    """

    def __init__(self, session: Session, path: str, manner: Manner) -> None:
        self.session = session
        self.path = path
        self.manner = manner
        self._open: list[Visit] = []
        self._lock = threading.Lock()

    def is_inside(self) -> bool:
        """Whether the agent's own step calls this: some agents make one kind of step out of the other."""
        here = self.session.here()
        return here is not None and here in self._open

    def visit(self) -> Visit | None:
        """The turn that a model is called in: the context knows, or else it is the one that began last."""
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

    def begin(self, message: Any) -> Visit | None:
        """A turn begins with a message; None if it can't be recorded.

        Raises:
            ReplayDrift, RunLimitReached: the run can't go on.
        """
        session = self.session
        session.check()
        visit: Visit | None = None
        try:
            with guarded(session.run):
                visit = self._begun(message)
        except BaseException as error:
            session.noted(error)
            raise
        return visit

    def _begun(self, message: Any) -> Visit:
        session = self.session
        message = self._in_own_words(message)
        order, branch, kind = self.manner.place(session)
        parts = input_parts(message, session.wrapping)
        given, parents = session.run.recorder.sources(parts, self.path, known=self._known(parts))
        turn = session.run.begin_turn(
            self.path, given, branch=branch, order=order, parents=parents, scopes=session.scopes
        )
        visit = Visit(session, turn, Scope(session, order, branch), kind=kind, message=message)
        with self._lock:
            self._open.append(visit)
        return visit

    def _known(self, parts: tuple[Part, ...]) -> dict[str, tuple[int, ...]]:
        """Of which steps the parts are the texts, as far as the agent's place in a society tells."""
        said = tuple(self.manner.said_before(self.session))
        found = {
            part.id: tuple(dict.fromkeys(number for text, number in said if text and text in part.text))
            for part in parts
        }
        return {name: numbers for name, numbers in found.items() if numbers}

    def _in_own_words(self, message: Any) -> Any:
        """A message in which the agent is quoted, as it remembers what it said, where others were given other words."""
        own, wrapping = self.session.own_words, self.session.wrapping
        if not own:
            return message
        parts = input_parts(message, wrapping)
        said = {part.id: own[self.path, part.text] for part in parts if (self.path, part.text) in own}
        return written_input(message, said, wrapping)

    def failed(self, visit: Visit, error: BaseException) -> None:
        """A turn ended with an exception."""
        self._leave(visit)
        self.session.noted(error)
        with guarded(self.session.run):
            note_broken_off(visit)
            note_unheard(visit)
            self.session.run.failed(
                error, self.path, moment=visit.turn.moment, order=visit.turn.order, model=visit.model, usage=visit.usage
            )

    def left(self, visit: Visit, given: list[Any]) -> None:
        """The consumer of a stream went away in the middle: the words that it was given by then stand.

        Args:
            given: the chunks that it got.
        """
        self._leave(visit)
        if visit.turn.ended:
            return
        with guarded(self.session.run):
            note_broken_off(visit)
            text = told_in(given)
            words = text.strip() and text != visit.thought
            parts = (
                (Part(id="msgs[0]", text=text, role="assistant", author=self.path, kind=visit.kind),) if words else ()
            )
            self.session.run.end_turn(
                visit.turn, parts, addressed_to=self.manner.addressed_to(), model=visit.model, usage=visit.usage,
                scopes=(),
            )  # fmt: skip
            self.session.wrapping.learn(text)

    def end(self, visit: Visit, response: Any) -> Any:
        """A turn ended with a response: that, or a copy with other words."""
        self._leave(visit)
        with guarded(self.session.run):
            messages = list(response.msgs or ())
            delivered = self.deliver(visit, messages, response.info)
            if response.terminated and not messages:
                note_unheard(visit)
                self._tell_why(visit, response.info)
            if any(new is not old for new, old in zip(delivered, messages, strict=True)):
                return response.model_copy(update={"msgs": delivered})
        return response

    def deliver(self, visit: Visit, messages: list[Any], info: Any) -> list[Any]:
        """What leaves the agent, as it is delivered."""
        delivery = self._delivery(visit, messages, info)
        delivered = written_output(messages, delivery.texts())
        for part in output_parts(delivered, self.path):
            self.session.wrapping.learn(part.text)
        self.manner.ended(visit, delivered, delivery.steps)
        return delivered

    def due(self, visit: Visit) -> bool:
        """Whether what leaves this turn is going to be altered, so that no piece of it may leave before."""
        interventions = self.session.run.interventions
        return interventions is not None and interventions.due(visit.turn.moment, "response_corruption", ("outgoing",))

    def _leave(self, visit: Visit) -> None:
        with self._lock:
            if visit in self._open:
                self._open.remove(visit)

    def _delivery(self, visit: Visit, messages: list[Any], info: Any) -> Delivery:
        self._leave(visit)
        self._flush(visit, info)
        attempts = {"attempts": visit.failures + 1} if visit.failures else {}
        addressed = self.manner.addressed_to()

        def steps(delivery: Delivery) -> tuple[Part, ...]:
            told = written_output(messages, delivery.texts())
            if self.manner.is_told_otherwise(told):
                return ()
            return output_steps(told, self.path, visit.kind, attempts)

        parts = () if self.manner.is_told_otherwise(messages) else output_parts(messages, self.path)
        delivery = self.session.run.end_turn(
            visit.turn, parts, addressed_to=addressed, model=visit.model,
            usage=visit.usage, steps=steps,
        )  # fmt: skip
        if delivery.changed:
            before = {part.id: part.text for part in parts}
            own = {(self.path, part.text): before[part.id] for part in delivery.parts if part.id in delivery.changed}
            self.session.own_words.update(own)
            for text in own.values():
                self.session.wrapping.learn(text)
        return delivery

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
            self.path, "error", f"terminated: {told}", moment=visit.turn.moment, order=visit.turn.order,
            model=visit.model, usage=visit.usage,
        )  # fmt: skip


def _same(asked: str, given: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(asked) == dict(given))
    except ValueError:
        return False
