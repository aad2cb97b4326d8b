"""The tap of a model, and of a provider that finds models by name."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from agents import Model, ModelBehaviorError, ModelProvider, ModelResponse
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.trace.active import guarded
from aegis_openai_agents.activation import Activation, current_place
from aegis_openai_agents.frames import Frame, current_frame
from aegis_openai_agents.requests import request_parts, write_request
from aegis_openai_agents.responses import Reading, ResponseCodec
from aegis_openai_agents.streams import ends, joined, split

__all__ = ["TappedModel", "TappedProvider", "untapped"]


class _Call:
    """One call of a model inside an activation."""

    def __init__(
        self,
        frame: Frame,
        active: Activation,
        parts: tuple[Part, ...],
        request: tuple[str | None, Any],
        reading: Reading,
        rest: tuple[Any, ...],
    ) -> None:
        self.frame, self.active, self.parts, self.request, self.reading = frame, active, parts, request, reading
        self.tools, self.handoffs, self.schema = rest
        self.codec = ResponseCodec(reading)

    def written(self, texts: dict[str, str]) -> tuple[str | None, Any]:
        """The request, with these texts."""
        return write_request(*self.request, texts)

    @property
    def extra(self) -> JsonValue:
        return {
            "tools": [str(getattr(tool, "name", type(tool).__name__)) for tool in self.tools],
            "handoffs": [str(handoff.tool_name) for handoff in self.handoffs],
            "schema": self.schema.name() if self.schema is not None else None,
        }

    async def made(self, live: Any, model: str | None) -> ModelResponse:
        """Have the run make the call, and tell the frame of the answer."""
        run, active = self.frame.run, self.active
        turn = active.at(active.calls)
        try:
            answer: ModelResponse = await run.acall(turn, "model", self.parts, live, self.codec, extra=self.extra)
        except (ReplayDrift, RunLimitReached) as error:
            self.frame.hold.ending = error
            raise
        except Exception:
            active.failures += 1
            raise
        told: list[ModelResponse] = []
        with guarded(run):
            told.append(await self.frame.answered(active, answer, self.reading, self.handoffs, model))
        return told[0] if told else answer


async def _begun(system: str | None, items: Any, tools: list[Any], handoffs: list[Any], schema: Any) -> _Call | None:
    """A model is called; None where that is none of a recorded run."""
    frame, place = current_frame.get(), current_place.get()
    if frame is None or (place is not None and place.frame is frame):  # a tool's own code calls it
        return None
    call = None
    try:
        with guarded(frame.run):
            frame.hold.tap_tools(tools)
            structured = schema is not None and not schema.is_plain_text()
            reading = Reading(frozenset(handoff.tool_name for handoff in handoffs), structured)
            active, parts, texts = await frame.shown(frame.agent, request_parts(system, items))
            request = write_request(system, items, texts)
            call = _Call(frame, active, parts, request, reading, (tools, handoffs, schema))
    except (ReplayDrift, RunLimitReached) as error:
        frame.hold.ending = error
        raise
    return call


def untapped(clone: Callable[..., Any]) -> Callable[..., Any]:
    """What an agent's `clone` is meanwhile: a clone has the model itself, as it is no part of the run."""

    def cloned(**changes: Any) -> Any:
        made = clone(**changes)
        if "model" not in changes and isinstance(made.model, TappedModel):
            made.model = made.model._inner
        return made

    return cloned


class TappedModel(Model):
    """Stands for a model: what it is shown and answers goes through the run. Outside of one it is the model itself."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **more: Any,
    ) -> ModelResponse:
        async def ask(system: str | None, items: Any) -> ModelResponse:
            return await self._inner.get_response(
                system_instructions=system,
                input=items,
                model_settings=model_settings,
                tools=tools,
                output_schema=output_schema,
                handoffs=handoffs,
                tracing=tracing,
                **more,
            )

        call = await _begun(system_instructions, input, tools, handoffs, output_schema)
        if call is None:
            return await ask(system_instructions, input)

        async def live(texts: dict[str, str]) -> ModelResponse:
            return await ask(*call.written(texts))

        return await call.made(live, self._name())

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **more: Any,
    ) -> AsyncIterator[Any]:
        def ask(system: str | None, items: Any) -> Any:
            rest = (model_settings, tools, output_schema, handoffs, tracing)
            return self._inner.stream_response(system, items, *rest, **more)

        call = await _begun(system_instructions, input, tools, handoffs, output_schema)
        if call is None:
            events = ask(system_instructions, input)
        elif call.frame.hold.altering:
            events = _cut_anew(call, ask, self._name())
        else:
            events = _passing(call, ask, self._name())
        async with aclosing(events):
            async for event in events:
                yield event

    @property  # type: ignore[misc]  # read by isinstance
    def __class__(self) -> Any:
        return type(self._inner)

    def _name(self) -> str | None:
        name = getattr(self._inner, "model", None)
        return name if isinstance(name, str) else None

    def __getattr__(self, name: str) -> Any:
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_inner":
            object.__setattr__(self, name, value)
        else:
            setattr(self._inner, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._inner, name)

    def __copy__(self) -> Any:  # copies are of the model, and have no tap
        return copy.copy(self._inner)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self._inner, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._inner.__reduce_ex__(protocol)


def _handed_on(name: str) -> Any:
    def method(self: TappedModel, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._inner, name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name, _value in vars(Model).items():
    if callable(_value) and not _name.startswith("__") and _name not in vars(TappedModel):
        setattr(TappedModel, _name, _handed_on(_name))


async def _cut_anew(call: _Call, ask: Any, model: str | None) -> AsyncIterator[Any]:
    """A stream that may be served or altered: held back until it is whole."""

    async def live(texts: dict[str, str]) -> ModelResponse:
        async with aclosing(ask(*call.written(texts))) as events:
            return _whole([event async for event in events])

    for event in split(await call.made(live, model)):
        yield event


async def _passing(call: _Call, ask: Any, model: str | None) -> AsyncIterator[Any]:
    """A stream that is only recorded: passes as it comes. The record is made before the event that ends it passes,
    since the SDK acts on that one.
    """
    seen: list[Any] = []
    ended = False
    failure: Exception | None = None

    async def live(_: dict[str, str]) -> ModelResponse:
        if failure is not None:
            raise failure
        return _whole(seen)

    try:
        async with aclosing(ask(*call.written({}))) as events:
            async for event in events:
                seen.append(event)
                if ends(event) and not ended:
                    ended = True
                    await call.made(live, model)
                yield event
    except Exception as error:  # goes on tape with the call, which raises it again
        if ended:
            raise
        failure = error
    if not ended:
        await call.made(live, model)


def _whole(events: list[Any]) -> ModelResponse:
    answer = joined(events)
    if answer is None:
        raise ModelBehaviorError("Model did not produce a final response!")
    return answer


class TappedProvider(ModelProvider):
    """Stands for a provider of models: those that it finds by name are tapped."""

    def __init__(self, inner: ModelProvider) -> None:
        self._inner = inner
        self._found: dict[int, TappedModel] = {}

    def get_model(self, model_name: str | None) -> Model:
        found = self._inner.get_model(model_name)
        if isinstance(found, TappedModel):
            return found
        return self._found.setdefault(id(found), TappedModel(found))

    @property  # type: ignore[misc]  # read by isinstance
    def __class__(self) -> Any:
        return type(self._inner)

    @property
    def was_used(self) -> bool:
        """Whether a model was found."""
        return bool(self._found)

    async def aclose(self) -> None:
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()

    def __getattr__(self, name: str) -> Any:
        if name in ("_inner", "_found"):
            raise AttributeError(name)
        return getattr(self._inner, name)
