"""Plain Python values as parts: every string inside is a part, and can be written back.

Strings in dicts, lists, tuples, dataclasses and pydantic models are found by path (`answer.steps[2].text`);
anything else is kept as it is. Used where a framework hands over ordinary Python objects.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from typing import Any, NamedTuple

from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_core.run.ids import ID_KEY
from aegis_core.run.secrets import SECRET, is_secret
from aegis_core.trajectory import StepKind

__all__ = [
    "is_chat_message",
    "leaves",
    "plain_arguments",
    "plain_data",
    "text_of",
    "value_parts",
    "without_secrets",
    "write_value",
]

_MAX_DEPTH = 6
_LABELS = frozenset({"name", "role", "tool", "type"})
"""Keys whose strings say what something is: altering them would break the value, not the text."""


def value_parts(
    value: Any, *, root: str = "value", role: str = "", author: str = "", kind: StepKind = "message"
) -> tuple[Part, ...]:
    """The strings inside `value`, in order, each as a part whose id is its path under `root`.

    A dict with `role` and `content` is a chat message: its role and name are those of the parts inside, not texts.
    Names and types elsewhere are parts that may not be edited, and ids are no parts: they differ from run to run. What
    its name calls a key or a password is none either: it must not be recorded (`run.secrets`).
    """
    outer = _Setting(role, author, editable=True)
    return tuple(
        Part(id=path, text=leaf, role=where.role, author=where.author, editable=where.editable, kind=kind)
        for path, leaf, where in _leaves(value, root, 0, outer)
        if isinstance(leaf, str)
    )


def leaves(value: Any) -> Iterator[Any]:
    """The texts, figures and truth values in `value`, in order: all that is neither a container, nor None, nor opaque.

    What says who speaks in a chat message, and ids, are left out, as in `value_parts`.
    """
    for _, leaf, _ in _leaves(value, "", 0, _Setting("", "", editable=True)):
        if isinstance(leaf, str | Real | Decimal | Enum):
            yield leaf


class _Setting(NamedTuple):
    role: str
    author: str
    editable: bool


def _leaves(value: Any, path: str, depth: int, where: _Setting) -> Iterator[tuple[str, Any, _Setting]]:
    if isinstance(value, str) or not _is_container(value):
        yield path, value, where
    elif isinstance(value, list | tuple) and depth < _MAX_DEPTH:
        for index, child in enumerate(value):
            yield from _leaves(child, f"{path}[{index}]", depth + 1, where)
    elif depth < _MAX_DEPTH:
        message = is_chat_message(value)
        if message:
            name = value.get("name")
            where = where._replace(role=value["role"], author=name if isinstance(name, str) else where.author)
        for name, child in _children(value):
            key = name.strip("[].'")
            if ID_KEY.fullmatch(key) or (message and key in ("role", "name")) or is_secret(key, child):
                continue
            fixed = isinstance(value, Mapping) and key in _LABELS
            yield from _leaves(child, f"{path}{name}", depth + 1, where._replace(editable=False) if fixed else where)


def is_chat_message(value: Any) -> bool:
    """Whether this is a message as plain data: a dict with `role` and `content`."""
    return isinstance(value, Mapping) and isinstance(value.get("role"), str) and "content" in value


def _is_container(value: Any) -> bool:
    is_object = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return isinstance(value, Mapping | list | tuple | BaseModel) or is_object


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", child) for key, child in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{index}]", child) for index, child in enumerate(value))
    elif isinstance(value, BaseModel):
        yield from ((f".{name}", getattr(value, name)) for name in type(value).model_fields)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{item.name}", getattr(value, item.name)) for item in dataclasses.fields(value))


def write_value(value: Any, texts: Mapping[str, str], *, root: str = "value") -> Any:
    """A copy of `value` with the strings at these paths replaced; what is not touched is shared, not copied."""
    if not texts:
        return value
    return _write(value, texts, root, 0)


def _write(value: Any, texts: Mapping[str, str], path: str, depth: int) -> Any:
    if isinstance(value, str):
        return texts.get(path, value)
    if depth >= _MAX_DEPTH or not any(key.startswith(path) for key in texts):
        return value
    new = {name: _write(child, texts, f"{path}{name}", depth + 1) for name, child in _children(value)}
    if all(new[name] is child for name, child in _children(value)):
        return value
    if isinstance(value, Mapping):
        return {key: new[f"[{key!r}]"] for key in value}
    if isinstance(value, list | tuple):
        items = list(new.values())
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    fields = {name[1:]: child for name, child in new.items()}
    if isinstance(value, BaseModel):
        return value.model_copy(update=fields)
    return dataclasses.replace(value, **fields)


def plain_data(value: Any) -> JsonValue:
    """A value as JSON data, for the content of a step.

    Ids are left out, since they differ from run to run, and secrets, since they must not be recorded; what has no plain
    form, such as a client or a file, is named by its type.
    """
    return _plain(value, 0)


def without_secrets(value: JsonValue) -> JsonValue:
    """Plain data with `<secret>` in the place of what must not be recorded; itself, where there is no such thing."""
    if isinstance(value, dict):
        inner = {key: SECRET if is_secret(str(key), child) else without_secrets(child) for key, child in value.items()}
        return value if all(inner[key] is child for key, child in value.items()) else inner
    if isinstance(value, list):
        items = [without_secrets(child) for child in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def plain_arguments(arguments: Mapping[str, Any]) -> dict[str, JsonValue]:
    """What a tool is called with, as JSON data. Ids stay, since they are what it is asked for; secrets do not."""
    return {key: SECRET if is_secret(key, value) else _argument(value, 0) for key, value in arguments.items()}


def _argument(value: Any, depth: int) -> JsonValue:
    if isinstance(value, str) or not _is_container(value) or depth >= _MAX_DEPTH:
        return _plain(value, depth)
    if isinstance(value, list | tuple):
        return [_argument(item, depth + 1) for item in value]
    pairs = value.items() if isinstance(value, Mapping) else ((name[1:], child) for name, child in _children(value))
    return {str(k): SECRET if is_secret(str(k), v) else _argument(v, depth + 1) for k, v in pairs}


def _plain(value: Any, depth: int) -> JsonValue:
    if isinstance(value, Enum):
        return _plain(value.value, depth)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # of the class str itself, as JSON wants it
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal):
        return float(value) if isinstance(value, Real) and math.isfinite(value) else str(value)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    if not _is_container(value) or depth >= _MAX_DEPTH:
        return f"<{type(value).__name__}>"
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    pairs = value.items() if isinstance(value, Mapping) else ((name[1:], child) for name, child in _children(value))
    kept = ((str(key), child) for key, child in pairs)
    return {k: _plain(v, depth + 1) for k, v in kept if not (ID_KEY.fullmatch(k) or is_secret(k, v))}


def text_of(value: Any) -> str | None:
    """A result as text: strings as they are, other data as JSON, what is no data in its own words, None for None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, set | frozenset):
        return json.dumps(plain_data(value), ensure_ascii=False)
    if not isinstance(value, dict | list | tuple | bool | int | float):
        return _worded(value)
    data: Any = value
    try:
        return json.dumps(without_secrets(data), ensure_ascii=False, default=_worded)
    except (TypeError, ValueError, RecursionError):  # keys that JSON has no form for, or a circle
        return json.dumps(plain_data(value), ensure_ascii=False)


def _worded(value: Any) -> str:
    """A value in its own words; one that has none by its type, since an address differs from run to run."""
    kind: Any = type(value)
    worded = any(name in vars(base) for base in kind.__mro__ if base is not object for name in ("__str__", "__repr__"))
    return str(value) if worded else f"<{kind.__name__}>"
