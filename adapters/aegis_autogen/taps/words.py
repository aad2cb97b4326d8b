"""Which messages of a run are which of its steps, by the ids that AutoGen gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["Words"]


class Words:
    """The messages and events that are steps already, by class, id and source: a copy keeps these."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, str, str], tuple[int, ...]] = {}

    def are(self, item: Any, steps: Iterable[int]) -> None:
        """A message or event was recorded as these steps, by their numbers of arrival."""
        self._steps[_key(item)] = tuple(steps)

    def of(self, item: Any) -> tuple[int, ...] | None:
        """The steps that a message or event is; None if it is not known."""
        return self._steps.get(_key(item))


def _key(item: Any) -> tuple[str, str, str]:
    return type(item).__name__, str(getattr(item, "id", id(item))), str(getattr(item, "source", ""))
