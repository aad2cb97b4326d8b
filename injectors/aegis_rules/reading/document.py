"""The editable passages of a part's text: prose, and the leaves of JSON; code is left alone.

A `Document` is read from a text and written back with some passages replaced. All else stays byte for byte, and
what was valid JSON stays valid JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Document", "Passage"]

_FENCE = re.compile(
    r"^[ \t]*(?P<mark>```+|~~~+)(?P<language>[^\n`]*)\n(?P<body>.*?)(?:^[ \t]*(?P=mark)[ \t]*$|\Z)", re.M | re.S
)
_JSON_START = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}\[\],:]', re.DOTALL)
_PROSE_FENCES = frozenset({"", "text", "txt", "plaintext", "md", "markdown"})
_CODE = re.compile(r"[{}();=<>#_]|\b(?:def|import|print|return)\b")


@dataclass(frozen=True)
class Passage:
    """A stretch of a part's text that can be rewritten. `text` is what it says (escapes of JSON resolved).

    `start` and `end` are its place in the part's text. For a leaf of JSON, `key` is the name under which it stands
    and `holder` tells leaves of one list or object from those of another; both are empty for prose.
    """

    kind: Literal["prose", "string", "number"]
    text: str
    start: int
    end: int
    key: str = ""
    holder: int = 0
    listed: bool = False


class Document:
    """A part's text, cut into passages.

    Args:
        text: any text; never raises.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.passages = tuple(_passages(text))
        self.is_json = bool(self.passages) and _json_end(text, len(text) - len(text.lstrip())) == len(text.rstrip())

    def write(self, texts: Mapping[int, str | None]) -> str:
        """The text with passages (by their position in `passages`) replaced; None puts `null` for a leaf of JSON."""
        pieces, done = [], 0
        for position, passage in enumerate(self.passages):
            new = texts.get(position, passage.text)
            if position not in texts or new == passage.text:
                continue
            pieces += [self.text[done : passage.start], self._raw(passage, new)]
            done = passage.end
        return "".join([*pieces, self.text[done:]])

    def _raw(self, passage: Passage, new: str | None) -> str:
        if passage.kind == "prose":
            return new or ""
        if new is None:
            return "null"
        if passage.kind == "number":
            return new
        return json.dumps(new, ensure_ascii=self.text[passage.start : passage.end].isascii())


def _json_end(text: str, start: int) -> int | None:
    """Where the JSON object or list that begins at `start` ends, or None if there is none."""
    if text[start : start + 1] not in ("{", "["):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        structured = len(value) > 1 or any(isinstance(item, dict) for item in value)
    else:
        structured = bool(value)
    rest = text[end:].partition("\n")[0]
    return end if structured and not rest.strip() else None


def _passages(text: str) -> list[Passage]:
    found: list[Passage] = []
    done = 0
    for fence in _FENCE.finditer(text):
        found += _outside_fences(text, done, fence.start())
        body = fence["body"]
        if fence["language"].strip().lower() == "json" or _json_end(body, len(body) - len(body.lstrip())):
            found += _outside_fences(text, fence.start("body"), fence.end("body"))
        elif fence["language"].strip().lower() in _PROSE_FENCES and not _CODE.search(body) and body.count("\n") < 5:
            found += [Passage("prose", body, fence.start("body"), fence.end("body"))]
        done = fence.end()
    found += _outside_fences(text, done, len(text))
    return [passage for passage in found if passage.text.strip()]


def _outside_fences(text: str, start: int, end: int) -> list[Passage]:
    found: list[Passage] = []
    done = start
    stretch = text[:end]
    tries = 0
    for match in _JSON_START.finditer(text, start, end):
        if match.end() < done or tries > 50:
            continue
        tries += 1
        stop = _json_end(stretch, match.end())
        if stop is None:
            continue
        found += [Passage("prose", text[done : match.start()], done, match.start())]
        found += _leaves(text, match.end(), stop)
        done = stop
    return [*found, Passage("prose", text[done:end], done, end)]


def _leaves(text: str, start: int, end: int) -> list[Passage]:
    """String and number leaves of the JSON value in text[start:end], which is known to be valid."""
    found: list[Passage] = []
    holders: list[tuple[str, int, str]] = []  # bracket, where it opened, key under which it stands
    key = ""
    tokens = list(_TOKEN.finditer(text, start, end))
    for position, token in enumerate(tokens):
        mark = token[0]
        if mark in "{[":
            holders.append((mark, token.start(), key))
        elif mark in "}]":
            key = holders.pop()[2]
        elif mark not in ",:":
            if position + 1 < len(tokens) and tokens[position + 1][0] == ":":
                key = json.loads(mark)
                continue
            bracket, opened, list_key = holders[-1]
            found.append(
                Passage(
                    "string" if mark[0] == '"' else "number",
                    json.loads(mark) if mark[0] == '"' else mark,
                    *token.span(),
                    key=list_key if bracket == "[" else key,
                    holder=opened,
                    listed=bracket == "[",
                )
            )
    return found
