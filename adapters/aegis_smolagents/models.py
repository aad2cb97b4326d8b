"""The model of an agent, tapped: each of its calls is recorded, served from a tape, and altered where due."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_core.run.streams import stream
from aegis_core.trace.active import guarded
from aegis_smolagents._compat import (
    END_OF_PLAN,
    ChatMessage,
    ChatMessageStreamDelta,
    code_tags,
    is_structured,
    joined,
    usage_of,
)
from aegis_smolagents.answers import Manner
from aegis_smolagents.codec import ModelCodec
from aegis_smolagents.frames import Frame
from aegis_smolagents.signals import leaving

if TYPE_CHECKING:
    from aegis_smolagents.agents import AgentTap

__all__ = ["ModelTap"]


class ModelTap:
    """What the twin of an agent's model calls.

    Args:
        agent: the tap of the agent.
    """

    methods = ("generate", "generate_stream")

    def __init__(self, agent: AgentTap) -> None:
        self._agent = agent

    def __call__(self, name: str, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        frame = self._agent.frame()
        call: _Call | None = None
        if frame is not None and (args or "messages" in kwargs):
            with guarded(frame.run):
                options = dict(kwargs)
                messages, rest = (args[0], args[1:]) if args else (options.pop("messages"), args)
                call = _Call(frame, messages, rest, options, self._manner(options))
        if call is None:
            return real(*args, **kwargs)
        return call.streamed(real) if name == "generate_stream" else call.made(real)

    def _manner(self, options: Mapping[str, Any]) -> Manner:
        agent = self._agent.agent
        model = agent.model
        stops = options.get("stop_sequences") or ()
        return Manner(
            acts=bool(stops) and END_OF_PLAN not in stops,
            tags=code_tags(agent) if self._agent.writes_code else None,
            structured=is_structured(agent),
            name_key=getattr(model, "tool_name_key", "name"),
            arguments_key=getattr(model, "tool_arguments_key", "arguments"),
        )


class _Call:
    """One call of an agent's model."""

    def __init__(
        self, frame: Frame, messages: Any, rest: tuple[Any, ...], options: dict[str, Any], manner: Manner
    ) -> None:
        self._frame = frame
        self._messages = messages
        self._rest = rest
        self._options = options
        self._codec = ModelCodec(manner)
        self._parts = frame.tap.requests.parts(messages)
        self._extra = self._beside()
        frame.reads()
        frame.model = _name_of(frame.tap.agent.model)
        self._turn = frame.at(frame.next_order())

    def made(self, real: Callable[..., Any]) -> ChatMessage:
        """The message, whole."""

        def live(texts: dict[str, str]) -> ChatMessage:
            with _telling(self._frame):
                message: ChatMessage = real(self._sent(texts), *self._rest, **self._options)
            return message

        with leaving():
            message = self._frame.run.call(self._turn, "model", self._parts, live, self._codec, extra=self._extra)
        with guarded(self._frame.run):
            self._heard(message)
        return message

    def streamed(self, real: Callable[..., Any]) -> Iterator[ChatMessageStreamDelta]:
        """The message in pieces."""

        def live(texts: dict[str, str]) -> Iterator[ChatMessageStreamDelta]:
            with _telling(self._frame):
                yield from real(self._sent(texts), *self._rest, **self._options)

        chunks = []
        with leaving():
            for chunk in stream(
                self._frame.run, self._turn, "model", self._parts, live, self._codec, extra=self._extra
            ):
                chunks.append(chunk)
                yield chunk
        with guarded(self._frame.run):
            self._heard(joined(chunks))

    def _sent(self, texts: Mapping[str, str]) -> Any:
        return self._frame.tap.requests.written(self._messages, texts) if texts else self._messages

    def _heard(self, message: ChatMessage) -> None:
        self._frame.said, self._frame.unsaid = message, True
        self._frame.used(usage_of(message))

    def _beside(self) -> JsonValue:
        """What the answer depends on beside the texts: which tools there are, and where the model is to stop."""
        tools: list[JsonValue] = [
            str(getattr(tool, "name", "")) for tool in self._options.get("tools_to_call_from") or ()
        ]
        stops: list[JsonValue] = [str(stop) for stop in self._options.get("stop_sequences") or ()]
        return {"tools": tools, "stop": stops, "structured": "response_format" in self._options}


@contextlib.contextmanager
def _telling(frame: Frame) -> Iterator[None]:
    """Records what a model raises, with its true type: the agent raises an exception of its own instead."""
    try:
        yield
    except Exception as error:
        frame.tell(error)
        raise


def _name_of(model: Any) -> str | None:
    name = getattr(model, "model_id", None)
    return name if isinstance(name, str) else None
