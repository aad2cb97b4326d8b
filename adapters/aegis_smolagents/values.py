"""Results of tools and models as plain data, and back. Never pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from smolagents.agent_types import AgentText

from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_core.run.values import value_parts, write_value

__all__ = ["ToolCodec", "decode", "encode", "plain_text", "with_texts"]

_TAG = "$"


def encode(value: Any) -> JsonValue:
    """Plain data from which `decode` makes an equal value; what has no plain form is named by its type."""
    if isinstance(value, AgentText):
        return {_TAG: "text", "value": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, tuple | set | frozenset) and type(value) in (tuple, set, frozenset):
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return {_TAG: type(value).__name__, "value": [encode(item) for item in items]}
    if type(value) is dict and all(isinstance(key, str) for key in value) and _TAG not in value:
        return {key: encode(item) for key, item in value.items()}
    return {_TAG: "opaque", "value": type(value).__qualname__}


def decode(data: JsonValue) -> Any:
    """The value that was encoded.

    Raises:
        ReplayError: it has no plain form.
    """
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    tag, value = data.get(_TAG), data.get("value")
    if tag is None:
        return {key: decode(item) for key, item in data.items()}
    if tag == "text":
        return AgentText(str(value))
    kinds: dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset}
    if tag in kinds and isinstance(value, list):
        return kinds[str(tag)](decode(item) for item in value)
    raise ReplayError(
        f"a tool returned a {value}, which can't be kept on a tape; let it return text, numbers, lists or dicts, "
        "or don't replay runs of this system"
    )


def with_texts(value: Any, texts: Mapping[str, str], *, root: str = "value") -> Any:
    """A copy of a value with the strings at these paths replaced; texts of smolagents keep their class."""
    if isinstance(value, AgentText):
        return AgentText(texts[root]) if root in texts else value
    return write_value(value, texts, root=root)


def plain_text(value: Any) -> Any:
    """A text of smolagents as an ordinary one; any other value as it is."""
    return str(value) if isinstance(value, AgentText) else value


class ToolCodec:
    """Codec of the result of a tool."""

    def encode(self, result: Any) -> JsonValue:
        return encode(result)

    def decode(self, payload: JsonValue) -> Any:
        return decode(payload)

    def parts(self, result: Any) -> tuple[Part, ...]:
        return value_parts(plain_text(result), role="tool", kind="tool_result")

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        return with_texts(result, texts)
