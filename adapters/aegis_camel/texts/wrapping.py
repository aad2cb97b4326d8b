"""Texts that are made of others: what agents said, in words of the user's code or of the framework around it.

CAMEL hands a message on as one text, whoever wrote which piece of it. Taken apart, each piece is a part of its own, so
that it is known who wrote it, and an edit stays in it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from typing import Any

from aegis_core.adapter import Part

__all__ = ["Wrapping"]

_SHORTEST = 8
"""Characters; a shorter text that is found in another one may be there by chance, unless it has lines of its own."""
_RECENT = 256
"""How many of the last texts are looked for, so that the cost of a message is bounded."""
_Span = tuple[int, int]


class Wrapping:
    """What was said in a run, and which texts are made of it."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self._spans: dict[str, tuple[_Span, ...]] = {}
        self._lock = threading.Lock()

    def learn(self, text: str) -> None:
        """Somebody said this, so it may be a piece of what is handed on."""
        text = text.strip()
        if not text:
            return
        with self._lock:
            self._said.pop(text, None)
            self._said[text] = None
            if len(self._said) > _RECENT:
                del self._said[next(iter(self._said))]

    def knows(self, text: str) -> bool:
        """Whether somebody said this, or it is made of what somebody said."""
        return text.strip() in self._said or len(self._pieces(text)) > 1

    def parts(self, place: str, text: str, **more: Any) -> tuple[Part, ...]:  # Any: fields of `Part`
        """The pieces of a text; the text itself, under the plain `place`, if there is one alone."""
        spans = self._pieces(text)
        if len(spans) < 2:
            return (Part(id=place, text=text, **more),) if text else ()
        return tuple(
            Part(id=f"{place}#{number}", text=text[start:end], **more) for number, (start, end) in enumerate(spans)
        )

    def write(self, place: str, text: str, texts: Mapping[str, str]) -> str:
        """The text with these pieces replaced. If it comes up again, it is made of the same pieces."""
        if place in texts:
            return self._known_as(texts[place], ())
        written, spans, at = "", [], 0
        for number, (start, end) in enumerate(self._pieces(text)):
            new = texts.get(f"{place}#{number}", text[start:end])
            written += text[at:start]
            spans.append((len(written), len(written) + len(new)))
            written += new
            at = end
        return self._known_as(written + text[at:], tuple(spans))

    def _known_as(self, text: str, spans: tuple[_Span, ...]) -> str:
        with self._lock:
            self._spans.setdefault(text, spans)
        return text

    def _pieces(self, text: str) -> tuple[_Span, ...]:
        """Where the pieces stand. Found out once: whatever a text is made of was said before it came up."""
        with self._lock:
            known = self._spans.get(text)
            if known is None:
                known = self._spans[text] = self._taken_apart(text)
            return known

    def _taken_apart(self, text: str) -> tuple[_Span, ...]:
        found: list[_Span] = []
        for said in sorted(self._said, key=len, reverse=True):
            start = text.find(said)
            while start >= 0:
                end = start + len(said)
                if _is_meant(text, start, end) and all(
                    end <= other_start or start >= other_end for other_start, other_end in found
                ):
                    found.append((start, end))
                start = text.find(said, end)
        found.sort()
        ends = [0, *(end for _, end in found)]
        starts = [*(start for start, _ in found), len(text)]
        around = (_stripped(text, end, start) for end, start in zip(ends, starts, strict=True))
        pairs = itertools.zip_longest(around, found)
        return tuple(span for pair in pairs for span in pair if span is not None)


def _is_meant(text: str, start: int, end: int) -> bool:
    """Whether what was found is no chance: it is long, or stands on lines of its own."""
    if end - start >= _SHORTEST:
        return True
    return (start == 0 or text[start - 1] == "\n") and (end == len(text) or text[end] == "\n")


def _stripped(text: str, start: int, end: int) -> _Span | None:
    """Where the words between two pieces stand; None if there are none."""
    piece = text[start:end]
    words = piece.strip()
    if not words:
        return None
    begin = start + piece.find(words)
    return begin, begin + len(words)
