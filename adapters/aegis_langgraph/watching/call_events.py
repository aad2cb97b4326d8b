"""What only callbacks tell of calls of models and tools inside nodes: requests, answers, tokens, errors."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, Generation, LLMResult
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command
from pydantic import JsonValue

from aegis_core.adapter import Part, Turn
from aegis_core.errors import RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.trajectory import Usage
from aegis_langgraph import _compat
from aegis_langgraph.signals import surfacing
from aegis_langgraph.texts.codec import AnswerCodec
from aegis_langgraph.texts.messages import call_text, offered, plain
from aegis_langgraph.texts.values import encode
from aegis_langgraph.watching.frames import Frame
from aegis_langgraph.watching.tracker import Tracker, TurnState

__all__ = ["CallEvents", "fail_open"]

P = ParamSpec("P")


def fail_open(method: Callable[P, None]) -> Callable[P, None]:
    """Recorder boundary: trouble of the recorder is one warning, and the user's graph goes on.

    Drift and limits pass: they are how a campaign ends a run.
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
    offered: JsonValue = None
    tapped: bool = False


@dataclass
class _ToolCall:
    frame: Frame
    call: dict[str, Any]


class CallEvents(_compat.GraphCallbackHandler):
    """Handler of the events of models and tools."""

    raise_error = True
    """So that limits reach the graph; everything else is caught here."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self._models: dict[UUID, _ModelCall] = {}
        self._tools: dict[UUID, _ToolCall] = {}

    @property
    def run_inline(self) -> bool:  # type: ignore[override]  # an attribute in the base class
        """So that what starts is still to be seen on the stack; and nothing here takes long."""
        return not _compat.starts_a_completion()

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
        return not (self._models or self._tools or len(self.tracker.frames))

    # -- models -------------------------------------------------------------------------------------------------

    @fail_open
    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        invocation_params: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """A chat model is called."""
        reader = self.tracker.naming.reader
        parts = tuple(
            part
            for index, message in enumerate(messages[0] if messages else ())
            for part in reader.parts(f"[{index}]", message)
        )
        self._model_starts(run_id, parent_run_id, parts, metadata, offered(invocation_params or {}))

    @fail_open
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
        self,
        run_id: UUID,
        parent_id: UUID | None,
        parts: tuple[Part, ...],
        metadata: dict[str, Any] | None,
        options: JsonValue = None,
    ) -> None:
        frame = self.tracker.frames.get(parent_id)
        if frame is not None and frame.role != "foreign":
            name = (metadata or {}).get("ls_model_name")
            state = self.tracker.state_of(frame)
            known = name if isinstance(name, str) else None
            self._models[run_id] = _ModelCall(state, frame, parts, known, parent_id, options)

    def claim(self, parent_id: UUID | None, parts: tuple[Part, ...]) -> None:
        """A tapped model makes this call, and records it itself."""
        texts = [part.text for part in parts]
        for call in reversed(list(self._models.values())):
            if call.parent_id == parent_id and not call.tapped and [part.text for part in call.parts] == texts:
                call.tapped = True
                return

    @fail_open
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """A model has answered."""
        call = self._models.pop(run_id, None)
        if call is None or call.state is None or call.state.turn is None:
            return
        generations = [generation for batch in response.generations for generation in batch]
        messages = [item.message for item in generations if isinstance(item, ChatGeneration)]
        call.state.model = _model_name(messages, response) or call.name or call.state.model
        for message in messages:
            call.state.used(_usage(message))
        if not call.tapped:
            self._tape(call, call.state.turn, generations)

    def _tape(self, call: _ModelCall, turn: Turn, generations: Sequence[Generation]) -> None:
        """Put the call on the tape, in the form in which a tapped model does."""
        run, task = self.tracker.run, call.frame.task
        chats = [item for item in generations if isinstance(item, ChatGeneration)]
        if task.catches and chats:
            turn = dataclasses.replace(turn, order=task.order)
            answer = AnswerCodec().encode(ChatResult(generations=chats))
            run.record_call(turn, "model", call.parts, answer, extra=call.offered)
        elif task.catches or task.role in ("leaf", "within"):
            texts: JsonValue = [item.text for item in generations]
            run.record_call(turn, "model", call.parts, encode([c.message for c in chats]) if chats else texts)
        elif task.role == "model":
            task.sent += call.parts

    @fail_open
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        """A model has raised; the node that called it will say so."""
        self._models.pop(run_id, None)

    # -- tools --------------------------------------------------------------------------------------------------

    @fail_open
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
        state = self.tracker.state_of(frame) if frame.task.role == "tools" else None
        frame.call = state.places.get(str(more.get("tool_call_id"))) if state is not None else None
        if frame.parent is not None and frame.task.role in ("leaf", "within"):
            args = plain(inputs) if inputs is not None else {"input": input_str}
            self._tools[run_id] = _ToolCall(frame, {"name": name, "args": args, "id": more.get("tool_call_id")})

    @fail_open
    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """A tool has returned."""
        self.tracker.frames.end(run_id)
        if isinstance(output, Command) and _compat.goals(output):  # told as the hand-off that it leads to
            self._tools.pop(run_id, None)
            return
        text = output.text if isinstance(output, BaseMessage) else output
        self._told(run_id, text if isinstance(text, str) else str(plain(text)), None)

    @fail_open
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
        parts = [Part(id="result", text=text, kind="tool_result", call_id=call["id"], data=data)]
        if not state.was_asked(call["id"]):
            parts.insert(0, Part(id="call", text=call_text(call), kind="tool_call", call_id=call["id"], data=asked))
        for part in parts:
            recorder.part_step(state.path, part, moment=moment, order=order)
        if call["id"]:
            state.delivered.add(call["id"])


def _model_name(messages: Sequence[BaseMessage], response: LLMResult) -> str | None:
    found = [message.response_metadata.get(key) for message in messages for key in ("model_name", "model")]
    found.append((response.llm_output or {}).get("model_name"))
    return next((name for name in found if isinstance(name, str) and name), None)


def _usage(message: BaseMessage) -> Usage | None:
    told = getattr(message, "usage_metadata", None)
    if not told:
        return None
    return Usage(input_tokens=int(told.get("input_tokens", 0)), output_tokens=int(told.get("output_tokens", 0)))
