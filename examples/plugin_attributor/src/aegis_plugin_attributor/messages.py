"""The JSON of a chat: `{"messages": [{"role", "content", "name"?, "tool_calls"?, "tool_call_id"?}, …], …}`."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from aegis_core.errors import StoreError

__all__ = ["Chat", "Message", "ToolCall", "chats", "looks_right", "parsed"]

_LARGEST = 1 << 26
"""Bytes above which a line, or a JSON file, is not looked at unasked."""
_SHOWN = 3


class _Json(BaseModel):
    """What has no field of its own is kept in `model_extra`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class Function(_Json):
    """The function that is called. `arguments` should be a JSON object, but is whatever the model wrote."""

    name: str = Field(pattern=r"\S")
    arguments: str


class ToolCall(_Json):
    """One call of an assistant."""

    id: str
    function: Function


class Message(_Json):
    """One message. `name` says who it is of, where several agents share a role."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[dict[str, JsonValue]] | None = None
    name: str | None = Field(default=None, pattern=r"\S")
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    refusal: str | None = None


class Chat(_Json):
    """One run."""

    messages: list[Message]


def chats(path: Path) -> Iterator[tuple[str, str, Chat]]:
    """The chats of a file, each with its place for messages (file and line) and its id, `NAME-LINE` or `NAME`.

    Raises:
        StoreError: the file can't be read, or holds something else.
    """
    try:
        with path.open("rb") as file:
            if _is_one_chat(path):
                yield str(path), path.stem, parsed(file.read(), str(path))
                return
            for number, line in enumerate(file, 1):
                if line.strip():
                    where = f"{path}, line {number}"
                    yield where, f"{path.stem}-{number}", parsed(line, where)
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror or error}; give a file of chats") from error


def parsed(raw: bytes, where: str) -> Chat:
    """The chat that bytes hold.

    Raises:
        StoreError: they hold none; the message names place and field.
    """
    try:
        return Chat.model_validate_json(raw.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        told = "; ".join(f"{_field(detail['loc'])}{detail['msg']}" for detail in details[:_SHOWN])
        more = f"; and {len(details) - _SHOWN} more" if len(details) > _SHOWN else ""
        raise StoreError(f"{where}: is no chat: {told}{more}. Correct it, or take it out of the file") from error


def looks_right(path: Path) -> bool:
    """Whether a file begins with a chat.

    Raises:
        OSError: the file can't be read.
    """
    with path.open("rb") as file:
        raw = file.read(_LARGEST) if _is_one_chat(path) else file.readline(_LARGEST)
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    messages = value.get("messages") if isinstance(value, dict) else None
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and "role" in first


def _is_one_chat(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _field(location: tuple[int | str, ...]) -> str:
    """`messages[3].role: `, nothing for the whole."""
    name = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in location).removeprefix(".")
    return f"field {name}: " if name else ""
