"""What is patched while a run is attached: one table for the process, so that runs may share a tool or an agent.

A tap does nothing by itself: it asks which run the code that calls it belongs to. So one serves all runs, and what was
there before comes back when the last of them is let go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

__all__ = ["Taps"]

_ABSENT = object()
_lock = Lock()


@dataclass
class _Tap:
    owner: Any  # held, so that no other object can have its id
    attribute: str
    held: Any
    """What was in the owner's own namespace."""
    users: int = 1


_table: dict[tuple[int, str], _Tap] = {}


class Taps:
    """The taps that one attachment uses."""

    def __init__(self) -> None:
        self._used: list[tuple[int, str]] = []

    def put(self, owner: Any, attribute: str, make: Callable[[Any], Any]) -> None:
        """Replace an attribute of an instance by what `make` makes of it, unless that is done already."""
        key = (id(owner), attribute)
        with _lock:
            if key in self._used:
                return
            known = _table.get(key)
            if known is not None:
                known.users += 1
            else:
                _table[key] = _Tap(owner, attribute, vars(owner).get(attribute, _ABSENT))
                setattr(owner, attribute, make(getattr(owner, attribute)))
            self._used.append(key)

    def release(self) -> None:
        """Give back what nobody else uses; may be called more than once."""
        with _lock:
            while self._used:
                tap = _table[self._used[-1]]
                tap.users -= 1
                if not tap.users:
                    del _table[self._used[-1]]
                    if tap.held is _ABSENT:
                        delattr(tap.owner, tap.attribute)
                    else:
                        setattr(tap.owner, tap.attribute, tap.held)
                self._used.pop()
