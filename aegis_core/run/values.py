"""Plain Python values as parts: every string inside is a part, and can be written back.

Strings in dicts, lists, tuples, dataclasses and pydantic models are found by path (`answer.steps[2].text`);
anything else is kept as it is. Used where a framework hands over ordinary Python objects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from aegis_core.adapter import Part
from aegis_core.trajectory import StepKind

__all__ = ["value_parts", "write_value"]

_MAX_DEPTH = 6


def value_parts(
    value: Any, *, root: str = "value", role: str = "", author: str = "", kind: StepKind = "message"
) -> tuple[Part, ...]:
    """The strings inside `value`, in order, each as a part whose id is its path under `root`."""
    return tuple(
        Part(id=path, text=text, role=role, author=author, kind=kind) for path, text in _strings(value, root, 0)
    )


def _strings(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif depth < _MAX_DEPTH:
        for name, child in _children(value):
            yield from _strings(child, f"{path}{name}", depth + 1)


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
