"""What a node returns: a dict, a `Command`, a list of commands, messages, or a state object, read and written alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.types import Command

from aegis_langgraph import _compat
from aegis_langgraph.texts.messages import as_messages
from aegis_langgraph.texts.state import Naming, Text, entries, texts_of, with_values, write

__all__ = ["Route", "coerced", "goals_of", "redirected", "route_of", "texts_of_update", "updates_of", "written"]


@dataclass(frozen=True)
class Route:
    """The one node to which a result hands control; `parent` if it is a node of the enclosing graph."""

    node: str
    parent: bool


def updates_of(result: Any) -> Iterator[tuple[str, Any]]:
    """The updates in a result, each with what the ids of its parts begin with."""
    if _is_many(result):
        for index, item in enumerate(result):
            yield f"{index}:", _update(item)
    else:
        yield "", _update(result)


def _is_many(result: Any) -> bool:
    return isinstance(result, list | tuple) and any(isinstance(item, Command) for item in result)


def _update(item: Any) -> Any:
    update: Any = item.update if isinstance(item, Command) else item
    pairs = isinstance(update, list | tuple) and bool(update) and all(_is_pair(pair) for pair in update)
    if isinstance(item, Command) and pairs:
        return dict(update)
    return update


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def coerced(result: Any, keys: Collection[str]) -> Any:
    """A result in which what is written to these keys are messages, as LangGraph will make them of pairs and dicts."""

    def edit(_: str, update: Any) -> Any:
        if isinstance(update, str | list | BaseMessage):
            return update
        changed = {key: _messages(value) for key, value in entries(update) if key in keys and value is not None}
        return with_values(update, {key: new for key, new in changed.items() if new is not None})

    return _mapped(result, edit)


def _messages(value: Any) -> list[BaseMessage] | None:
    """The value as messages; None if that is what it is already, or if it has no such form."""
    values = value if isinstance(value, list) else [value]
    if all(isinstance(item, BaseMessage) for item in values):
        return None
    return as_messages(values)  # of what has no such form LangGraph itself will say what is wrong


def texts_of_update(result: Any, naming: Naming) -> tuple[Text, ...]:
    """All texts that a result writes into the state, in order."""
    return tuple(text for prefix, update in updates_of(result) for text in _prefixed(texts_of(update, naming), prefix))


def _prefixed(texts: tuple[Text, ...], prefix: str) -> Iterable[Text]:
    if not prefix:
        return texts
    return (
        dataclasses.replace(text, part=text.part.model_copy(update={"id": f"{prefix}{text.part.id}"})) for text in texts
    )


def written(result: Any, texts: Mapping[str, str], new_id: Callable[[str], str]) -> Any:
    """A copy of a result with these texts replaced. An altered message without an id gets one from `new_id`, so
    that it can be told from others later.
    """

    def edit(prefix: str, update: Any) -> Any:
        own = {part[len(prefix) :]: text for part, text in texts.items() if part.startswith(prefix)}
        return _with_ids(write(update, own), own, new_id)

    return _mapped(result, edit)


def _with_ids(update: Any, texts: Mapping[str, str], new_id: Callable[[str], str]) -> Any:
    changed: dict[str, Any] = {}
    for key, value in entries(update):
        if isinstance(value, BaseMessage):
            changed[key] = _with_id(value, key, texts, new_id)
        elif isinstance(value, list) and any(isinstance(item, BaseMessage) for item in value):
            changed[key] = [
                _with_id(item, f"{key}[{index}]", texts, new_id) if isinstance(item, BaseMessage) else item
                for index, item in enumerate(value)
            ]
    return with_values(update, changed)


def _with_id(message: BaseMessage, path: str, texts: Mapping[str, str], new_id: Callable[[str], str]) -> BaseMessage:
    touched = any(part == path or part.startswith(f"{path}.") for part in texts)
    return message.model_copy(update={"id": new_id(path)}) if touched and message.id is None else message


def _mapped(result: Any, edit: Callable[[str, Any], Any]) -> Any:
    if _is_many(result):
        return [_mapped_item(f"{index}:", item, edit) for index, item in enumerate(result)]
    return _mapped_item("", result, edit)


def _mapped_item(prefix: str, item: Any, edit: Callable[[str, Any], Any]) -> Any:
    if not isinstance(item, Command):
        return edit(prefix, item)
    old = _update(item)
    new = edit(prefix, old)
    return item if new is old else dataclasses.replace(item, update=new)


def route_of(result: Any) -> Route | None:
    """Where a result hands control to; None if it does not, or to several nodes, or ends the run."""
    singly = [_compat.destination(command) for command in _commands(result)]
    routes = goals_of(result)
    return routes[0] if len(routes) == 1 and sum(node is not None for node in singly) == 1 else None


def goals_of(result: Any) -> tuple[Route, ...]:
    """All nodes that a result hands control to."""
    return tuple(
        Route(node, parent=command.graph == _compat.PARENT)
        for command in _commands(result)
        for node in _compat.goals(command)
        if not node.startswith("__")
    )


def _commands(result: Any) -> list[Command[Any]]:
    return [item for item in (result if _is_many(result) else [result]) if isinstance(item, Command)]


def redirected(result: Any, node: str) -> Any:
    """A copy of a result that hands control to another node."""

    def turn(item: Any) -> Any:
        if isinstance(item, Command) and _compat.destination(item) is not None:
            return _compat.directed(item, node)
        return item

    return [turn(item) for item in result] if _is_many(result) else turn(result)
