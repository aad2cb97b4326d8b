r"""Texts as a terminal may show them: what agents, files and plugins say must not steer it.

Control characters (escape sequences, carriage returns, ...) and those that turn the direction of writing become
visible, as `\x1b`. Line ends and tabs stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

__all__ = ["HarmlessConsole", "harmless", "harmless_json"]

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The text with what steers a terminal made visible."""
    return _STEERING.sub(lambda found: ascii(found.group())[1:-1], text.replace("\r\n", "\n"))


def harmless_json(text: str) -> str:
    """JSON that says the same without such characters."""
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class HarmlessConsole(Console):
    """A console on which nothing but its own styles steers the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed, their texts harmless."""
        for text, style, control in super().render(renderable, options):
            yield Segment(harmless(text), style, control) if control is None else Segment(text, style, control)
