"""Watching a graph through LangChain's callbacks, without touching it.

The handler that is current in this context is found by LangChain itself (`register_configure_hook`), so neither the
user's graph nor the user's configuration changes. What callbacks can't see: bare threads started inside a node, and
nodes whose result came from a cache.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand

from aegis_core.adapter import Part
from aegis_core.errors import RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.trajectory import Usage
from aegis_langgraph._compat import GraphCallbackHandler
from aegis_langgraph.codec import encode
from aegis_langgraph.entry import answer_text, task_text
from aegis_langgraph.frames import Frame
from aegis_langgraph.messages import call_text, message_parts, plain
from aegis_langgraph.signals import surfacing
from aegis_langgraph.turns import Tracker, TurnState, Visit

__all__ = ["Watcher", "current_watcher"]

P = ParamSpec("P")

current_watcher: ContextVar[Any] = ContextVar("aegis_langgraph_watcher", default=None)
"""The watcher of the run that is recorded in this context. Any: what LangChain's registry asks for."""
register_configure_hook(current_watcher, inheritable=True)


def _fail_open(method: Callable[P, None]) -> Callable[P, None]:
    """Recorder boundary: trouble of the recorder is one warning, and the user's graph goes on. Drift and limits pass:
    they are how a campaign ends a run.
    """

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        watcher: Any = args[0]
        try:
            with surfacing():
                method(*args, **kwargs)
        except (ReplayDrift, RunLimitReached):
            raise
        except Exception as error:  # recorder boundary, see above
            watcher.in_trouble(error)

    return guarded


@dataclass
class _ModelCall:
    state: TurnState | None
    frame: Frame
    parts: tuple[Part, ...]
    name: str | None
    parent_id: UUID | None
    tapped: bool = False


@dataclass
class _ToolCall:
    frame: Frame
    call: dict[str, Any]


class Watcher(GraphCallbackHandler):
    """Turns callbacks into visits of nodes, and adds what only they tell: models, tokens, tools, errors."""

    raise_error = True
    """So that limits reach the graph; everything else is caught here."""

    def __init__(self, tracker: Tracker, app: Any = None) -> None:
        self.tracker = tracker
        self.app = app
        self._visits: dict[UUID, Visit] = {}
        self._models: dict[UUID, _ModelCall] = {}
        self._tools: dict[UUID, _ToolCall] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Watcher:
        return self

    def in_trouble(self, error: Exception) -> None:
        """Recording failed somewhere: say so once."""
        run = self.tracker.run
        if not run.trouble:
            warnings.warn(
                f"aegis: recording a LangGraph run failed ({type(error).__name__}: {error}); the run itself is not "
                "affected, but its trajectory has a gap",
                RecorderWarning,
                stacklevel=2,
            )
            run.trouble = f"recording failed: {type(error).__name__}: {error}"

    def is_idle(self) -> bool:
        """Whether nothing is held for a run that is still going on."""
        return not (self._visits or self._models or self._tools or len(self.tracker.frames))

    # -- graphs and nodes ---------------------------------------------------------------------------------------

    @_fail_open
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
        frame = self.tracker.frames.begin(run_id, parent_run_id, name or "", metadata, inputs)
        if frame.role not in ("invocation", "chain"):
            self._enter(frame)
        if self._is_wrapped(frame):
            return
        visit = self.tracker.visit(frame, inputs)
        if visit is not None and (opening := visit.opening()) is not None:
            try:
                visit.opened(self.tracker.run.begin_turn(**opening))
            except (ReplayDrift, RunLimitReached):
                self.tracker.frames.end(run_id)  # the node won't start, so nothing will tell of its end
                raise
        if visit is not None:
            self._visits[run_id] = visit

    def _enter(self, frame: Frame) -> None:
        above = frame.parent
        if above is not None and above.role == "invocation" and not above.entered:
            above.entered = True
            self.tracker.run.enter(task_text(above.inputs))
            above.inputs = None

    def _is_wrapped(self, frame: Frame) -> bool:
        """Whether a wrapper of a rebuilt graph tells of this node."""
        return self.tracker.altering and frame.shape is not None and frame.role != "chain"

    @_fail_open
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """A graph, a node, or any other runnable has returned."""
        frame = self.tracker.frames.end(run_id)
        if frame is None:
            return
        self._finish(run_id, outputs)
        if frame.role == "invocation":
            self._leave(frame, answer_text(outputs))
        else:
            self.tracker.left(frame)

    def _finish(self, run_id: UUID, outputs: Any) -> None:
        visit = self._visits.pop(run_id, None)
        if visit is None or visit.turn is None:
            return
        run = self.tracker.run
        result = visit.returned(outputs)
        if visit.kind is not None:
            run.call(visit.turn, visit.kind, live=lambda _: result, codec=visit.codec(), **visit.request())
        if (closing := visit.result(result)) is not None:
            run.end_turn(visit.turn, **closing)

    def _leave(self, frame: Frame, answer: str | None) -> None:
        self.tracker.left(frame)
        self.tracker.give_up(frame)
        if frame.entered:
            self.tracker.run.leave(answer)

    @_fail_open
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A graph, a node, or any other runnable has raised. Hand-offs and interrupts come this way too."""
        frame = self.tracker.frames.end(run_id)
        if frame is None:
            return
        if isinstance(error, ParentCommand):
            command = error.args[0]
            self._finish(run_id, [command] if frame.role == "tools" else command)
            self.tracker.left(frame)
        elif isinstance(error, GraphInterrupt):
            self._interrupt(frame, error)
        elif isinstance(error, Exception) and not isinstance(error, GraphBubbleUp):
            is_node = frame.role in ("leaf", "tools", "model", "inner")
            self.tracker.failed(frame, error) if is_node else self.tracker.surfaced(error)
        self._visits.pop(run_id, None)
        if frame.role == "invocation":
            self._leave(frame, None)

    def _interrupt(self, frame: Frame, error: GraphInterrupt) -> None:
        for interrupt in error.args[0] if error.args and isinstance(error.args[0], list | tuple) else ():
            self.tracker.interrupted(frame, str(getattr(interrupt, "id", "")), getattr(interrupt, "value", None))

    # -- models -------------------------------------------------------------------------------------------------

    @_fail_open
    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """A chat model is called."""
        authors = self.tracker.naming.authors
        parts = tuple(
            part
            for index, message in enumerate(messages[0] if messages else ())
            for part in message_parts(f"[{index}]", message, authors)
        )
        self._model_starts(run_id, parent_run_id, parts, metadata)

    @_fail_open
    def on_llm_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """A model of plain text is called."""
        parts = tuple(Part(id=f"[{index}]", text=prompt, role="user") for index, prompt in enumerate(prompts))
        self._model_starts(run_id, parent_run_id, parts, metadata)

    def _model_starts(
        self, run_id: UUID, parent_id: UUID | None, parts: tuple[Part, ...], metadata: dict[str, Any] | None
    ) -> None:
        frame = self.tracker.frames.get(parent_id)
        if frame is not None:
            name = (metadata or {}).get("ls_model_name")
            state = self.tracker.state_of(frame)
            self._models[run_id] = _ModelCall(state, frame, parts, name if isinstance(name, str) else None, parent_id)

    def claim(self, parent_id: UUID | None, parts: tuple[Part, ...]) -> None:
        """A tapped model makes this call, and records it itself."""
        texts = [part.text for part in parts]
        for call in reversed(list(self._models.values())):
            if call.parent_id == parent_id and not call.tapped and [part.text for part in call.parts] == texts:
                call.tapped = True
                return

    @_fail_open
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """A model has answered."""
        call = self._models.pop(run_id, None)
        if call is None or call.state is None or call.state.turn is None:
            return
        generations = [generation for batch in response.generations for generation in batch]
        messages = [item.message for item in generations if isinstance(item, ChatGeneration)]
        call.state.model = _model_name(messages, response) or call.name or call.state.model
        call.state.usage = _sum(call.state.usage, messages)
        if not call.tapped and call.frame.task.role in ("leaf", "within"):
            payload = encode(list(messages)) if messages else [item.text for item in generations]
            self.tracker.run.record_call(call.state.turn, "model", call.parts, payload)

    @_fail_open
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        """A model has raised; the node that called it will say so."""
        self._models.pop(run_id, None)

    # -- tools --------------------------------------------------------------------------------------------------

    @_fail_open
    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """A tool is called."""
        name = str((serialized or {}).get("name") or more.get("name") or "tool")
        frame = self.tracker.frames.begin(run_id, parent_run_id, name, metadata, None)
        if frame.parent is not None and frame.task.role in ("leaf", "within"):
            args = plain(inputs) if inputs is not None else {"input": input_str}
            self._tools[run_id] = _ToolCall(frame, {"name": name, "args": args, "id": more.get("tool_call_id")})

    @_fail_open
    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """A tool has returned."""
        self.tracker.frames.end(run_id)
        text = output.text if isinstance(output, BaseMessage) else output
        self._told(run_id, text if isinstance(text, str) else str(plain(text)), None)

    @_fail_open
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A tool has raised. If the node does not handle it, the node will say so as well."""
        self.tracker.frames.end(run_id)
        if isinstance(error, Exception) and not isinstance(error, GraphBubbleUp):
            self._told(run_id, f"{type(error).__name__}: {error}", {"status": "error"})
        self._tools.pop(run_id, None)

    def _told(self, run_id: UUID, text: str, data: Any) -> None:
        tool = self._tools.pop(run_id, None)
        state = self.tracker.state_of(tool.frame) if tool is not None else None
        if tool is None or state is None or state.turn is None:
            return
        call, order = tool.call, tool.frame.order
        asked = {"name": call["name"], "args": call["args"]}
        recorder, moment = self.tracker.run.recorder, state.turn.moment
        for part in (
            Part(id="call", text=call_text(call), kind="tool_call", call_id=call["id"], data=asked),
            Part(id="result", text=text, kind="tool_result", call_id=call["id"], data=data),
        ):
            recorder.part_step(state.path, part, moment=moment, order=order)
        if call["id"]:
            state.delivered.add(call["id"])


def _model_name(messages: Sequence[BaseMessage], response: LLMResult) -> str | None:
    found = [message.response_metadata.get(key) for message in messages for key in ("model_name", "model")]
    found.append((response.llm_output or {}).get("model_name"))
    return next((name for name in found if isinstance(name, str) and name), None)


def _sum(usage: Usage | None, messages: Sequence[BaseMessage]) -> Usage | None:
    for message in messages:
        used = getattr(message, "usage_metadata", None)
        if used:
            usage = Usage(
                input_tokens=(usage.input_tokens if usage else 0) + int(used.get("input_tokens", 0)),
                output_tokens=(usage.output_tokens if usage else 0) + int(used.get("output_tokens", 0)),
            )
    return usage
