"""Showing two texts by where they differ."""

from __future__ import annotations

__all__ = ["excerpts", "one_line"]

AROUND = 60
"""Characters of common text shown on each side of a difference."""


def excerpts(before: str, after: str, around: int = AROUND) -> tuple[str, str]:
    """Both texts, cut down to where they differ and `around` characters on each side; cuts are shown as "…".

    Two equal texts come back cut to their first 2 x `around` characters.
    """
    if before == after:
        return (cut := _cut(before, 0, 2 * around)), cut
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    end = next((i for i in range(shorter - start) if before[-1 - i] != after[-1 - i]), shorter - start)
    first = _word_start(before, max(0, start - around))
    return _cut(before, first, len(before) - end + around), _cut(after, first, len(after) - end + around)


def one_line(text: str, width: int = 100) -> str:
    """The text on one line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rstrip() + "…"


def _word_start(text: str, position: int) -> int:
    """The first start of a word at or after a position, within 20 characters; else the position itself."""
    if position == 0:
        return 0
    for i in range(position, min(position + 20, len(text))):
        if text[i - 1].isspace():
            return i
    return position


def _cut(text: str, start: int, stop: int) -> str:
    return ("…" if start > 0 else "") + text[start:stop] + ("…" if stop < len(text) else "")
