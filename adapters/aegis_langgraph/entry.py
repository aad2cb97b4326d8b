"""How a graph is started on the text of a task, and where its answer is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pydantic import BaseModel

from aegis_core.errors import AdapterError
from aegis_langgraph import _compat
from aegis_langgraph.texts.messages import message_text, plain, read_message
from aegis_langgraph.texts.state import Naming, entries, has_keys, texts_of

__all__ = ["answer_text", "graph_input", "is_empty", "keyed", "task_text", "value_text"]

_TASK_KEYS = ("task", "question", "input", "query", "problem", "prompt", "request", "topic")
_ANSWER_KEYS = ("answer", "final_answer", "final", "final_output", "output", "result", "report", "response")
_STRUCTURED = "structured_response"


def graph_input(app: Any, task: str) -> Any:
    """What a graph is invoked with, made of the text of a task by the graph's schema.

    Raises:
        AdapterError: the schema does not say where the task belongs.
    """
    if not _compat.is_graph(app):
        return task
    fields = _compat.input_fields(app)
    kinds = _compat.state_fields(app)
    for name in fields:
        if kinds.get(name) == "messages":
            return {name: [HumanMessage(task)]}
    texts = [name for name, hint in fields.items() if _compat.is_text(hint)]
    named = [name for name in texts if name in _TASK_KEYS]
    for candidates in (texts, named):
        if len(candidates) == 1:
            return {candidates[0]: task}
    raise AdapterError(
        f"where does the task belong in the input of graph {app.name!r}? It has neither messages nor a single text "
        f"among {sorted(fields)}; let your factory return System(app, start=lambda app, task: app.invoke(...), "
        "output=...)"
    )


def task_text(value: Any) -> str:
    """The text of the task in what a graph was invoked with: its texts, one a line."""
    if isinstance(value, Mapping):
        value = {key: _messages(item) for key, item in value.items()}
    return "\n".join(text.part.text for text in texts_of(value, Naming()) if text.part.text)


def _messages(value: Any) -> Any:
    """Messages given as pairs, `("user", "…")`, without the name of the speaker."""
    if isinstance(value, list):
        return [_messages(item) for item in value]
    is_pair = isinstance(value, tuple) and len(value) == 2 and all(isinstance(item, str) for item in value)
    if is_pair:
        return value[1]
    if isinstance(value, Mapping) and "role" in value and "content" in value:
        return value["content"]
    return value


def answer_text(result: Any) -> str | None:
    """The final answer in what a graph returned: the last words of a model, or the value of an obvious key."""
    if isinstance(result, str):
        return result or None
    if isinstance(result, BaseMessage):
        return message_text(result) or None
    if isinstance(result, list):
        return _last_words(result) or (json.dumps(plain(result), ensure_ascii=False) if result else None)
    values = keyed(result) or {}
    for value in values.values():
        if isinstance(value, list) and (text := _last_words(value)) is not None:
            return text
    for key in (*_ANSWER_KEYS, _STRUCTURED):
        if not is_empty(value := values.get(key)):
            return value_text(value)
    for value in values.values():  # of a tool whose result is the answer (`return_direct`)
        if isinstance(value, list) and value and isinstance(value[-1], ToolMessage):
            return message_text(value[-1]) or None
    made = {key: value for key, value in values.items() if key not in _TASK_KEYS}
    texts = [text for text in texts_of(made, Naming()) if text.message is None and text.part.text]
    stands = made[texts[0].key] if len(texts) == 1 else None
    return texts[0].part.text if isinstance(stands, str | list) and texts[0].part.text in stands else None


def is_empty(value: Any) -> bool:
    """Whether a value is no answer: None, or a text, list or dict without anything in it."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def value_text(value: Any) -> str:
    """A value as the text of an answer: JSON, if it is no text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_fields)


def _fields(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    is_object = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return dataclasses.asdict(value) if is_object else f"<{type(value).__name__}>"


def keyed(result: Any) -> dict[str, Any] | None:
    """The values of a state by key; None for what has no keys."""
    return dict(entries(result)) if has_keys(result) else None


def _last_words(messages: list[Any]) -> str | None:
    read = (item if isinstance(item, BaseMessage) else read_message(item) for item in reversed(messages))
    spoken = (message for message in read if isinstance(message, AIMessage))
    return next((text for message in spoken if (text := message_text(message))), None)
