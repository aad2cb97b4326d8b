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
    value: Any
    users: int = 1

    @property
    def is_there(self) -> bool:
        """Whether nobody has put something else in its place."""
        return vars(self.owner).get(self.attribute, _ABSENT) is self.value


_table: dict[tuple[int, str], _Tap] = {}


class Taps:
    """The taps that one attachment uses."""

    def __init__(self) -> None:
        self._used: dict[tuple[int, str], None] = {}

    def put(self, owner: Any, attribute: str, make: Callable[[Any], Any]) -> None:
        """Replace an attribute of an instance by what `make` makes of it, unless that is done already.

        What the user's code has put there meanwhile is tapped, and stays when the tap is taken away.
        """
        key = (id(owner), attribute)
        with _lock:
            known = _table.get(key)
            if known is not None and known.is_there:
                known.users += key not in self._used
            else:
                held, value = vars(owner).get(attribute, _ABSENT), make(getattr(owner, attribute))
                users = known.users + (key not in self._used) if known is not None else 1
                _table[key] = _Tap(owner, attribute, held, value, users)
                setattr(owner, attribute, value)
            self._used[key] = None

    def release(self) -> None:
        """Give back what nobody else uses; may be called more than once."""
        with _lock:
            while self._used:
                key, _ = self._used.popitem()
                tap = _table[key]
                tap.users -= 1
                if tap.users:
                    continue
                del _table[key]
                if tap.is_there and tap.held is _ABSENT:
                    delattr(tap.owner, tap.attribute)
                elif tap.is_there:
                    setattr(tap.owner, tap.attribute, tap.held)
