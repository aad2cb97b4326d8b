"""Which attributes hold what: taken before and after, it shows what an adapter has left patched.

Looked at are the attributes of all objects that can be reached from a system (and of their classes), and of the
modules and classes of its framework. Where a run lay between, data may have changed by running: what an unrecorded
run of an equal system changes is no trace of an adapter.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

__all__ = ["Attributes"]

_MOST = 20_000
"""Objects looked at, at the most."""
_ABSENT = object()
_PLAIN = (str, bytes, int, float, complex, bool, type(None))


@dataclass
class Attributes:
    """The attributes of a system and its framework at one moment. Holds them, so that no other can have their id.

    Args:
        app: the system.
        modules: top-level names of the framework's modules.
    """

    app: Any
    modules: tuple[str, ...] = ()
    _held: dict[int, tuple[Any, dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for owner in (*_reachable(self.app), *_namespaces(self.modules)):
            if id(owner) not in self._held:
                self._held[id(owner)] = (owner, dict(_own(owner)))

    def changed(self, *, callables_only: bool) -> list[str]:
        """Names of the attributes that hold something else now, are gone, or came anew."""
        return [name for name, *values in self._changes() if not callables_only or any(map(_is_code, values))]

    def left(self, usual: Collection[str]) -> list[str]:
        """Names of those of them that a run does not explain.

        Args:
            usual: what an unrecorded run of an equal system changes. What came anew and is no code may be data of the
                run; what was there before is compared by identity, whatever it is, since a stand-in may be no callable.
        """
        return [
            name for name, old, new in self._changes() if name not in usual and (old is not _ABSENT or _is_code(new))
        ]

    def _changes(self) -> Iterator[tuple[str, Any, Any]]:
        for owner, before in self._held.values():
            now = dict(_own(owner))
            for name in sorted({*before, *now}, key=str):
                old, new = before.get(name, _ABSENT), now.get(name, _ABSENT)
                if old is new or name in ("__dict__", "__weakref__", "__annotations__", "__doc__"):
                    continue
                yield f"{_name(owner)}.{name}", old, new


def _is_code(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, staticmethod | classmethod | property)


def _own(owner: Any) -> Iterator[tuple[str, Any]]:
    """What is in the owner's own namespace."""
    try:
        space: Mapping[str, Any] = vars(owner)
    except TypeError:
        space = {}
    yield from [(name, value) for name, value in space.items() if isinstance(name, str)]


def _reachable(app: Any) -> Iterator[Any]:
    """Objects with attributes of their own that can be reached from a system, and their classes."""
    seen: set[int] = set()
    queue: list[Any] = [app]
    while queue and len(seen) < _MOST:
        current = queue.pop()
        if id(current) in seen or isinstance(current, (*_PLAIN, ModuleType)):
            continue
        seen.add(id(current))
        queue.extend(_children(current))
        if hasattr(current, "__dict__"):
            yield current


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, type):
        return ()
    inner = [getattr(value, "__self__", None), getattr(value, "__func__", None)]
    inner += _cells(value)
    own = type(value)
    return [*(item for _, item in _own(value)), *inner, *(() if own.__module__ == "builtins" else (own,))]


def _cells(value: Any) -> list[Any]:
    found = []
    for cell in getattr(value, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # a cell that is not filled yet
            continue
    return found


def _namespaces(modules: Iterable[str]) -> Iterator[Any]:
    """The modules of these names that are loaded, and the classes that they define."""
    wanted = tuple(modules)
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] not in wanted or module is None:
            continue
        yield module
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name:
                yield value


def _name(owner: Any) -> str:
    if isinstance(owner, ModuleType):
        return owner.__name__
    name = getattr(owner, "__qualname__", None)
    return name if isinstance(name, str) else type(owner).__qualname__
