"""What the orchestrator tells a member: what to do, and word by word what others found that it has to know."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["instruction", "sections"]

_HEAD = re.compile(r"^From ([A-Za-z_]+):[ \t]*$", re.M)


def instruction(lead: str, handed: Sequence[tuple[str, str]] = ()) -> str:
    """An instruction with (author, text) of what is handed on."""
    return "\n\n".join([lead, *(f"From {author}:\n{text}" for author, text in handed)])


def sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """An instruction taken apart: what to do, and (author, text) of what was handed on."""
    lead, *rest = _HEAD.split(text)
    return lead.strip(), [(author, said.strip()) for author, said in zip(rest[::2], rest[1::2], strict=True)]
