"""Streams of a model, as they pass: noted piece by piece, and recorded when they are whole.

CAMEL tells a stream of chunks from one of events by what it can do: the first iterates and enters, the second only
enters. It leaves a stream of chunks as soon as it was told of the usage; so whoever ends the turn has to `finish` it.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Self

from camel.types import ChatCompletion

from aegis_camel.texts.codec import Answer, AnswerCodec
from aegis_camel.texts.pieces import joined

__all__ = ["agathered", "form_of", "gathered", "passing", "presented"]

Done = Callable[[Answer | None, Exception | None], None]
"""Told once how a stream ended: with what it gave, or with an exception."""
_AT_ONCE = ("whole", "other")
"""Forms that do not come in pieces."""


def form_of(raw: Any) -> str:
    """How a model gave its answer: `whole`, `stream` (chunks), `events`, or `other`, which CAMEL can't take either."""
    if isinstance(raw, ChatCompletion):
        return "whole"
    if inspect.isgenerator(raw) or inspect.isasyncgen(raw):
        return "stream"
    if not (hasattr(raw, "__enter__") or hasattr(raw, "__aenter__")):
        return "other"
    return "stream" if hasattr(raw, "__iter__") or hasattr(raw, "__aiter__") else "events"


def gathered(raw: Any) -> Answer:
    """The whole answer, read to its end."""
    form = form_of(raw)
    if form in _AT_ONCE:
        return Answer(raw, form)
    if form == "stream":
        return Answer(joined(list(raw)), form)
    with raw as events:
        for _ in events:
            pass
        return Answer(events.get_final_completion(), form)


async def agathered(raw: Any) -> Answer:
    """Asynchronous form of `gathered`."""
    form = form_of(raw)
    if form in _AT_ONCE:
        return Answer(raw, form)
    if form == "stream":
        return Answer(joined([chunk async for chunk in raw]), form)
    async with raw as events:
        async for _ in events:
            pass
        return Answer(await events.get_final_completion(), form)


def passing(raw: Any, done: Done) -> Any:
    """A stream that passes untouched, and tells how it ended."""
    if form_of(raw) == "events":
        return _AsyncEntering(raw, done) if hasattr(raw, "__aenter__") else _Entering(raw, done)
    return _AsyncChunks(raw, done) if hasattr(raw, "__aiter__") else _Chunks(raw, done)


def presented(answer: Answer, codec: AnswerCodec, *, asynchronous: bool) -> Any:
    """An answer in the form in which the model gave it."""
    if answer.form in _AT_ONCE:
        return answer.completion

    def ended(_answer: Answer | None, _error: Exception | None) -> None:
        """It is recorded already."""

    if answer.form == "stream":
        chunks = codec.split(answer)
        return _AsyncChunks(_later(chunks), ended) if asynchronous else _Chunks(chunks, ended)
    return _AsyncEntering(_AsyncEvents(answer), ended) if asynchronous else _Entering(_Events(answer), ended)


async def _later(items: Iterable[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


class _Passing:
    """What both kinds of streams of chunks share."""

    def __init__(self, raw: Any, done: Done) -> None:
        self._raw = raw
        self._done: Done | None = done
        self._seen: list[Any] = []

    def finish(self) -> None:
        """Tell of the end, if the model has come to it."""
        if any(piece.finish_reason for chunk in self._seen for piece in chunk.choices or ()):
            self._ended(None)

    def broken_off(self) -> ChatCompletion | None:
        """What the model gave so far, if its end was not told of. It is left alone from here on."""
        done, self._done = self._done, None
        return joined(self._seen) if done is not None else None

    def _ended(self, error: Exception | None) -> None:
        done, self._done = self._done, None
        if done is not None:
            done(None if error is not None else Answer(joined(self._seen), "stream"), error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


class _Chunks(_Passing):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            if not hasattr(self._raw, "__next__"):
                self._raw = iter(self._raw)
            chunk = next(self._raw)
        except StopIteration:
            self._ended(None)
            raise
        except Exception as error:
            self._ended(error)
            raise
        self._seen.append(chunk)
        return chunk

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        """Nothing is open here."""


class _AsyncChunks(_Passing):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            if not hasattr(self._raw, "__anext__"):
                self._raw = aiter(self._raw)
            chunk = await anext(self._raw)
        except StopAsyncIteration:
            self._ended(None)
            raise
        except Exception as error:
            self._ended(error)
            raise
        self._seen.append(chunk)
        return chunk

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Nothing is open here."""


class _Entering:
    """A stream of events: it enters, and does not iterate."""

    def __init__(self, raw: Any, done: Done) -> None:
        self._raw, self._done = raw, done

    def finish(self) -> None:
        """It tells of its end itself."""

    def broken_off(self) -> None:
        """Pieces of it are nowhere put together."""

    def __enter__(self) -> Any:
        return _Entered(self._raw.__enter__(), self._done)

    def __exit__(self, *exc: object) -> Any:
        return self._raw.__exit__(*exc)


class _Entered:
    def __init__(self, raw: Any, done: Done) -> None:
        self._raw, self._done = raw, done

    def __iter__(self) -> Iterator[Any]:
        return iter(self._raw)

    def get_final_completion(self) -> Any:
        completion = self._raw.get_final_completion()
        self._done(Answer(completion, "events"), None)
        return completion

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


class _AsyncEntering:
    def __init__(self, raw: Any, done: Done) -> None:
        self._raw, self._done = raw, done

    def finish(self) -> None:
        """It tells of its end itself."""

    def broken_off(self) -> None:
        """Pieces of it are nowhere put together."""

    async def __aenter__(self) -> Any:
        return _AsyncEntered(await self._raw.__aenter__(), self._done)

    async def __aexit__(self, *exc: object) -> Any:
        return await self._raw.__aexit__(*exc)


class _AsyncEntered:
    def __init__(self, raw: Any, done: Done) -> None:
        self._raw, self._done = raw, done

    def __aiter__(self) -> AsyncIterator[Any]:
        return aiter(self._raw)

    async def get_final_completion(self) -> Any:
        completion = await self._raw.get_final_completion()
        self._done(Answer(completion, "events"), None)
        return completion

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


class _Events:
    """A stream of events that is made of a whole answer."""

    def __init__(self, answer: Answer) -> None:
        self._completion = answer.completion

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Nothing is open here."""

    def __iter__(self) -> Iterator[Any]:
        message: Any = self._completion.choices[0].message
        yield SimpleNamespace(type="content.delta", delta=message.content or "")
        yield SimpleNamespace(type="content.done", parsed=getattr(message, "parsed", None), content=message.content)

    def get_final_completion(self) -> Any:
        return self._completion


class _AsyncEvents:
    def __init__(self, answer: Answer) -> None:
        self._events = _Events(answer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Nothing is open here."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return _later(self._events)

    async def get_final_completion(self) -> Any:
        return self._events.get_final_completion()
