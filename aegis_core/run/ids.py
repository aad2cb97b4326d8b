"""Replacing the ids that frameworks and providers draw at random.

In canonical records they become `id-1`, `id-2`, … in the order in which they are met; in a call that is served from
a tape, they become those of the run that it is served to.

Only what stands where an id stands is replaced, never anything inside a text. In plain data these are the values of
keys such as `id`, `call_id`, `tool_call_ids`, `checkpoint_ns`; there, and in the ids of parts, what has the form of
a random id is replaced wherever it occurs in the value. The id of a tool call is replaced whatever its form. What
an agent gives to a tool (`args`, `arguments`, `input`, `parameters`) is its own business and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Content, Step

__all__ = ["ID_KEY", "Ids", "derived_ids", "ids_of_this_run"]

_HEX = "[0-9a-fA-F]"
_UUID = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_PROVIDERS = "call|toolu|tooluse|chatcmpl|cmpl|msg|resp|fc|rs|gen|run|lc_run|lc|thread|step|item|req"
_RANDOM = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"id-\d+"  # derived already: a run that was served from a canonical tape
    rf"|(?:(?:{_PROVIDERS})[-_]{{1,2}}(?:tool[-_])?)?(?:{_UUID}|{_HEX}{{32}})(?:-\d+)?"
    rf"|(?:{_PROVIDERS})[-_]{{1,2}}(?=[0-9A-Za-z]*[0-9A-Z])[0-9A-Za-z]{{8,}}"
    r")(?![0-9A-Za-z])"
)
ID_KEY = re.compile(r"ids?|uuid|checkpoint_ns|.*_(?:ids?|uuid|checkpoint_ns)|.*[a-z0-9]I[dD]s?")
_CALL_KEYS = frozenset({"call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId"})
_CALL_TYPES = frozenset({"tool_call", "tool_use", "tool_call_chunk", "invalid_tool_call", "function_call"})
_ARGUMENTS = frozenset({"args", "arguments", "input", "parameters"})


class Ids:
    """Replaces ids by their names.

    Args:
        name: the name of an id; the same for the same id, and another one for another.
    """

    def __init__(self, name: Callable[[str], str]) -> None:
        self._name = name

    def call(self, value: str | None) -> str | None:
        """The name of the id of a tool call, whatever its form; None and "" stay."""
        return self._name(value) if value else value

    def inside(self, value: str) -> str:
        """The value with all that has the form of a random id replaced."""
        return _RANDOM.sub(lambda found: self._name(found.group()), value)

    def data(self, value: JsonValue) -> JsonValue:
        """Plain data with its ids replaced, as the module says."""
        return self._data(value, key="")

    def _data(self, value: JsonValue, key: str) -> JsonValue:
        if isinstance(value, dict):
            kind = value.get("type")
            is_call = "tool_call" in key or (isinstance(kind, str) and kind in _CALL_TYPES)
            return {name: self._member(name, item, is_call) for name, item in value.items()}
        if isinstance(value, list):
            return [self._data(item, key) for item in value]
        if isinstance(value, str) and ID_KEY.fullmatch(key):
            return self.inside(value)
        return value

    def _member(self, key: str, value: JsonValue, is_call: bool) -> JsonValue:
        if key in _ARGUMENTS:
            return value
        if isinstance(value, str) and (key in _CALL_KEYS or (is_call and key == "id")):
            return self.call(value)
        return self._data(value, key)

    def part(self, part: Part) -> Part:
        """A part with its ids replaced; itself, if it has none."""
        name = self.inside(part.id)
        if name == part.id and part.call_id is None and part.data is None:
            return part
        update = {"id": name, "call_id": self.call(part.call_id), "data": self.data(part.data)}
        return part.model_copy(update=update)

    def step(self, step: Step) -> Step:
        """A step with its ids replaced; itself, if it has none."""
        if not step.content and step.call_id is None:
            return step
        content = tuple(self._content(item) for item in step.content)
        return step.model_copy(update={"content": content, "call_id": self.call(step.call_id)})

    def _content(self, content: Content) -> Content:
        return content.model_copy(update={"data": self.data(content.data)}) if content.type == "json" else content

    def entry(self, entry: TapeEntry) -> TapeEntry:
        """A tape entry with its ids replaced."""
        return entry.model_copy(
            update={
                "request": tuple(self.part(part) for part in entry.request),
                "payload": self.data(entry.payload),
                "inner": tuple(self.step(step) for step in entry.inner),
            }
        )


def derived_ids() -> Ids:
    """Names ids `id-1`, `id-2`, … in the order in which they are first met."""
    names: dict[str, str] = {}
    return Ids(lambda value: names.setdefault(value, f"id-{len(names) + 1}"))


def ids_of_this_run(recorded: Iterable[Part], sent: Iterable[Part]) -> Ids | None:
    """Names the ids in a recorded request by those of the equal request that was sent now; None if they are the same.

    A result that refers to what it was asked (an answer to a tool call, a history with message ids) then refers to
    what is there in this run. Ids that the call itself drew stay.
    """
    names: dict[str, str] = {}
    for old, new in zip(recorded, sent, strict=False):
        before, after = _RANDOM.findall(old.id), _RANDOM.findall(new.id)
        if len(before) == len(after):
            names.update(zip(before, after, strict=True))
        if old.call_id and new.call_id:
            names[old.call_id] = new.call_id
    if all(old == new for old, new in names.items()):
        return None
    return Ids(lambda value: names.get(value, value))
