"""Calls that give their result in pieces.

A stream passes through untouched while it is recorded. It is held back, made whole, and cut anew only if it is
served from a tape or an alteration is due, so that the pieces and the whole always agree.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from aegis_core.adapter import CallKind, Codec, Part, Turn
from aegis_core.run.contract import Run

__all__ = ["StreamCodec", "astream", "stream"]

R = TypeVar("R")
C = TypeVar("C")


class StreamCodec(Codec[R], Protocol[R, C]):
    """A codec that can also make a result of its pieces, and pieces of a result."""

    def join(self, chunks: list[C]) -> R:
        """The whole result."""

    def split(self, result: R) -> Iterable[C]:
        """Pieces which `join` makes into an equal result."""


def stream(
    run: Run,
    turn: Turn,
    kind: CallKind,
    parts: tuple[Part, ...],
    live: Callable[[dict[str, str]], Iterator[C]],
    codec: StreamCodec[R, C],
    **more: Any,  # the remaining keywords of Run.call
) -> Iterator[C]:
    """Streaming form of `Run.call`. A consumer that stops early leaves no entry on the tape."""
    if run.holds(turn):
        yield from codec.split(run.call(turn, kind, parts, lambda texts: codec.join(list(live(texts))), codec, **more))
        return
    chunks: list[C] = []
    failure: Exception | None = None
    try:
        for chunk in live({}):
            chunks.append(chunk)
            yield chunk
    except Exception as error:  # goes on tape with the call, which raises it again
        failure = error
    run.call(turn, kind, parts, lambda _: _whole(codec, chunks, failure), codec, **more)


async def astream(
    run: Run,
    turn: Turn,
    kind: CallKind,
    parts: tuple[Part, ...],
    live: Callable[[dict[str, str]], AsyncIterator[C]],
    codec: StreamCodec[R, C],
    **more: Any,  # the remaining keywords of Run.acall
) -> AsyncIterator[C]:
    """Asynchronous form of `stream`."""
    if run.holds(turn):

        async def gathered(texts: dict[str, str]) -> R:
            return codec.join([chunk async for chunk in live(texts)])

        for chunk in codec.split(await run.acall(turn, kind, parts, gathered, codec, **more)):
            yield chunk
        return
    chunks: list[C] = []
    failure: Exception | None = None
    try:
        async for chunk in live({}):
            chunks.append(chunk)
            yield chunk
    except Exception as error:  # goes on tape with the call, which raises it again
        failure = error

    async def whole(_: dict[str, str]) -> R:
        return _whole(codec, chunks, failure)

    await run.acall(turn, kind, parts, whole, codec, **more)


def _whole(codec: StreamCodec[R, C], chunks: list[C], failure: Exception | None) -> R:
    if failure is not None:
        raise failure
    return codec.join(chunks)
