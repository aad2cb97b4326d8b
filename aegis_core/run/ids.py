"""Derived ids: the ids that frameworks and providers draw at random, replaced by `id-1`, `id-2`, … in order.

Only what stands where an id stands is replaced, never anything inside a text. In plain data these are the values of
keys such as `id`, `call_id`, `tool_call_ids`, `checkpoint_ns`; there, and in the ids of parts, what has the form of
a random id is replaced wherever it occurs in the value. The id of a tool call is replaced whatever its form. What
an agent gives to a tool (`args`, `arguments`, `input`, `parameters`) is its own business and is left alone.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

__all__ = ["DerivedIds"]

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
_ID_KEY = re.compile(r"ids?|uuid|checkpoint_ns|.*_(?:ids?|uuid|checkpoint_ns)|.*[a-z0-9]I[dD]s?")
_CALL_KEYS = frozenset({"call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId"})
_CALL_TYPES = frozenset({"tool_call", "tool_use", "tool_call_chunk", "invalid_tool_call", "function_call"})
_ARGUMENTS = frozenset({"args", "arguments", "input", "parameters"})


class DerivedIds:
    """Replaces ids, each always by the same name, in the order in which they are first met."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def call(self, value: str | None) -> str | None:
        """The name of a tool call's id, whatever its form; None and "" stay."""
        return self._name(value) if value else value

    def inside(self, value: str) -> str:
        """The value with all that has the form of a random id replaced."""
        return _RANDOM.sub(lambda found: self._name(found.group()), value)

    def data(self, value: JsonValue) -> JsonValue:
        """Plain data with its ids replaced, as the module says."""
        return self._data(value, key="")

    def _data(self, value: JsonValue, key: str) -> JsonValue:
        if isinstance(value, dict):
            is_call = "tool_call" in key or value.get("type") in _CALL_TYPES
            return {name: self._member(name, item, is_call) for name, item in value.items()}
        if isinstance(value, list):
            return [self._data(item, key) for item in value]
        if isinstance(value, str) and _ID_KEY.fullmatch(key):
            return self.inside(value)
        return value

    def _member(self, key: str, value: JsonValue, is_call: bool) -> JsonValue:
        if key in _ARGUMENTS:
            return value
        if isinstance(value, str) and (key in _CALL_KEYS or (is_call and key == "id")):
            return self.call(value)
        return self._data(value, key)

    def _name(self, value: str) -> str:
        return self._names.setdefault(value, f"id-{len(self._names) + 1}")
