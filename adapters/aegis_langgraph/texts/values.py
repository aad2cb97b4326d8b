"""Values as plain JSON, and back. Never pickle.

What JSON has no form for is a dict with the key `$`, which says what it is: messages, commands, sends, tuples,
dataclasses, pydantic models, enums, dates. A class is named by module and qualified name, and looked up among the
modules that are loaded already: nothing is ever imported for the sake of a tape. What has no plain form at all
(locks, open files, lambdas) is marked as opaque; a result that holds it is recorded, but can't be served.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import math
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from langchain_core.messages import BaseMessage, RemoveMessage, messages_from_dict
from langgraph.types import Command, Send
from pydantic import BaseModel, JsonValue

from aegis_core.errors import ReplayError

__all__ = ["decode", "encode", "tagged"]

_MAX_DEPTH = 40
_classes: WeakValueDictionary[str, type] = WeakValueDictionary()
"""Classes met while encoding, so that local ones can be found again in this process."""


def encode(value: Any, depth: int = 0) -> JsonValue:
    """Plain data from which `decode` makes an equal value. Never raises."""
    if value is None or isinstance(value, bool) or type(value) in (str, int):
        return value  # type: ignore[no-any-return]
    if type(value) is float and math.isfinite(value):
        return value
    if depth > _MAX_DEPTH:
        return tagged("opaque", type(value).__name__)
    if isinstance(value, list) and type(value) is list:
        return [encode(item, depth + 1) for item in value]
    if type(value) is dict and all(type(key) is str for key in value) and "$" not in value:
        return {key: encode(item, depth + 1) for key, item in value.items()}
    try:
        return _special(value, depth + 1)
    except Exception:  # recorder boundary: what an odd object does when it is read is no reason to end a run
        return tagged("opaque", type(value).__name__)


def tagged(tag: str, value: JsonValue, **more: JsonValue) -> JsonValue:
    """A value that JSON has no form for."""
    return {"$": tag, **more, "value": value}


def _special(value: Any, depth: int) -> JsonValue:
    if isinstance(value, str | int | float) and not isinstance(value, enum.Enum) and type(value) is not float:
        plain = next(cls for cls in (str, int, float) if isinstance(value, cls))
        return encode(plain(value), depth)  # of a class derived from it, such as the texts of LangChain's messages
    if isinstance(value, BaseMessage):
        return _message(value, depth)
    if isinstance(value, Command):
        fields = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
        return tagged("command", {name: encode(item, depth) for name, item in fields.items()})
    if isinstance(value, Send):
        return tagged("send", {"node": value.node, "arg": encode(value.arg, depth)})
    if type(value) in _PLAIN:
        return tagged(type(value).__name__, _PLAIN[type(value)][0](value))
    if type(value) is dict:
        return tagged("dict", [[encode(key, depth), encode(item, depth)] for key, item in value.items()])
    if type(value) in (tuple, set, frozenset):
        items = sorted(value, key=repr) if type(value) is not tuple else value
        return tagged(type(value).__name__, [encode(item, depth) for item in items])
    return _object(value, depth)


def _message(value: BaseMessage, depth: int) -> JsonValue:
    names = (*type(value).model_fields, *(value.model_extra or ()))
    data = {name: encode(getattr(value, name), depth) for name in names}
    return tagged("message", data, type=value.type)


def _object(value: Any, depth: int) -> JsonValue:
    cls = type(value)
    name = f"{cls.__module__}:{cls.__qualname__}"
    if isinstance(value, enum.Enum):
        _classes[name] = cls
        return tagged("enum", value.name, cls=name)
    if isinstance(value, BaseModel):
        names = tuple(cls.model_fields) + tuple(value.model_extra or ())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(item.name for item in dataclasses.fields(value))
    else:
        return tagged("opaque", cls.__name__)
    _classes[name] = cls
    return tagged("object", {item: encode(getattr(value, item), depth) for item in names}, cls=name)


_PLAIN: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    float: (repr, float),
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    time: (time.isoformat, time.fromisoformat),
    timedelta: (
        lambda value: f"{value.days},{value.seconds},{value.microseconds}",
        lambda text: timedelta(*map(int, text.split(","))),
    ),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
}
_BY_NAME = {cls.__name__: read for cls, (_, read) in _PLAIN.items()}


def decode(data: Any) -> Any:
    """A fresh value.

    Raises:
        ReplayError: it holds something that has no plain form, or of a class that is not loaded.
    """
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "$" not in data:
        return {key: decode(item) for key, item in data.items()}
    tag, value = data["$"], data["value"]
    if tag in _BY_NAME:
        return _BY_NAME[tag](value)
    if tag in _READERS:
        return _READERS[tag](data, value)
    raise ReplayError(
        f"a recorded result holds a {value}, which has no plain form, so it can't be served; keep such objects out of "
        "the state, or replay at call level"
    )


def _read_message(data: Mapping[str, Any], value: Any) -> BaseMessage:
    fields = {name: decode(item) for name, item in value.items()}
    if data["type"] == "remove":
        return RemoveMessage(id=fields["id"])
    return messages_from_dict([{"type": data["type"], "data": fields}])[0]


def _read_object(data: Mapping[str, Any], value: Any) -> Any:
    cls: Any = _class(data["cls"])
    fields = {name: decode(item) for name, item in value.items()}
    if issubclass(cls, BaseModel):
        return cls.model_construct(**fields)
    made = object.__new__(cls)
    for name, item in fields.items():
        object.__setattr__(made, name, item)
    return made


def _class(name: str) -> type:
    if (known := _classes.get(name)) is not None:
        return known
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    fits = isinstance(found, type) and (issubclass(found, BaseModel | enum.Enum) or dataclasses.is_dataclass(found))
    if not fits:
        raise ReplayError(f"a recorded result holds a {name}, which is not loaded; import its module, then replay")
    return found  # type: ignore[no-any-return]


_READERS: dict[str, Callable[[Mapping[str, Any], Any], Any]] = {
    "message": _read_message,
    "command": lambda _, value: Command(**{name: decode(item) for name, item in value.items()}),
    "send": lambda _, value: Send(value["node"], decode(value["arg"])),
    "dict": lambda _, value: {decode(key): decode(item) for key, item in value},
    "tuple": lambda _, value: tuple(decode(item) for item in value),
    "set": lambda _, value: {decode(item) for item in value},
    "frozenset": lambda _, value: frozenset(decode(item) for item in value),
    "enum": lambda data, value: getattr(_class(data["cls"]), value),
    "object": _read_object,
}
