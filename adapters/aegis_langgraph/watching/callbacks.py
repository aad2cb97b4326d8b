"""Watching a graph through LangChain's callbacks, without touching it.

The handler that is current in this context is found by LangChain itself (`register_configure_hook`), so neither the
user's graph nor the user's configuration changes. What callbacks can't see: bare threads started inside a node, and
nodes whose result came from a cache.
"""

from __future__ import annotations

import warnings
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphBubbleUp, GraphInterrupt, GraphRecursionError, ParentCommand
from langgraph.types import Command

from aegis_core.errors import RecorderWarning, ReplayDrift, RunLimitReached
from aegis_langgraph import _compat
from aegis_langgraph.acting.visit import Visit
from aegis_langgraph.texts.codec import NodeCodec
from aegis_langgraph.watching.answers import Written
from aegis_langgraph.watching.call_events import CallEvents, fail_open
from aegis_langgraph.watching.frames import Frame
from aegis_langgraph.watching.humans import answers_in, starters, words_in
from aegis_langgraph.watching.tracker import Tracker

__all__ = ["Watcher", "current_watcher"]

current_watcher: ContextVar[Any] = ContextVar("aegis_langgraph_watcher", default=None)
"""The watcher of the run that is recorded in this context. Any: what LangChain's registry asks for."""
register_configure_hook(current_watcher, inheritable=True)


@dataclass(frozen=True)
class _Begun:
    """A visit that was begun, with what was asked of the node: it may change its input in place."""

    visit: Visit
    request: dict[str, Any]
    codec: NodeCodec


class Watcher(CallEvents):
    """Turns callbacks into visits of nodes, and adds what only they tell: models, tokens, tools, errors."""

    def __init__(self, tracker: Tracker, app: Any = None) -> None:
        super().__init__(tracker)
        self.app = app
        self._visits: dict[UUID, _Begun] = {}
        self._threads: set[Any] = set()
        self._ended_by: BaseException | None = None
        """What the graph ended with when it was called last."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Watcher:
        return self

    def is_idle(self) -> bool:
        """Whether nothing is held for a run that is still going on."""
        return not self._visits and super().is_idle()

    # -- graphs and nodes ---------------------------------------------------------------------------------------

    @fail_open
    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002  the form of LangChain's handlers
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """A graph, a node, or any other runnable starts."""
        graph = _compat.starting_graph()
        frame = self.tracker.frames.begin(run_id, parent_run_id, name or "", metadata, inputs, graph)
        frame.thread = (metadata or {}).get("thread_id")
        if frame.role == "foreign":
            return
        if frame.role not in ("invocation", "chain"):
            self._enter(frame)
        if self._is_wrapped(frame):
            return
        visit = Visit.of(self.tracker, frame, inputs)
        if visit is not None and (opening := visit.opening()) is not None:
            try:
                visit.opened(self.tracker.run.begin_turn(**opening))
            except (ReplayDrift, RunLimitReached):
                self.tracker.frames.end(run_id)  # the node won't start, so nothing will tell of its end
                raise
        if visit is not None:
            self._visits[run_id] = _Begun(visit, visit.request(), visit.codec())

    def _enter(self, frame: Frame) -> None:
        above = frame.parent
        if above is not None and above.task.role == "invocation" and not above.entered:
            given, begun = above.inputs, bool(self._threads)
            self._enter_invocation(above)
            if begun:
                self._hear(given, above, frame)

    def _enter_invocation(self, above: Frame) -> None:
        above.entered = True
        above.written = Written(above.inputs, self.tracker.naming)
        goes_on = above.thread is not None and above.thread in self._threads
        self._threads.add(above.thread)
        self.tracker.run.enter(words_in(above.inputs), goes_on=goes_on)
        above.inputs = None

    def _hear(self, given: Any, above: Frame, frame: Frame) -> None:
        """A human said something after the first task: tell it, before all that it leads to."""
        run, to = self.tracker.run, starters(self.tracker.layout, frame)
        for key, words in answers_in(given):
            asking = self.tracker.waiting_for(key)
            waiting = tuple(dict.fromkeys(each.path for each in asking)) or to
            run.told(words, to=waiting, visible_to=waiting, order=asking[-1].order if asking else above.order)
            self.tracker.replied(key)
        if words := words_in(given.update if isinstance(given, Command) else given):
            run.told(words, to=to, visible_to=to, order=above.order)

    def _is_wrapped(self, frame: Frame) -> bool:
        """Whether a wrapper of a rebuilt graph tells of this node."""
        return self.tracker.altering and frame.shape is not None and frame.role != "chain"

    @fail_open
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """A graph, a node, or any other runnable has returned."""
        frame = self.tracker.frames.end(run_id)
        if frame is None:
            return
        self._finish(run_id, outputs)
        self.tracker.left(frame)
        if frame.parent is not None and frame.parent.written is not None and frame.role != "chain":
            frame.parent.written.add(frame.order[-2], outputs)
        if frame.entered:
            self._ended(None)
        self._leave(frame, *self._answer(frame, outputs))

    def _answer(self, frame: Frame, outputs: Any) -> tuple[str | None, str]:
        """The final answer of the outermost graph, or why it can't be told."""
        if frame.written is None:
            return None, ""
        if self.tracker.run.output is not None:
            return self.tracker.run.own_answer(outputs)
        answer = frame.written.answer(outputs)
        told = answer is not None or self.tracker.waits()
        return answer, "" if told else frame.written.doubt(frame.name, outputs)

    def _finish(self, run_id: UUID, outputs: Any) -> None:
        begun = self._visits.pop(run_id, None)
        turn = begun.visit.turn if begun is not None else None
        if begun is None or turn is None:
            return
        run, visit = self.tracker.run, begun.visit
        result = visit.returned(outputs)
        if visit.kind is not None:
            run.call(turn, visit.kind, live=lambda _: result, codec=begun.codec, **begun.request)
        if (closing := visit.result(result)) is not None:
            visit.closed(run.end_turn(turn, **closing))

    def _leave(self, frame: Frame, answer: str | None = None, unanswered: str = "") -> None:
        if frame.role == "invocation":
            self.tracker.give_up(frame)
        if frame.entered:
            self.tracker.run.leave(answer, unanswered=unanswered)

    @fail_open
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A graph, a node, or any other runnable has raised. Hand-offs and interrupts come this way too."""
        frame = self.tracker.frames.end(run_id)
        if frame is None:
            return
        if isinstance(error, ParentCommand):
            command = error.args[0]
            frame.handed_over = frame.role == "leaf" and command.graph != _compat.PARENT
            self._finish(run_id, [command] if frame.role == "tools" else command)
            self.tracker.left(frame)
        elif isinstance(error, GraphInterrupt):
            self._interrupt(frame, error)
        elif isinstance(error, Exception) and not isinstance(error, GraphBubbleUp):
            is_node = frame.role in ("leaf", "tools", "model", "inner")
            self.tracker.failed(frame, error) if is_node else self.tracker.surfaced(error)
        elif not isinstance(error, Exception):  # a stream that was closed, a task that was cancelled
            self._broken_off(frame)
        self._visits.pop(run_id, None)
        if frame.entered and not isinstance(error, GraphBubbleUp | GeneratorExit):
            self._ended(error)
        if isinstance(error, GraphRecursionError):  # as long as the user's code can catch it, it is no end of the run
            self.tracker.run.stopped_by(error)
        self._leave(frame)

    def _ended(self, error: BaseException | None) -> None:
        """The graph ended with this; what it ended with before was caught, and the user's code went on from that."""
        run, before = self.tracker.run, self._ended_by
        if before is not None and error is None:
            run.error = None
            run.limit_reached = "" if run.limit_reached == str(before) else run.limit_reached
        self._ended_by = error
        if error is not None:
            run.failed(error)

    @fail_open
    def close(self) -> None:
        """The recording is over. Of a stream that was left early and not closed, what happened so far is told."""
        for frame in self.tracker.frames.invocations():
            self._broken_off(frame)
            self._leave(frame)

    def complain(self) -> None:
        """Say which other graphs were called in the block. Where that is all that happened, the core says so."""
        run, others = self.tracker.run, ", ".join(map(repr, self.tracker.frames.foreign))
        if others and (run.separate_calls or run.recorder.history()):
            warnings.warn(
                f"aegis: {others} was called beside {self.app.get_name()!r}, which is what is recorded; it is not in "
                "the record. Open an `aegis.record` block for it, or record a graph that holds both",
                RecorderWarning,
                stacklevel=2,
            )

    def _broken_off(self, frame: Frame) -> None:
        if frame.role != "invocation":
            return
        if not frame.entered and self.app is not None and frame.name == self.app.get_name():
            self._enter_invocation(frame)  # it was left before its first node
        self.tracker.broken_off(frame)

    def _interrupt(self, frame: Frame, error: GraphInterrupt) -> None:
        for interrupt in error.args[0] if error.args and isinstance(error.args[0], list | tuple) else ():
            self.tracker.interrupted(frame, str(getattr(interrupt, "id", "")), getattr(interrupt, "value", None))
