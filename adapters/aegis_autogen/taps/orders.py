"""Where turns stand in the plan of a team, whoever is first: keys that sort steps and tape.

A key is a path of numbers and names: the n-th selection of a team (a number), then who was selected in it (`p…` for
those who speak side by side, `m` for the manager, who comes first), then, inside that turn, how many events came
before (a number), and which of several tool calls it is (`c…`). What is called inside goes on from there.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

from aegis_core.run.recorder import OrderKey, sortable

__all__ = ["Plan", "beside", "precedes", "tool_place"]

_SIDE_BY_SIDE = ("p", "c")
_MANAGER = "m"


class Plan:
    """The selections of one team, in order, each with who is to speak."""

    def __init__(self) -> None:
        self._prefix: OrderKey = ()
        self._selections = 0
        self._waiting: dict[str, deque[OrderKey]] = defaultdict(deque)

    def begin(self, prefix: OrderKey) -> None:
        """The team begins to run, inside the turn with this key."""
        self._prefix = prefix
        self._waiting.clear()

    def deciding(self) -> OrderKey:
        """The key of a turn of the manager."""
        self._selections += 1
        return (*self._prefix, self._selections, _MANAGER)

    def selected(self, names: Iterable[str]) -> None:
        """The manager has chosen who speaks next."""
        self._selections += 1
        for position, name in enumerate(names):
            self._waiting[name].append((*self._prefix, self._selections, f"p{position:04d}"))

    def said(self) -> OrderKey:
        """The key of what the user says now, before the team goes on."""
        self._selections += 1
        return (*self._prefix, self._selections)

    def taken(self, name: str) -> OrderKey:
        """The key of a turn that begins now; where nobody was seen to choose its agent, that is its choice."""
        if self._waiting[name]:
            return self._waiting[name].popleft()
        self._selections += 1
        return (*self._prefix, self._selections, "p0000")


def tool_place(order: OrderKey, number: int) -> OrderKey:
    """The key of the n-th tool call (from 0) after the last event of a turn."""
    return (*order, f"c{number:04d}")


def beside(one: OrderKey, other: OrderKey) -> bool:
    """Whether two keys stand side by side: neither comes before the other."""
    for left, right in zip(one, other, strict=False):
        if left != right:
            return str(left)[:1] in _SIDE_BY_SIDE and str(left)[:1] == str(right)[:1]
    return False


def precedes(row: OrderKey, own: OrderKey) -> bool:
    """Whether what has the key `row` came before a turn with the key `own`, rather than beside or after it."""
    return not beside(row, own) and sortable(row) <= sortable(own)
