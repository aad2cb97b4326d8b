"""From a chat to a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Literal

from pydantic import JsonValue

from aegis_core import Agent, Step, Trajectory
from aegis_core.errors import StoreError
from aegis_core.format import LabelledRun
from aegis_core.trajectory import AgentKind, Content, StepKind
from aegis_plugin_attributor.messages import Chat, Message, ToolCall

__all__ = ["CALLER", "read_run"]

CALLER = "user"
"""The agent of a user's message without a name."""
_UNNAMED = {"system": "system", "developer": "system", "user": CALLER, "assistant": "assistant"}
_OUTSIDE = {"system", CALLER, "human"}
"""Names, without case, of those who are no agents of the team, unless they speak as an assistant."""
_INSTRUCTING = {"system", "developer"}
_MEDIA: dict[str, Literal["image", "audio", "file"]] = {"image_url": "image", "input_audio": "audio", "file": "file"}


def read_run(chat: Chat, run_id: str, where: str) -> LabelledRun:
    """The run that a chat tells of, without labels.

    Raises:
        StoreError: the task is missing, or nothing says whose a tool's result is; the message begins with `where`.
    """
    reading = _Reading(where)
    first = len(list(takewhile(lambda message: message.role in _INSTRUCTING, chat.messages)))
    if first == len(chat.messages) or chat.messages[first].role != "user":
        raise StoreError(
            f"{where}, messages[{first}]: the task is missing; after the system's messages that of a user must come"
        )
    for message in chat.messages[:first]:
        reading.instruct(message)
    task = chat.messages[first]
    if task.name is None:
        reading.left_out(task, has_place_for_media=False)
        first += 1
    for number, message in enumerate(chat.messages[first:], first):
        reading.read(message, f"{where}, messages[{number}]")
    text = _text(task)
    return LabelledRun(
        Trajectory(
            run_id=run_id, task=text, agents=reading.agents(), steps=tuple(reading.steps), final_output=reading.answer
        ),
        doubts=tuple(reading.doubts),
        group=text,
        source=chat.model_extra or {},
    )


class _Reading:
    """What is known of a run after the messages so far."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.steps: list[Step] = []
        self.answer: str | None = None
        self.doubts: dict[str, None] = {}
        self._kinds: dict[str, AgentKind] = {}
        self._prompts: dict[str | None, list[str]] = {}
        self._tools: dict[str, dict[str, None]] = {}
        self._callers: dict[str, str] = {}
        self._turns: dict[str, int] = {}

    def instruct(self, message: Message) -> None:
        """Take a message before the task as the role of the agent that it names, or of all assistants."""
        self.left_out(message, has_place_for_media=False)
        self._prompts.setdefault(message.name, []).append(_text(message))

    def read(self, message: Message, where: str) -> None:
        """Add the steps of a message."""
        self.left_out(message, has_place_for_media=True)
        self.answer = None
        text, media = _text(message), _media(message)
        if message.role == "tool":
            self._result(message, text, media, where)
            return
        agent = message.name or _UNNAMED[message.role]
        calls = message.tool_calls or []
        if message.role == "assistant":
            self._kinds[agent] = "worker"
            self.answer = text if text and not calls else None
        else:
            self._kinds.setdefault(agent, "user" if agent.casefold() in _OUTSIDE else "worker")
        if text or media or not calls:
            self._step(agent, "system" if message.role in _INSTRUCTING else "message", text, media)
        for call in calls:
            self._call(agent, call)

    def agents(self) -> tuple[Agent, ...]:
        """Who speaks, in that order; then those who were only instructed."""
        shared = self._prompts.get(None, [])
        named = [name for name in self._prompts if name is not None]
        kinds = self._kinds | {name: "worker" for name in named if name not in self._kinds}
        return tuple(
            Agent(
                path=name,
                kind=kind,
                role="\n\n".join([*(shared if kind == "worker" else ()), *self._prompts.get(name, [])]),
                tools=tuple(self._tools.get(name, ())),
            )
            for name, kind in kinds.items()
        )

    def left_out(self, message: Message, *, has_place_for_media: bool) -> None:
        """Doubt what has no place in a step, or in the task or a role."""
        known = {"text", "refusal", *(_MEDIA if has_place_for_media else ())}
        for kind in (str(part.get("type")) for part in _parts(message)):
            if kind not in known:
                self.doubts[f"content: parts of type {kind!r} were left out where there is no place for them"] = None
        if message.model_extra:
            self.doubts[f"messages: fields {', '.join(sorted(message.model_extra))} were left out"] = None

    def _call(self, agent: str, call: ToolCall) -> None:
        name = call.function.name
        self._callers[call.id] = agent
        self._tools.setdefault(agent, {})[name] = None
        text, arguments = _call_text(call)
        data = Content(type="json", data={"name": name, "args": arguments})
        self._step(agent, "tool_call", text, (data,), call.id)

    def _result(self, message: Message, text: str, media: tuple[Content, ...], where: str) -> None:
        agent = message.name or self._callers.get(message.tool_call_id or "")
        if agent is None:
            raise StoreError(
                f"{where}: the tool's result has tool_call_id {message.tool_call_id!r}, but no call before it has this "
                "id; add the call, or the name of the tool"
            )
        self._kinds.setdefault(agent, "tool")
        self._step(agent, "tool_result", text, media, message.tool_call_id)

    def _step(
        self, agent: str, kind: StepKind, text: str, content: tuple[Content, ...], call_id: str | None = None
    ) -> None:
        """Add a step. A turn is what one agent does until another does something."""
        if not self.steps or self.steps[-1].agent != agent:
            self._turns[agent] = self._turns.get(agent, 0) + 1
        self.steps.append(
            Step(
                index=len(self.steps),
                agent=agent,
                kind=kind,
                text=text,
                turn=self._turns[agent],
                content=content,
                call_id=call_id,
            )
        )


def _parts(message: Message) -> list[dict[str, JsonValue]]:
    return message.content if isinstance(message.content, list) else []


def _text(message: Message) -> str:
    """All text of a message; parts, and a refusal, on lines of their own."""
    if isinstance(message.content, str):
        texts: list[JsonValue] = [message.content]
    else:
        texts = [part[key] for part in _parts(message) for key in ("text", "refusal") if part.get("type") == key]
    return "\n".join(str(text) for text in (*texts, message.refusal) if text)


def _media(message: Message) -> tuple[Content, ...]:
    return tuple(_medium(part) for part in _parts(message) if part.get("type") in _MEDIA)


def _medium(part: dict[str, JsonValue]) -> Content:
    """A reference, where the part has one; what is inlined is only said to be there."""
    kind = str(part["type"])
    image = part.get(kind)
    uri = image.get("url") if isinstance(image, dict) else None
    if isinstance(uri, str) and not uri.startswith("data:"):
        return Content(type=_MEDIA[kind], uri=uri)
    return Content(type=_MEDIA[kind], data="inlined in the source")


def _call_text(call: ToolCall) -> tuple[str, JsonValue]:
    """A call in words, `name(key=value, …)` with values as JSON, and its arguments as data.

    Arguments that are no JSON object stand as the model wrote them.
    """
    name, written = call.function.name, call.function.arguments
    try:
        arguments: JsonValue = json.loads(written)
    except (ValueError, RecursionError):
        arguments = written
    if not isinstance(arguments, dict):
        return f"{name}({written})", arguments
    return f"{name}({', '.join(_pairs(arguments))})", arguments


def _pairs(arguments: dict[str, JsonValue]) -> Iterator[str]:
    for key, value in arguments.items():
        yield f"{key}={json.dumps(value, ensure_ascii=False)}"
