"""The JSON of Who&When: one object a run, alone in a file or among the rows of a copy."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from aegis_core.errors import StoreError
from aegis_core.store.lines import mend_text
from aegis_core.store.tail import named

__all__ = ["Document", "Entry", "Item", "documents", "fault_of", "files", "looks_right"]

_SUFFIXES = {".json", ".jsonl"}
_KIND: dict[type, str] = {list: "a list", str: "a text", int: "a number", float: "a number", type(None): "null"}
_LOOKED_AT = 5
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_LARGEST = 1 << 26
"""Size in bytes above which a file is not looked at unasked; all rows of the source together have an eighth of that."""


class Item(BaseModel):
    """One message of `history`. `name` is the speaker in the algorithm-generated subset and absent in the other."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    content: str
    role: str = Field(pattern=r"\S")
    name: str | None = None

    @property
    def speaker(self) -> str:
        """The name, "" where there is none: copies write null or an empty text for a column that a row lacks."""
        return (self.name or "").strip()


class Entry(BaseModel):
    """One run. What has no field of its own here is kept in `model_extra`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    question: str
    history: tuple[Item, ...] = Field(min_length=1, strict=False)
    question_ID: str | None = None  # noqa: N815  the source's own spelling
    mistake_agent: str | None = None
    mistake_step: JsonValue = None
    system_prompt: dict[str, str] | None = None


@dataclass(frozen=True)
class Document:
    """A run as it stands in its file."""

    entry: Entry
    where: str
    """File and place, for messages."""
    name: str
    """What the file calls it: the stem of the file, with the position of the row (from 0) where it holds several."""
    is_mended: bool
    """Whether texts held what no text may hold, halves of surrogate pairs, which were replaced."""


def files(path: Path) -> list[Path]:
    """The files of a folder and all folders below, in the order of their numbers; a file is itself.

    Raises:
        StoreError: the folder holds no JSON.
    """
    if not path.is_dir():
        return [path]
    found = [
        one
        for one in path.rglob("*")
        if one.suffix.lower() in _SUFFIXES
        and one.is_file()
        and not any(part.startswith(".") for part in one.relative_to(path).parts)
    ]
    if not found:
        raise StoreError(f"{path} holds no .json or .jsonl file; give the folder with the runs of Who&When")
    return sorted(found, key=lambda one: _by_number(one.relative_to(path)))


def _by_number(path: Path) -> list[tuple[int, int, str]]:
    """Key by which `10.json` stands after `2.json`."""
    pieces = re.split(r"([0-9]+)", path.as_posix())
    return [(1, int(piece), "") if piece.isdecimal() else (0, 0, piece) for piece in pieces]


def documents(path: Path) -> Iterator[Document]:
    """The runs of one file: an object, a list of objects, or in a `.jsonl` an object a line.

    Raises:
        StoreError: the file can't be read, or holds something else; the message names file, place and field.
    """
    text = _text(path)
    # Text that is UTF-8 holds halves of surrogate pairs only where they are written as escapes.
    may_hold_halves = _ESCAPED_HALF.search(text) is not None
    rows = list(_rows(path, text))
    for position, (where, value) in enumerate(rows):
        mended = mend_text(value) if may_hold_halves else value
        name = path.stem if len(rows) == 1 else f"{path.stem}-{position}"
        yield Document(_entry(mended, where), where, name, is_mended=may_hold_halves and mended != value)


def _rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:  # Any: whatever the JSON holds
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"{path}, line {number}", _parsed(line, f"{path}, line {number}")
        return
    value = _parsed(text, str(path))
    if not isinstance(value, list):
        yield str(path), value
        return
    for position, row in enumerate(value):
        yield f"{path}, row {position}", row


def _text(path: Path) -> str:
    with named(path, "read"):
        raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}: byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        ) from error


def _parsed(text: str, where: str) -> Any:  # Any: whatever the JSON holds
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{where}: is not JSON ({error}); restore the file from its source") from error


def _entry(value: object, where: str) -> Entry:
    if not isinstance(value, dict):
        raise StoreError(
            f"{where}: is no run of Who&When but {_KIND.get(type(value), 'another kind of JSON')}; a run is a JSON "
            "object with question and history. Take it out of the folder"
        )
    try:
        return Entry.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        told = "; ".join(f"field {_place(detail['loc'])}: {detail['msg']}" for detail in details[:3])
        more = f"; and {len(details) - 3} more" if len(details) > 3 else ""
        raise StoreError(
            f"{where}: is no run of Who&When: {told}{more}. Correct the field, or take the file out of the folder"
        ) from error


def _place(location: tuple[int | str, ...]) -> str:
    """`history[3].content`."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in location).removeprefix(".")


def _is_document(value: object) -> bool:
    """Whether JSON looks like a run of Who&When: question, history of messages, and an id or a label."""
    if not (isinstance(value, dict) and isinstance(value.get("question"), str)):
        return False
    history = value.get("history")
    first = history[0] if isinstance(history, list) and history else None
    is_message = isinstance(first, dict) and {"content", "role"} <= set(first)
    return is_message and not {"question_ID", "mistake_agent"}.isdisjoint(value)


def looks_right(path: Path) -> bool:
    """Whether a file begins with a run of Who&When, or one of the first few in a folder and in the folders in it."""
    if path.is_dir():
        inside = (one for pattern in ("*", "*/*") for one in sorted(path.glob(pattern)))
        fitting = (one for one in inside if one.suffix.lower() in _SUFFIXES and one.is_file())
        return any(looks_right(one) for one in itertools.islice(fitting, _LOOKED_AT))
    if path.suffix.lower() not in _SUFFIXES or path.stat().st_size > _LARGEST:
        return False
    try:
        return any(_is_document(value) for _, value in itertools.islice(_rows(path, _text(path)), 1))
    except StoreError:
        return False


def fault_of(path: Path) -> str:
    """What is wrong with the first JSON file at a path that looks like no format; "" if it is whole, and of another.

    Raises:
        StoreError: the file can't be read.
    """
    try:
        first = files(path)[0]
    except StoreError:  # a folder without JSON
        return ""
    if first.suffix.lower() not in _SUFFIXES or first.stat().st_size > _LARGEST:
        return ""
    try:
        rows = [value for _, value in itertools.islice(_rows(first, _text(first)), 1)]
        if not rows:
            return f"{first}: holds no run; restore the file from its source"
        if isinstance(rows[0], dict) and "history" in rows[0]:
            _entry(rows[0], str(first))
    except StoreError as error:
        return str(error)
    return ""
