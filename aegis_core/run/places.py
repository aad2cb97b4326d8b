"""Where a turn stands among others, for systems that have no plan of their work: order keys, whoever is faster.

What happens on one branch, or on none, comes in the order in which it begins. Turns of branches that run side by side
stand on one level, sorted by the names of their branches; what they led to stands on the next.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from aegis_core.run.recorder import OrderKey

__all__ = ["Places"]


class Places:
    """Gives order keys to what happens inside a run, a turn, or a call that holds turns.

    Args:
        within: the order key of what it happens in; () for a run.
    """

    def __init__(self, within: OrderKey = ()) -> None:
        self._within = within
        self._levels: dict[str, int] = {}
        self._lock = threading.Lock()

    def next(self, branch: str = "", *, after: int = 0, sources: Iterable[OrderKey] = ()) -> OrderKey:
        """The order key of what begins now on this branch (`a/b` is a branch of `a`).

        Args:
            after: the level of what is known to have come before.
            sources: order keys of what it is made from.
        """
        with self._lock:
            before = [after, *(level for other, level in self._levels.items() if _precedes(other, branch))]
            before += [level for key in sources if (level := self._level(key)) is not None]
            level = self._levels[branch] = 1 + max(before)
        return (*self._within, level, branch)

    def reached(self, branch: str) -> int:
        """The level that the work on a branch, and on the branches of it, has come to."""
        with self._lock:
            return max((level for other, level in self._levels.items() if _is_on(other, branch)), default=0)

    def _level(self, key: OrderKey) -> int | None:
        depth = len(self._within)
        level = key[depth] if key[:depth] == self._within and len(key) > depth else None
        return level if isinstance(level, int) else None


def _precedes(other: str, branch: str) -> bool:
    """Whether what began on the other branch comes before what begins on this one: it is on it, or this is on that."""
    return _is_on(other, branch) or _is_on(branch, other)


def _is_on(other: str, branch: str) -> bool:
    return not branch or other == branch or other.startswith(f"{branch}/")
