"""The one table of what is replaced while a run is recorded, by which it is all put back."""

from __future__ import annotations

from typing import Any

__all__ = ["Patches"]

_ABSENT = object()


class Patches:
    """Replaces attributes of instances and items of dicts, and restores by identity what was there."""

    def __init__(self) -> None:
        self._table: list[tuple[Any, str, bool, Any, Any]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute in the owner's own namespace."""
        self._table.append((owner, name, False, vars(owner).get(name, _ABSENT), value))
        setattr(owner, name, value)

    def item(self, owner: dict[str, Any], name: str, value: Any) -> None:
        """Replace an item of a dict."""
        self._table.append((owner, name, True, owner[name], value))
        owner[name] = value

    def restore(self) -> None:
        """Put everything back, except what somebody else has replaced meanwhile."""
        while self._table:
            owner, name, is_item, before, ours = self._table.pop()
            space = owner if is_item else vars(owner)
            if space.get(name, _ABSENT) is not ours:
                continue
            if is_item:
                owner[name] = before
            elif before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
