"""The entry of a system: what a run is called with, and what comes out of it."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any

from camel.agents.chat_agent import AsyncStreamingChatAgentResponse, StreamingChatAgentResponse
from camel.messages import BaseMessage
from camel.responses import ChatAgentResponse
from camel.tasks import Task

from aegis_camel import _compat
from aegis_camel.held import told_in
from aegis_camel.session import Session
from aegis_camel.texts.messages import content_text
from aegis_core.trace.active import guarded

__all__ = ["Entry", "answer_text", "task_text"]


def task_text(value: Any) -> str:
    """The text of what a system was called with."""
    if isinstance(value, Task):
        return str(value.content)
    return content_text(value) if isinstance(value, str | BaseMessage) else ""


def answer_text(result: Any) -> str | None:
    """The final answer in what a system returned."""
    if isinstance(result, str | BaseMessage):
        return content_text(result) or None
    if isinstance(result, Task):
        return result.result or None
    if isinstance(result, tuple) and result and isinstance(result[0], ChatAgentResponse):
        return answer_text(result[0])  # of a RolePlaying: what the assistant said, then what the user said
    if isinstance(result, ChatAgentResponse):
        return next((text for message in reversed(result.msgs or []) if (text := answer_text(message))), None)
    if isinstance(result, StreamingChatAgentResponse):
        return _joined(list(result))
    return _joined(result) if isinstance(result, list) and result else None


def _joined(chunks: Sequence[Any]) -> str | None:
    """Pieces of a stream as the whole."""
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks) or None
    told = [chunk for chunk in chunks if isinstance(chunk, ChatAgentResponse)]
    if not told or len(told) < len(chunks):
        return answer_text(chunks[-1]) if chunks else None
    return told_in(told) or None


class _Given(list[Any]):
    """The pieces of a stream that were handed out. It is over once: at its end, when it is left, or with the run."""

    def __init__(self, left: Callable[[Any], None], failed: Callable[[BaseException], None]) -> None:
        super().__init__()
        self._left, self._failed = left, failed
        self._over = False

    def over(self, error: BaseException | None = None) -> None:
        """No more is handed out in the run."""
        over, self._over = self._over, True
        if over:
            return
        if error is None:
            self._left(list(self))
        else:
            self._failed(error)


class Entry:
    """Wraps what a system is called by: tells the run of the task and of the answer.

    Args:
        task: the text of the task in the arguments of a call.
        goes_on: whether a call goes on with what an earlier one began.
        later: what a human says in the arguments of a later call, and to whom.
    """

    def __init__(
        self,
        session: Session,
        task: Callable[..., str],
        goes_on: Callable[[], bool],
        later: Callable[..., tuple[str, tuple[str, ...]]],
    ) -> None:
        self._session = session
        self._task = task
        self._goes_on = goes_on
        self._later = later

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does what `real` does, whichever kind of function it is."""
        if inspect.isasyncgenfunction(real):
            return self._agenerator(real)
        if inspect.isgeneratorfunction(real):
            return self._generator(real)
        return self._coroutine(real) if inspect.iscoroutinefunction(real) else self._function(real)

    def _function(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def entry(*args: Any, **kwargs: Any) -> Any:
            if not self._enters(args, kwargs):
                return real(*args, **kwargs)
            try:
                with self._session.entering():
                    result = real(*args, **kwargs)
                if inspect.isawaitable(result):  # some coroutine functions of CAMEL hide behind decorators
                    return self._awaited(result)
                if not isinstance(result, StreamingChatAgentResponse):
                    self._session.check()
            except BaseException as error:
                self._failed(error)
                raise
            return self._handed_out(result)

        return entry

    def _coroutine(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        async def entry(*args: Any, **kwargs: Any) -> Any:
            if not self._enters(args, kwargs):
                return await real(*args, **kwargs)
            return await self._awaited(real(*args, **kwargs))

        return entry

    async def _awaited(self, pending: Awaitable[Any]) -> Any:
        try:
            with self._session.entering():
                result = await pending
            if not isinstance(result, AsyncStreamingChatAgentResponse):
                self._session.check()
        except BaseException as error:
            self._failed(error)
            raise
        return self._handed_out(result)

    def _generator(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def entry(*args: Any, **kwargs: Any) -> Iterator[Any]:
            if not self._enters(args, kwargs):
                yield from real(*args, **kwargs)
                return
            with self._session.entering():
                pieces = real(*args, **kwargs)
            yield from self._pieces(pieces)

        return entry

    def _agenerator(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        async def entry(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            if not self._enters(args, kwargs):
                async for piece in real(*args, **kwargs):
                    yield piece
                return
            with self._session.entering():
                pieces = real(*args, **kwargs)
            async for piece in self._apieces(pieces):
                yield piece

        return entry

    def _handed_out(self, result: Any) -> Any:
        """The result; a stream is not over yet, and tells of its end later."""
        if isinstance(result, StreamingChatAgentResponse):
            return StreamingChatAgentResponse(self._pieces(_compat.stream_pieces(result)))
        if isinstance(result, AsyncStreamingChatAgentResponse):
            return AsyncStreamingChatAgentResponse(self._apieces(_compat.stream_pieces(result)))
        self._left(result)
        return result

    def _pieces(self, pieces: Iterator[Any]) -> Generator[Any, None, None]:
        given = self._given()
        try:
            while True:
                with self._session.entering():
                    try:
                        piece = next(pieces)
                    except StopIteration:
                        break
                given.append(piece)
                yield piece
            self._session.check()
        except GeneratorExit:
            _close(pieces)
            given.over()
            raise
        except BaseException as error:
            given.over(error)
            raise
        given.over()

    async def _apieces(self, pieces: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        given, rests = self._given(), False
        try:
            while True:
                with self._session.entering():
                    try:
                        piece = await anext(pieces)
                    except StopAsyncIteration:
                        break
                given.append(piece)
                rests = True
                yield piece
                rests = False
            self._session.check()
        except (GeneratorExit, asyncio.CancelledError) as error:
            closing = getattr(pieces, "aclose", None)
            try:
                if closing is not None and rests:
                    await closing()
            finally:  # a loop that is stopped cancels those who close what was left
                given.over(None if rests else error)
            raise
        except BaseException as error:
            given.over(error)
            raise
        given.over()

    def _given(self) -> _Given:
        given = _Given(self._left, self._failed)
        self._session.closing.append(given.over)
        return given

    def _enters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        session = self._session
        if session.inside_entry or session.patches.closed:
            return False
        session.entered += 1
        if session.entered > 1:
            session.run.entered_beside()
            return True
        if session.began:
            with guarded(session.run):
                text, to = self._later(*args, **kwargs)
                if text:
                    session.run.told(text, to=to, order=session.root.place())
        session.began = True
        session.run.enter(self._task(*args, **kwargs), goes_on=self._goes_on())
        return True

    def _left(self, result: Any) -> None:
        self._session.entered -= 1
        if self._session.patches.closed:  # a stream that is read after the run
            return
        run = self._session.run
        if run.output is None:
            run.leave(answer_text(result))
        else:
            text, why = run.own_answer(result)
            run.leave(text, unanswered=why)

    def _failed(self, error: BaseException) -> None:
        self._session.entered -= 1
        if self._session.patches.closed:
            return
        self._session.noted(error)
        self._session.run.failed(error)
        self._session.run.leave(None)


def _close(pieces: Any) -> None:
    closing = getattr(pieces, "close", None)
    if closing is not None:
        closing()
