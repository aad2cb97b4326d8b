"""The entry of a system: where a task is handed in, and what comes out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.messages import BaseChatMessage, HandoffMessage

from aegis_autogen.signals import Signals, worded
from aegis_autogen.texts.messages import task_text
from aegis_core.run import Run
from aegis_core.trace.active import guarded

__all__ = ["Entry", "answer_text"]


def answer_text(result: Any) -> str | None:
    """The final answer in what a team or agent returned: its last message that is not the task's."""
    if isinstance(result, Response):
        return result.chat_message.to_model_text() or None
    if not isinstance(result, TaskResult):
        return result if isinstance(result, str) else None
    said = [message for message in result.messages if isinstance(message, BaseChatMessage)]
    while said and said[0].source == "user":  # the task
        said = said[1:]
    return said[-1].to_model_text() if said else None


class Entry:
    """Tells the run when one object of a system is called from outside, and with what it returns.

    Args:
        several: the system is more objects than this one, which the user's own code calls one after the other.
    """

    def __init__(self, run: Run, signals: Signals, *, several: bool) -> None:
        self._run = run
        self._signals = signals
        self._several = several
        self._running = False

    def begin(self, task: Any) -> bool:
        """A task comes in; False if the call was made by another method of the same object."""
        if self._running:
            return False
        self._running = True
        with guarded(self._run):
            handed_back = task is None or (isinstance(task, HandoffMessage) or _ends_with_handoff(task))
            before = self._run.separate_calls > 0
            self._run.enter(task_text(task), goes_on=before and (self._several or handed_back))
        return True

    def end(self, result: Any) -> None:
        """The call has returned."""
        self._running = False
        with guarded(self._run):
            if self._run.output is not None:
                answer, why = self._run.own_answer(result) if result is not None else (None, "")
            else:
                answer, why = answer_text(result), ""
            self._run.leave(answer, unanswered=why)

    def failed(self, error: Exception) -> None:
        """The call has raised; raises our own exception instead, if that is what ended the run."""
        self._running = False
        if self._signals.raised is not None and self._signals.raised is not error:
            self._run.leave(None)
            raise self._signals.raised from error
        with guarded(self._run):
            origin = self._signals.origin(error)
            self._run.failed(error if origin is None else origin)
            if origin is None and (told := worded(error)) is not None:
                self._run.error = told
            self._run.leave(None)

    def left(self) -> None:
        """The call was cancelled, or its stream was left early."""
        self._running = False
        with guarded(self._run):
            self._run.leave(None)

    def whole(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`run` of an agent."""

        async def run(*args: Any, **options: Any) -> Any:
            if not self.begin(_task(args, options)):
                return await real(*args, **options)
            try:
                result = await real(*args, **options)
            except Exception as error:
                self.failed(error)
                raise
            except BaseException:
                self.left()
                raise
            self.end(result)
            return result

        return run

    def stream(self, real: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncGenerator[Any, None]]:
        """`run_stream` of a team or an agent."""

        async def run_stream(*args: Any, **options: Any) -> AsyncGenerator[Any, None]:
            stream = real(*args, **options)
            if not self.begin(_task(args, options)):
                async for item in stream:
                    yield item
                return
            result: Any = None
            try:
                async for item in stream:
                    result = item if isinstance(item, TaskResult) else result
                    yield item
            except Exception as error:
                self.failed(error)
                raise
            except BaseException:
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()
                self.left()
                raise
            self.end(result)

        return run_stream


def _task(args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    return options.get("task", args[0] if args else None)


def _ends_with_handoff(task: Any) -> bool:
    return isinstance(task, list | tuple) and bool(task) and isinstance(task[-1], HandoffMessage)
