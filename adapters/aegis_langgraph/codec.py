"""Results of nodes as plain JSON, and back. Never pickle.

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
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from langchain_core.messages import BaseMessage, RemoveMessage, messages_from_dict
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.types import Command, Send
from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_langgraph.messages import message_parts, write_message
from aegis_langgraph.state import Naming
from aegis_langgraph.update import texts_of_update, written

__all__ = ["MessageIds", "ModelCodec", "NodeCodec", "NodeResult", "ValueCodec", "decode", "encode"]

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
        return _tagged("opaque", type(value).__name__)
    if isinstance(value, list) and type(value) is list:
        return [encode(item, depth + 1) for item in value]
    if type(value) is dict and all(type(key) is str for key in value) and "$" not in value:
        return {key: encode(item, depth + 1) for key, item in value.items()}
    try:
        return _special(value, depth + 1)
    except Exception:  # recorder boundary: what an odd object does when it is read is no reason to end a run
        return _tagged("opaque", type(value).__name__)


def _tagged(tag: str, value: JsonValue, **more: JsonValue) -> JsonValue:
    return {"$": tag, **more, "value": value}


def _special(value: Any, depth: int) -> JsonValue:
    if isinstance(value, BaseMessage):
        return _message(value, depth)
    if isinstance(value, Command):
        fields = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
        return _tagged("command", {name: encode(item, depth) for name, item in fields.items()})
    if isinstance(value, Send):
        return _tagged("send", {"node": value.node, "arg": encode(value.arg, depth)})
    if type(value) in _PLAIN:
        return _tagged(type(value).__name__, _PLAIN[type(value)][0](value))
    if type(value) is dict:
        return _tagged("dict", [[encode(key, depth), encode(item, depth)] for key, item in value.items()])
    if type(value) in (tuple, set, frozenset):
        items = sorted(value, key=repr) if type(value) is not tuple else value
        return _tagged(type(value).__name__, [encode(item, depth) for item in items])
    return _object(value, depth)


def _message(value: BaseMessage, depth: int) -> JsonValue:
    names = (*type(value).model_fields, *(value.model_extra or ()))
    data = {name: encode(getattr(value, name), depth) for name in names}
    return _tagged("message", data, type=value.type)


def _object(value: Any, depth: int) -> JsonValue:
    cls = type(value)
    name = f"{cls.__module__}:{cls.__qualname__}"
    if isinstance(value, enum.Enum):
        _classes[name] = cls
        return _tagged("enum", value.name, cls=name)
    if isinstance(value, BaseModel):
        names = tuple(cls.model_fields) + tuple(value.model_extra or ())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(item.name for item in dataclasses.fields(value))
    else:
        return _tagged("opaque", cls.__name__)
    _classes[name] = cls
    return _tagged("object", {item: encode(getattr(value, item), depth) for item in names}, cls=name)


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


@dataclass(frozen=True)
class NodeResult:
    """What a node returned, and in how many attempts."""

    value: Any
    attempts: int = 1


class MessageIds:
    """Ids of messages, which frameworks draw at random, as names that are the same in every run.

    A result may hold messages that were there before: in what the node got, or made earlier in the turn. On the tape
    they are named by where they stood, so that the message of *this* run is meant when the result is served.
    """

    def __init__(self) -> None:
        self._known: dict[str, BaseMessage] = {}

    def learn(self, place: str, messages: Iterable[BaseMessage]) -> None:
        """Remember messages. Their ids are read when they are needed: the framework may give them one only later."""
        for index, message in enumerate(messages):
            self._known.setdefault(f"{place}[{index}]", message)

    def written(self, data: JsonValue) -> JsonValue:
        """Encoded data with names for ids."""
        names = {message.id: name for name, message in reversed(self._known.items()) if message.id is not None}

        def name(found: JsonValue, _: int) -> JsonValue:
            if isinstance(found, str) and found in names:
                return _tagged("id", names[found])
            drawn = found is None or (isinstance(found, str) and _DRAWN.fullmatch(found))
            return _tagged("id", "new") if drawn else found

        return _with_ids(data, name, [0])

    def read(self, data: JsonValue, new_id: Callable[[str], str]) -> JsonValue:
        """Encoded data with the ids of this run; a message that is new in it gets one from `new_id`."""

        def live(found: JsonValue, position: int) -> JsonValue:
            if not isinstance(found, dict):
                return found
            known = self._known.get(str(found["value"]))
            return known.id if known is not None and known.id is not None else new_id(f"new[{position}]")

        return _with_ids(data, live, [0])


_HEX = "[0-9a-fA-F]"
_DRAWN = re.compile(rf"(?:[a-z_]+[-_]{{1,2}})?{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?:-\d+)?")
"""Ids that LangGraph, LangChain and providers draw."""


def _with_ids(data: JsonValue, change: Callable[[JsonValue, int], JsonValue], count: list[int]) -> JsonValue:
    if isinstance(data, list):
        return [_with_ids(item, change, count) for item in data]
    if not isinstance(data, dict):
        return data
    if data.get("$") == "message" and isinstance(fields := data["value"], dict):
        count[0] += 1
        return {**data, "value": {**fields, "id": change(fields.get("id"), count[0] - 1)}}
    return {key: _with_ids(item, change, count) for key, item in data.items()}


class NodeCodec:
    """Codec of the results of one node.

    Args:
        naming: names that texts may hold.
        ids: the messages that a result may refer to.
        new_id: gives an id to a message that has none.
    """

    def __init__(self, naming: Naming, ids: MessageIds, new_id: Callable[[str], str]) -> None:
        self._naming = naming
        self._ids = ids
        self._new_id = new_id

    def encode(self, result: NodeResult) -> JsonValue:
        return {"value": self._ids.written(encode(result.value)), "attempts": result.attempts}

    def decode(self, payload: JsonValue) -> NodeResult:
        if not isinstance(payload, dict) or "attempts" not in payload:
            raise ReplayError(
                "this tape was not written by the LangGraph adapter; replay it with the one that wrote it"
            )
        value = decode(self._ids.read(payload["value"], self._new_id))
        return NodeResult(value, int(str(payload["attempts"])))

    def parts(self, result: NodeResult) -> tuple[Part, ...]:
        """Texts of tool results can be altered here: this is where the environment is."""
        return tuple(
            text.part.model_copy(update={"editable": True}) if text.part.kind == "tool_result" else text.part
            for text in texts_of_update(result.value, self._naming)
        )

    def write(self, result: NodeResult, texts: Mapping[str, str]) -> NodeResult:
        return dataclasses.replace(result, value=written(result.value, texts, self._new_id))


class ModelCodec:
    """Codec of the result of a chat model."""

    def encode(self, result: ChatResult) -> JsonValue:
        return {
            "messages": [_NO_IDS.written(encode(generation.message)) for generation in result.generations],
            "info": [encode(generation.generation_info) for generation in result.generations],
            "output": encode(result.llm_output),
        }

    def decode(self, payload: JsonValue) -> ChatResult:
        data: Any = payload
        return ChatResult(
            generations=[
                ChatGeneration(message=_unnamed(message), generation_info=decode(info))
                for message, info in zip(data["messages"], data["info"], strict=True)
            ],
            llm_output=decode(data["output"]),
        )

    def parts(self, result: ChatResult) -> tuple[Part, ...]:
        return tuple(
            part
            for index, generation in enumerate(result.generations)
            for part in message_parts(f"[{index}]", generation.message, {})
        )

    def write(self, result: ChatResult, texts: Mapping[str, str]) -> ChatResult:
        generations = [
            ChatGeneration(
                message=write_message(f"[{index}]", generation.message, texts),
                generation_info=generation.generation_info,
            )
            for index, generation in enumerate(result.generations)
        ]
        return ChatResult(generations=generations, llm_output=result.llm_output)


_NO_IDS = MessageIds()


def _unnamed(data: JsonValue) -> Any:
    """A message without an id, if it had one that was drawn: LangChain gives it another."""
    return decode(_with_ids(data, lambda found, _: None if isinstance(found, dict) else found, [0]))


class ValueCodec:
    """Codec of the result of a tool."""

    def encode(self, result: Any) -> JsonValue:
        return encode(result)

    def decode(self, payload: JsonValue) -> Any:
        return decode(payload)

    def parts(self, result: Any) -> tuple[Part, ...]:
        return tuple(
            text.part.model_copy(update={"editable": True, "kind": "tool_result", "role": "tool"})
            for text in texts_of_update(result, Naming())
        )

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        return written(result, texts, str)
