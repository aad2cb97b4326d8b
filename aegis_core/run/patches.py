"""The one table of what an adapter replaced in a system, by which it is all put back."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, MutableMapping
from typing import Any

__all__ = ["Patches"]

_ABSENT = object()


class Patches:
    """Attributes and items that were replaced for one run. Restores by identity, the last first.

    What somebody else has replaced meanwhile is left alone. Safe to be used from several threads.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._lock = threading.RLock()
        self.closed = False
        """Whether everything was restored, so that a tap that is still called has nothing more to do."""

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute in the owner's own namespace, past a `__setattr__` that checks or forbids."""
        with self._lock:
            space = getattr(owner, "__dict__", None)
            by_class = hasattr(inspect.getattr_static(type(owner), name, None), "__set__")
            if isinstance(space, dict) and not by_class:
                self.item(space, name, value)
                return
            before = getattr(owner, name, _ABSENT) if by_class else vars(owner).get(name, _ABSENT)
            setattr(owner, name, value)
            self._undo.append(lambda: _restore(owner, name, value, before, by_class=by_class))

    def item(self, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        """Replace or add an item of a mapping that the framework reads."""
        with self._lock:
            before = mapping.get(key, _ABSENT)
            mapping[key] = value
            self._undo.append(lambda: _put_back(mapping, key, value, before))

    def undone_by(self, undo: Callable[[], None]) -> None:
        """Call this when everything is restored, in its turn."""
        with self._lock:
            self._undo.append(undo)

    def restore(self) -> None:
        """Put everything back; may be called more than once. What fails doesn't keep the rest from being restored."""
        with self._lock:
            self.closed = True
            failed: Exception | None = None
            while self._undo:
                try:
                    self._undo.pop()()
                except Exception as error:  # raised below, once all else is restored
                    failed = failed or error
            if failed is not None:
                raise failed


def _restore(owner: Any, name: str, ours: Any, before: Any, *, by_class: bool) -> None:
    now = getattr(owner, name, _ABSENT) if by_class else vars(owner).get(name, _ABSENT)
    if now is not ours:
        return
    if before is _ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, before)


def _put_back(mapping: MutableMapping[Any, Any], key: Any, ours: Any, before: Any) -> None:
    if mapping.get(key, _ABSENT) is not ours:
        return
    if before is _ABSENT:
        del mapping[key]
    else:
        mapping[key] = before
