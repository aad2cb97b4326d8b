"""What a human says to a graph: the task, and later on further messages and answers to interrupts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.types import Command

from aegis_core.run.outputs import readable
from aegis_core.run.values import plain_data
from aegis_core.trajectory import Agent
from aegis_langgraph import _compat
from aegis_langgraph.entry import task_text
from aegis_langgraph.names import Layout
from aegis_langgraph.texts.messages import as_messages
from aegis_langgraph.watching.frames import Frame

__all__ = ["USER", "answers_in", "starters", "words_in"]

USER = Agent(path="user", kind="user")


def words_in(given: Any) -> str:
    """What is new in what a graph is called with: of a history what stands behind the last words of an agent."""
    if isinstance(given, Command):
        answers = [text for _, text in answers_in(given)]
        return "\n".join(text for text in (*answers, words_in(given.update) if given.update else "") if text)
    if isinstance(given, Mapping):
        given = {key: _new_in(value) for key, value in given.items()}
    return task_text(given)


def _new_in(value: Any) -> Any:
    messages = _messages(value)
    last = max((at for at, message in enumerate(messages) if not isinstance(message, HumanMessage)), default=-1)
    return value[last + 1 :] if any(message.type == "ai" for message in messages) else value


def _messages(value: Any) -> list[BaseMessage]:
    return (as_messages(value) or []) if isinstance(value, list) else []


def answers_in(given: Any) -> Iterator[tuple[str | None, str]]:
    """The answers to interrupts, each with the id of the interrupt, if it is named."""
    answer = given.resume if isinstance(given, Command) else None
    if isinstance(answer, Mapping) and answer and all(_compat.is_interrupt_id(key) for key in answer):
        yield from ((str(key), _worded(value)) for key, value in answer.items())
    elif answer is not None:
        yield None, _worded(answer)


def _worded(answer: Any) -> str:
    if isinstance(answer, str | Mapping | Sequence):
        return readable(plain_data(answer))
    return json.dumps(plain_data(answer), ensure_ascii=False)


def starters(layout: Layout, frame: Frame) -> tuple[str, ...]:
    """The agents that a call of the graph begins with, where this is the first of its tasks."""
    root = layout.root
    if root is None or frame.shape is None:
        return (frame.path,) if frame.path else ()
    if root.acts:
        return (root.path,)
    at_once = _compat.begins(root.graph)
    names = at_once if frame.names[0] in at_once else (frame.names[0],)
    first = (shape.first for name in names if (shape := root.children.get(name)) is not None)
    return tuple(dict.fromkeys(shape.path for shape in first if shape is not None))
