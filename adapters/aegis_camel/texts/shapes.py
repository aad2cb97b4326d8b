"""Texts that the framework reads as data: which pieces of them are texts, and how altered ones are put back.

What a worker of a workforce answers is JSON, `{"content": ..., "failed": ...}`: the content is what it hands on, and
the rest has to stay as it is. A plan is a list of `<task>`. Anything else that is a JSON object as a whole is data of
the user's own, in which each text is a piece.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.outputs import readable
from aegis_core.run.values import plain_data, value_parts, write_value

__all__ = ["Shape", "shape_of"]

_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_TASK = re.compile(r"<task>(.*?)</task>", re.DOTALL)
_ROOT = "json"
_STEERING = frozenset({"assignments", "recovery_strategy"})
"""Keys of answers by which a workforce goes on: there is nothing in them that could be altered and still be read."""


@dataclass(frozen=True)
class Shape:
    """A text, with where in it data stands; `data` is None for a text that is nothing but a text."""

    text: str
    start: int = 0
    end: int = 0
    data: JsonValue = None

    @property
    def is_result(self) -> bool:
        """Whether it is what a worker answers."""
        return isinstance(self.data, dict) and isinstance(self.data.get("content"), str) and "failed" in self.data

    def parts(self, place: str, **more: Any) -> tuple[Part, ...]:  # Any: fields of `Part`
        """The texts in it as parts, whose ids begin with `place`; none, if it is empty."""
        if not self.text.strip():
            return ()
        if isinstance(self.data, dict):
            return self._inside(place, self.data, more)
        tasks = tuple(_TASK.finditer(self.text))
        if tasks:
            return tuple(
                Part(id=f"{place}#{index}", text=found.group(1).strip(), **more) for index, found in enumerate(tasks)
            )
        return (Part(id=place, text=self.text, **more),)

    def _inside(self, place: str, data: dict[str, Any], more: Mapping[str, Any]) -> tuple[Part, ...]:
        if self.is_result:
            return (Part(id=f"{place}#content", text=data["content"], **more),)
        if not _STEERING.isdisjoint(data):
            return (Part(id=place, text=self.text, **{**more, "editable": False}),)
        found = value_parts(data, root=_ROOT)
        named = tuple(
            Part(id=f"{place}#{part.id}", text=part.text, **{**more, "editable": part.editable}) for part in found
        )
        return named or (Part(id=place, text=self.text, **{**more, "editable": False}),)

    def write(self, place: str, texts: Mapping[str, str]) -> str:
        """The text with these parts replaced; the very text, if they say what they said before."""
        if place in texts:
            return texts[place]
        own = {name.removeprefix(f"{place}#"): text for name, text in texts.items() if name.startswith(f"{place}#")}
        if not own:
            return self.text
        if isinstance(self.data, dict):
            return self._rewritten(self.data, own)
        return self._retold(own)

    def _rewritten(self, data: dict[str, Any], own: Mapping[str, str]) -> str:
        if self.is_result:
            new = {**data, "content": own.get("content", data["content"])}
        else:
            new = write_value(data, own, root=_ROOT)
        if new == data:
            return self.text
        indent = 2 if "\n" in self.text[self.start : self.end] else None
        return self.text[: self.start] + json.dumps(new, ensure_ascii=False, indent=indent) + self.text[self.end :]

    def _retold(self, own: Mapping[str, str]) -> str:
        text = self.text
        for index, found in reversed(list(enumerate(_TASK.finditer(self.text)))):
            new = own.get(str(index))
            if new is not None and new != found.group(1).strip():
                text = f"{text[: found.start(1)]}{new}{text[found.end(1) :]}"
        return text

    def step(self) -> tuple[str, JsonValue]:
        """What stands in the trajectory: the text that is handed on, and the data beside it."""
        if not isinstance(self.data, dict):
            tasks: list[JsonValue] = [found.group(1).strip() for found in _TASK.finditer(self.text)]
            plan: JsonValue = {"tasks": tasks}
            return (readable(plan), plan) if tasks else (self.text, None)
        if self.is_result:
            return str(self.data["content"]), {key: value for key, value in self.data.items() if key != "content"}
        plain = plain_data(self.data)
        return readable(plain), plain


def shape_of(text: str) -> Shape:
    """Look at a text."""
    stripped = text.strip()
    start = text.find(stripped) if stripped else 0
    if stripped.startswith("{"):
        return _read(text, start, start + len(stripped)) or Shape(text)
    found = _FENCED.search(text)
    if found is None:
        return Shape(text)
    shape = _read(text, found.start(1), found.end(1))
    # Data in the middle of an answer in prose is part of the prose, unless it is what a workforce looks for.
    is_whole = stripped.startswith("```") and stripped.endswith("```")
    wanted = shape is not None and (is_whole or shape.is_result or _steers(shape))
    return shape if shape is not None and wanted else Shape(text)


def _steers(shape: Shape) -> bool:
    return isinstance(shape.data, dict) and not _STEERING.isdisjoint(shape.data)


def _read(text: str, start: int, end: int) -> Shape | None:
    try:
        data = json.loads(text[start:end])
    except ValueError:
        return None
    return Shape(text, start, end, data) if isinstance(data, dict) else None
