"""The entry of a system: where a task is handed in, and what comes out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any, Protocol

from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.messages import BaseChatMessage, HandoffMessage

from aegis_autogen.signals import Signals, worded
from aegis_autogen.taps.words import Words
from aegis_autogen.texts.messages import task_text
from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey
from aegis_core.trace.active import guarded

__all__ = ["Entry", "Listeners", "answer_text"]

_LONG = 8
"""Characters from which a text inside a task shows that the task goes on with who said it."""


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


class Listeners(Protocol):
    """Who gets what the user says to one object of a system."""

    def of(self, target: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The paths of whom it is given to (one, where it is handed over to a name), and of all who are shown it."""

    def place(self) -> OrderKey:
        """Where it stands."""


class Entry:
    """Tells the run when one object of a system is called from outside, and with what it returns.

    Args:
        listeners: who gets what is said here.
        several: the system is more objects than this one, which the user's own code calls one after the other.
    """

    def __init__(self, run: Run, signals: Signals, listeners: Listeners, words: Words, *, several: bool) -> None:
        self._run = run
        self._signals = signals
        self._listeners = listeners
        self._words = words
        self._several = several
        self._running = False

    def begin(self, task: Any) -> bool:
        """A task comes in; False if the call was made by another method of the same object."""
        if self._running:
            return False
        self._running = True
        with guarded(self._run):
            before = self._run.separate_calls > 0
            self._run.enter(task_text(task), goes_on=before and self._goes_on(task))
            for message in _messages(task):
                self._heard(message, later=before)
        return True

    def _goes_on(self, task: Any) -> bool:
        """Whether a call goes on with what an earlier one began: by a hand-off, or with what was said there."""
        if task is None or isinstance(task, HandoffMessage) or _ends_with_handoff(task):
            return True
        if not self._several:
            return False
        text = task_text(task)
        said = [words for _, words in self._run.recorder.history()]
        return text == self._run.info.task or any(_holds(text, words) for words in said)

    def _heard(self, message: Any, *, later: bool) -> None:
        """What the user says is a step, but for the first task and for what is handed on as an agent has said it."""
        text = message if isinstance(message, str) else message.to_model_text()
        known = not isinstance(message, str) and self._words.of(message) is not None
        if not later or (self._several and text == self._run.info.task):
            steps: tuple[int, ...] = ()
        elif known or (self._several and any(text == words for _, words in self._run.recorder.history())):
            return
        else:
            target = message.target if isinstance(message, HandoffMessage) else None
            to, all_of_them = self._listeners.of(target)
            steps = (self._run.told(text, to=to, visible_to=all_of_them, order=self._listeners.place()),)
        if isinstance(message, str):
            self._words.told(text, steps)
        else:
            self._words.are(message, steps, [text])

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


def _messages(task: Any) -> list[Any]:
    """What is said in a task: a text, or messages."""
    if isinstance(task, str | BaseChatMessage):
        return [task]
    return [message for message in task or () if isinstance(message, BaseChatMessage)]


def _holds(text: str, words: str) -> bool:
    return text == words or (len(words) >= _LONG and words in text)


def _ends_with_handoff(task: Any) -> bool:
    return isinstance(task, list | tuple) and bool(task) and isinstance(task[-1], HandoffMessage)
