"""The one table of what was replaced, and by which it is restored by identity."""

from __future__ import annotations

import functools
import inspect
from typing import Any

__all__ = ["Patches", "is_patched"]

_ABSENT = object()
_MARK = "__aegis_run__"


class Patches:
    """Attributes of objects that were replaced: (owner, attribute, what the owner itself held)."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._table: list[tuple[Any, str, Any]] = []

    def put(self, owner: Any, attribute: str, value: Any) -> None:
        """Replace an attribute of this very object."""
        self._table.append((owner, attribute, vars(owner).get(attribute, _ABSENT)))
        if inspect.isroutine(value):
            functools.update_wrapper(value, getattr(owner, attribute))
            setattr(value, _MARK, self._run_id)
        vars(owner)[attribute] = value

    def restore(self) -> None:
        """Put everything back, the last first."""
        while self._table:
            owner, attribute, held = self._table.pop()
            if held is _ABSENT:
                vars(owner).pop(attribute, None)
            else:
                vars(owner)[attribute] = held


def is_patched(owner: Any, attribute: str) -> str:
    """The run that an attribute of this very object belongs to; "" if to none."""
    return str(getattr(vars(owner).get(attribute), _MARK, ""))
