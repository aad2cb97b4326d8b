"""Calls of models: each goes through the run, and what the model says and asks for is noted in its turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from aegis_camel.session import Asked, Session, Visit
from aegis_camel.streams import agathered, form_of, gathered, passing, presented
from aegis_camel.texts.codec import Answer, AnswerCodec, usage_of
from aegis_camel.texts.messages import call_text, read_arguments, request_parts, written_request
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content, Usage

__all__ = ["ModelCall", "note_broken_off", "note_result", "note_results", "note_unheard"]

_FAILED = "Tool execution failed"
"""How CAMEL begins what it shows a model of a tool that raised, or that there is not."""


@dataclass(frozen=True)
class ModelCall:
    """One call of a model, as the agent makes it.

    Args:
        real: the model, given messages, response format and tools.
        streams: whether the model was told to give its answer in pieces.
    """

    real: Callable[..., Any]
    messages: Sequence[Any]
    response_format: Any
    tools: Any
    streams: bool

    def make(self, visit: Visit) -> Any:
        """Make the call in a turn: served or live, altered where that is due."""
        session = visit.session
        asked = self._begun(visit)
        if asked is None:
            return self._sent({}, session)
        if self.streams and not session.run.holds(visit.turn):
            return self._passing(visit, asked)

        def live(texts: dict[str, str]) -> Answer:
            with session.calling_model():
                return gathered(self._sent(texts, session))

        try:
            answer = session.run.call(live=live, **asked)
        except Exception as error:
            _note_error(visit, error)
            raise
        _note(visit, answer)
        return presented(answer, asked["codec"], asynchronous=False)

    async def amake(self, visit: Visit) -> Any:
        """Asynchronous form of `make`."""
        session = visit.session
        asked = self._begun(visit)
        if asked is None:
            return await self._sent({}, session)
        if self.streams and not session.run.holds(visit.turn):
            return await self._apassing(visit, asked)

        async def live(texts: dict[str, str]) -> Answer:
            with session.calling_model():
                return await agathered(await self._sent(texts, session))

        try:
            answer = await session.run.acall(live=live, **asked)
        except Exception as error:
            _note_error(visit, error)
            raise
        _note(visit, answer)
        return presented(answer, asked["codec"], asynchronous=True)

    def _begun(self, visit: Visit) -> dict[str, Any] | None:
        """What `Run.call` is given; None if the call can't be recorded."""
        asked: dict[str, Any] = {}
        with guarded(visit.session.run):
            if visit.stream is not None:
                visit.stream.finish()
            note_results(visit, self.messages)
            asked.update(
                turn=visit.turn,
                kind="model",
                order=visit.scope.place(),
                parts=request_parts(self.messages, visit.session.wrapping),
                codec=AnswerCodec(visit.session.names, self.response_format),
                extra=self._extra(),
            )
        return asked or None

    def _extra(self) -> JsonValue:
        """What else the answer depends on: the tools that are offered, the form that is asked for."""
        offered: list[JsonValue] = [*sorted(map(_tool_name, self.tools or ()))]
        form = getattr(self.response_format, "__name__", None)
        return {"tools": offered, "format": form} if offered or form else None

    def _sent(self, texts: Mapping[str, str], session: Session) -> Any:
        return self.real(written_request(self.messages, texts, session.wrapping), self.response_format, self.tools)

    def _passing(self, visit: Visit, asked: dict[str, Any]) -> Any:
        try:
            with visit.session.calling_model():
                raw = self._sent({}, visit.session)
        except Exception as error:
            self._ended(visit, asked, None, error)
            raise
        return self._watched(visit, asked, raw)

    async def _apassing(self, visit: Visit, asked: dict[str, Any]) -> Any:
        try:
            with visit.session.calling_model():
                pending: Awaitable[Any] = self._sent({}, visit.session)
                raw = await pending
        except Exception as error:
            self._ended(visit, asked, None, error)
            raise
        return self._watched(visit, asked, raw)

    def _watched(self, visit: Visit, asked: dict[str, Any], raw: Any) -> Any:
        if (form := form_of(raw)) in ("whole", "other"):
            self._ended(visit, asked, Answer(raw, form), None)
            return raw
        visit.stream = passing(raw, lambda answer, error: self._ended(visit, asked, answer, error))
        return visit.stream

    def _ended(self, visit: Visit, asked: dict[str, Any], answer: Answer | None, error: Exception | None) -> None:
        """A call that passed is over: put it on the tape."""

        def live(_: dict[str, str]) -> Answer:
            if error is not None or answer is None:
                raise error or RuntimeError("a stream ended without an answer")
            return answer

        visit.stream = None
        try:
            _note(visit, visit.session.run.call(live=live, **asked))
        except Exception as raised:  # what the stream itself raised, or the recorder: both are noted
            _note_error(visit, raised)
            if raised is not error:
                raise


def _tool_name(tool: Any) -> str:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    return str(function.get("name")) if isinstance(function, Mapping) else ""


def _note_error(visit: Visit, error: Exception) -> None:
    visit.session.noted(error)
    visit.error = error
    visit.failures += 1


def _note(visit: Visit, answer: Answer) -> None:
    with guarded(visit.session.run):
        _noted(visit, answer)


def _noted(visit: Visit, answer: Answer) -> None:
    """What the model said and asked for."""
    visit.error = None
    if answer.form == "other":
        return
    note_unheard(visit)
    completion = answer.completion
    _spend(visit, completion)
    visit.said = [choice.message.content or "" for choice in completion.choices]
    message: Any = completion.choices[0].message if completion.choices else None
    calls = (message.tool_calls or ()) if message is not None else ()
    if calls and (message.content or "").strip():
        visit.thought = message.content
        _step(visit, "thought", message.content)
    usage = visit.usage
    for call in calls:
        function: Any = getattr(call, "function", None)
        if function is None:
            continue
        visit.asked[call.id] = Asked(call.id, function.name, function.arguments)
        data: JsonValue = {"name": function.name, "args": read_arguments(function.arguments)}
        _step(
            visit, "tool_call", call_text(function.name, function.arguments), call_id=call.id,
            content=(Content(type="json", data=data),), model=visit.model, usage=usage,
        )  # fmt: skip
        usage = None  # it is that of one call of the model, however many tools it asked for
    if calls:
        visit.said, visit.usage = [], None  # both are told


def _spend(visit: Visit, completion: Any) -> None:
    """What a call took is told with the next step of the turn."""
    usage = usage_of(completion)
    visit.model = completion.model or None
    if usage is not None and visit.usage is not None:
        spent = (getattr(visit.usage, name) + getattr(usage, name) for name in ("input_tokens", "output_tokens"))
        usage = Usage(input_tokens=next(spent), output_tokens=next(spent))
    visit.usage = usage or visit.usage


def note_unheard(visit: Visit) -> None:
    """Record what the model said and was asked to go on from, or what came to nothing: others do not get it."""
    said, visit.said = [text for text in visit.said if text.strip()], []
    for text in said:
        _step(visit, "thought", text, model=visit.model, usage=visit.usage)
        visit.usage = None


def note_broken_off(visit: Visit) -> None:
    """A stream of the model was left: record what it told of itself by then."""
    stream, visit.stream = visit.stream, None
    if stream is None:
        return
    stream.finish()
    completion = stream.broken_off()
    if completion is not None:
        _spend(visit, completion)


def note_results(visit: Visit, messages: Sequence[Any]) -> None:
    """Record what tools returned, as the model is shown it."""
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") != "tool":
            continue
        asked = visit.asked.pop(str(message.get("tool_call_id")), None)
        if asked is not None:
            note_result(visit, asked, str(message.get("content")))


def note_result(visit: Visit, asked: Asked, text: str) -> None:
    """Record what a tool returned."""
    broken = asked.call_id in visit.broken or text.startswith(_FAILED)
    data: dict[str, JsonValue] = {"is_error": True} if broken else {}
    content = (Content(type="json", data=data),) if data else ()
    _step(visit, "tool_result", text, call_id=asked.call_id, content=content)


def _step(visit: Visit, kind: Any, text: str, **more: Any) -> None:
    turn = visit.turn
    session: Session = visit.session
    session.run.step(
        turn.moment.agent, kind, text, moment=turn.moment, order=visit.scope.place(), parents=turn.parents, **more
    )
