"""Model clients: what stands for one, for one owner. A client that several agents share is tapped once for each."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from autogen_core.models import CreateResult
from pydantic import JsonValue

from aegis_autogen.signals import Signals
from aegis_autogen.taps.standing import StandIn
from aegis_autogen.texts.requests import request_parts, write_request
from aegis_autogen.texts.results import ModelCodec, ModelStreamCodec
from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.streams import astream
from aegis_core.trace.active import guarded

__all__ = ["Caller", "tapped_client"]


class Caller(Protocol):
    """Who owns a tapped client."""

    authors: Mapping[str, str]
    """Paths of agents by the names that they have as sources of messages. Its own names may stand in `sources`."""

    async def turn(self) -> Turn | None:
        """The turn in which the client is called now; None if there is none, and the client is to be itself."""

    def answered(self, result: CreateResult) -> None:
        """A call in this turn has been answered."""


def tapped_client(client: Any, run: Run, caller: Caller, signals: Signals) -> Any:
    """What stands for a client in one owner's hands: the same class to all who ask, the same attributes."""
    return _ClientTap(client, run, caller, signals)


class _ClientTap(StandIn):
    """A client whose model is called through the run."""

    def __init__(self, client: Any, run: Run, caller: Caller, signals: Signals) -> None:
        super().__init__(client)
        for name, value in (("run", run), ("caller", caller), ("signals", signals)):
            object.__setattr__(self, f"_aegis_{name}", value)

    async def create(self, messages: Sequence[Any], **options: Any) -> CreateResult:
        run, caller, client = self._aegis_run, self._aegis_caller, self._aegis_real
        with self._aegis_signals.noted():
            turn = await caller.turn()
            request = _request(run, messages, options, caller) if turn is not None else None
            if turn is None or request is None:
                result: CreateResult = await client.create(messages, **options)
                return result

            async def live(texts: dict[str, str]) -> CreateResult:
                answer: CreateResult = await client.create(_edited(messages, texts), **options)
                return answer

            result = await run.acall(turn, "model", request[0], live, ModelCodec(), extra=request[1])
        caller.answered(result)
        return result

    async def create_stream(self, messages: Sequence[Any], **options: Any) -> AsyncGenerator[str | CreateResult, None]:
        run, caller, client = self._aegis_run, self._aegis_caller, self._aegis_real
        with self._aegis_signals.noted():
            turn = await caller.turn()
            request = _request(run, messages, options, caller) if turn is not None else None

            def live(texts: dict[str, str]) -> AsyncIterator[str | CreateResult]:
                stream: AsyncIterator[str | CreateResult] = client.create_stream(_edited(messages, texts), **options)
                return stream

            if turn is None or request is None:
                chunks = live({})
            else:
                chunks = astream(run, turn, "model", request[0], live, ModelStreamCodec(), extra=request[1])
            try:
                async for chunk in chunks:
                    if turn is not None and isinstance(chunk, CreateResult):
                        caller.answered(chunk)
                    yield chunk
            finally:
                if isinstance(chunks, AsyncGenerator):
                    await chunks.aclose()


def _edited(messages: Sequence[Any], texts: Mapping[str, str]) -> Sequence[Any]:
    return write_request(messages, texts) if texts else messages


def _request(
    run: Run, messages: Sequence[Any], options: Mapping[str, Any], caller: Caller
) -> tuple[tuple[Part, ...], JsonValue] | None:
    """The texts of a request, and what else its answer depends on; None if they can't be read."""
    with guarded(run):
        own = frozenset(getattr(caller, "sources", ()))
        return request_parts(messages, caller.authors, own=own), _depends(options)
    return None  # type: ignore[unreachable]  # `guarded` may have swallowed an exception


def _depends(options: Mapping[str, Any]) -> JsonValue:
    """Only what is known to be no secret: names of tools, which of them may be chosen, the form of the answer."""
    choice, form = options.get("tool_choice", "auto"), options.get("json_output")
    return {
        "tools": [_name(tool) for tool in options.get("tools") or ()],
        "tool_choice": choice if isinstance(choice, str) else _name(choice),
        "json_output": form if form is None or isinstance(form, bool) else getattr(form, "__name__", "schema"),
    }


def _name(tool: Any) -> str:
    return str(tool.get("name", "")) if isinstance(tool, Mapping) else str(getattr(tool, "name", ""))
