"""State of a graph as parts: every text in what a node gets, and edited texts written into copies of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_langgraph.texts.messages import (
    MessageReader,
    message_parts,
    plain,
    read_message,
    write_dict,
    write_message,
)

__all__ = [
    "Naming",
    "Text",
    "entries",
    "has_keys",
    "holds_message",
    "messages_in",
    "rest",
    "texts_of",
    "with_values",
    "write",
]

_MAX_DEPTH = 6
_ROOT = "state"


@dataclass(frozen=True)
class Naming:
    """Names that texts of a state may hold: agents' paths by the names that messages carry, and nodes.

    A text that is the name of a node steers the graph. It is shown, but can't be edited.
    """

    authors: Mapping[str, str] = dataclasses.field(default_factory=dict)
    nodes: Collection[str] = frozenset()

    @cached_property
    def reader(self) -> MessageReader:
        """Reads the messages of the state, and remembers them."""
        return MessageReader(self.authors)


@dataclass(frozen=True)
class Text:
    """A part, with where it stands: the top-level key of the state, and the message that holds it, if one does.

    `native` is what stands in the state, where that is not the message itself but a dict in the form of the providers.
    """

    part: Part
    key: str
    message: BaseMessage | None = None
    native: Any = None

    @property
    def origin(self) -> Any:
        """The object in the state that is the message."""
        return self.message if self.native is None else self.native

    @property
    def message_id(self) -> str | None:
        """The id by which the framework knows the message."""
        return self.message.id if self.message is not None else None


def entries(state: Any) -> Iterator[tuple[str, Any]]:
    """The top-level keys and values of a state of any schema; a state without keys is one value, `state`."""
    if isinstance(state, Mapping):
        yield from ((str(key), value) for key, value in state.items())
    elif isinstance(state, BaseModel) and not isinstance(state, BaseMessage):
        yield from ((name, getattr(state, name)) for name in type(state).model_fields)
    elif dataclasses.is_dataclass(state) and not isinstance(state, type):
        yield from ((item.name, getattr(state, item.name)) for item in dataclasses.fields(state))
    elif state is not None:
        yield _ROOT, state


def has_keys(state: Any) -> bool:
    """Whether a state consists of values by key."""
    if isinstance(state, BaseModel):
        return not isinstance(state, BaseMessage)
    return isinstance(state, Mapping) or (dataclasses.is_dataclass(state) and not isinstance(state, type))


def holds_message(value: Any) -> bool:
    """Whether there is a message in a value, be it one without text."""
    if isinstance(value, BaseMessage) or read_message(value) is not None:
        return True
    return isinstance(value, Mapping | list | tuple) and any(holds_message(child) for _, child in _children(value))


def texts_of(state: Any, naming: Naming) -> tuple[Text, ...]:
    """All texts of a state, in order. Part ids are paths (`messages[0]`, `notes[2]`, `draft`)."""
    found: list[Text] = []
    for key, value in entries(state):
        _collect(found, value, key, key, naming, 0)
    return tuple(found)


def messages_in(texts: Iterable[Text]) -> list[BaseMessage]:
    """The messages that hold these texts, each once, in order."""
    return list({id(text.message): text.message for text in texts if text.message is not None}.values())


def _collect(found: list[Text], value: Any, path: str, key: str, naming: Naming, depth: int) -> None:
    if isinstance(value, BaseMessage):
        found += [Text(part, key, value) for part in naming.reader.parts(path, value)]
    elif isinstance(value, str):
        steers = value in naming.nodes
        part = Part(id=path, text=value, editable=not steers, kind="handoff" if steers else "message")
        found.append(Text(part, key))
    elif (message := read_message(value)) is not None:
        found += [Text(part, key, message, value) for part in message_parts(path, message, naming.authors)]
    elif depth < _MAX_DEPTH:
        for name, child in _children(value):
            _collect(found, child, f"{path}{name}", key, naming, depth + 1)


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{name!r}]", child) for name, child in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{index}]", child) for index, child in enumerate(value))
    elif isinstance(value, BaseModel):
        yield from ((f".{name}", getattr(value, name)) for name in type(value).model_fields)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{item.name}", getattr(value, item.name)) for item in dataclasses.fields(value))


def rest(state: Any) -> JsonValue:
    """What a state holds beside its texts, for the hash of a request."""
    return {key: _rest(value, 0) for key, value in entries(state)}


def _rest(value: Any, depth: int) -> JsonValue:
    if isinstance(value, str | BaseMessage):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= _MAX_DEPTH:
        return plain(type(value).__name__)
    children = dict(_children(value))
    if not children and not isinstance(value, Mapping | list | tuple | BaseModel):
        return f"<{type(value).__name__}>"
    return {name: _rest(child, depth + 1) for name, child in children.items()}


def write(state: Any, texts: Mapping[str, str]) -> Any:
    """A copy of a state with these texts replaced; what is not touched is shared, not copied."""
    if not texts:
        return state
    new = {key: _write(value, key, texts, 0) for key, value in entries(state)}
    changed = {key: new[key] for key, value in entries(state) if new[key] is not value}
    return with_values(state, changed)


def with_values(state: Any, values: Mapping[str, Any]) -> Any:
    """A copy of a state with these top-level values replaced or added."""
    if not values:
        return state
    if isinstance(state, Mapping):
        return {**state, **values}
    if isinstance(state, BaseModel) and not isinstance(state, BaseMessage):
        return state.model_copy(update=dict(values))
    if dataclasses.is_dataclass(state) and not isinstance(state, type):
        return dataclasses.replace(state, **values)
    return values.get(_ROOT, state)


def _write(value: Any, path: str, texts: Mapping[str, str], depth: int) -> Any:
    if isinstance(value, BaseMessage):
        touched = any(part == path or part.startswith(f"{path}.") for part in texts)
        return write_message(path, value, texts) if touched else value
    if isinstance(value, str):
        return texts.get(path, value)
    if depth >= _MAX_DEPTH or not any(part.startswith(path) for part in texts):
        return value
    if read_message(value) is not None:
        return write_dict(path, value, texts)
    old = dict(_children(value))
    new = {name: _write(child, f"{path}{name}", texts, depth + 1) for name, child in old.items()}
    if all(new[name] is child for name, child in old.items()):
        return value
    if isinstance(value, Mapping):
        return {key: new[f"[{key!r}]"] for key in value}
    if isinstance(value, list):
        return list(new.values())
    if isinstance(value, tuple):
        return type(value)(*new.values()) if hasattr(value, "_fields") else tuple(new.values())
    fields = {name[1:]: child for name, child in new.items() if child is not old[name]}
    return value.model_copy(update=fields) if isinstance(value, BaseModel) else dataclasses.replace(value, **fields)
