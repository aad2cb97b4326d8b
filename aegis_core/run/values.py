"""Plain Python values as parts: every string inside is a part, and can be written back.

Strings in dicts, lists, tuples, dataclasses and pydantic models are found by path (`answer.steps[2].text`);
anything else is kept as it is. Used where a framework hands over ordinary Python objects.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from aegis_core.adapter import Part
from aegis_core.run.ids import ID_KEY
from aegis_core.trajectory import StepKind

__all__ = ["text_of", "value_parts", "write_value"]

_MAX_DEPTH = 6
_LABELS = frozenset({"name", "role", "tool", "type"})
"""Keys whose strings say what something is: altering them would break the value, not the text."""


def value_parts(
    value: Any, *, root: str = "value", role: str = "", author: str = "", kind: StepKind = "message"
) -> tuple[Part, ...]:
    """The strings inside `value`, in order, each as a part whose id is its path under `root`.

    A dict with `role` and `content` is a chat message: its role and name are those of the parts inside, not texts.
    Names and types elsewhere are parts that may not be edited, and ids are no parts: they differ from run to run.
    """
    outer = _Setting(role, author, editable=True)
    return tuple(
        Part(id=path, text=text, role=where.role, author=where.author, editable=where.editable, kind=kind)
        for path, text, where in _strings(value, root, 0, outer)
    )


class _Setting(NamedTuple):
    role: str
    author: str
    editable: bool


def _strings(value: Any, path: str, depth: int, where: _Setting) -> Iterator[tuple[str, str, _Setting]]:
    if isinstance(value, str):
        yield path, value, where
    elif depth < _MAX_DEPTH:
        message = isinstance(value, Mapping) and isinstance(value.get("role"), str) and "content" in value
        if message:
            name = value.get("name")
            where = where._replace(role=value["role"], author=name if isinstance(name, str) else where.author)
        for name, child in _children(value):
            key = name.strip("[].'")
            if ID_KEY.fullmatch(key) or (message and key in ("role", "name")):
                continue
            fixed = isinstance(value, Mapping) and key in _LABELS
            yield from _strings(child, f"{path}{name}", depth + 1, where._replace(editable=False) if fixed else where)


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


def text_of(value: Any) -> str | None:
    """A result as text: strings as they are, other data as JSON, None for None."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
