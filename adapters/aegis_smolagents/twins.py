"""Twins: objects that share the state of another, but whose calls go through a tap.

Python looks up `object(...)` on the class, so such a call can't be tapped on the instance, and a tool or model may be
shared by agents that have to be told apart. A twin is of a class derived from the original's, with the same name; its
`__dict__` is the original's own, so whatever is written to one is seen in the other.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from aegis_core.errors import AdapterError

__all__ = ["is_twin", "original_of", "twin"]

_TAP = "_aegis_tap"
_TELLS_ITS_SOURCE = ("to_dict", "save", "push_to_hub")
"""Methods that ask for the source of the object's class, which a derived one has not."""
_ORIGINAL = "_aegis_original"


def twin(original: Any, methods: tuple[str, ...], tap: Callable[..., Any]) -> Any:
    """A twin of an object.

    Args:
        methods: which methods go through the tap, of those that the original has.
        tap: called as `tap(name, real, *args, **kwargs)` in their stead, `real` being the original's method.

    Raises:
        AdapterError: the class of the object can't be derived from.
    """
    base = type(original)
    present = tuple(name for name in methods if hasattr(original, name))
    try:
        made: Any = object.__new__(_twin_class(base, present))  # type: ignore[arg-type]  # a class can be hashed
        object.__setattr__(made, "__dict__", original.__dict__)
        for name in _slots(base):
            if hasattr(original, name):
                object.__setattr__(made, name, getattr(original, name))
    except (TypeError, AttributeError) as error:
        raise AdapterError(
            f"a {base.__module__}.{base.__qualname__} can't be tapped ({error}); give the agent an object of an "
            "ordinary class, with its state in `__dict__`"
        ) from error
    object.__setattr__(made, _TAP, tap)
    object.__setattr__(made, _ORIGINAL, original)
    return made


def is_twin(value: Any) -> bool:
    """Whether this is a twin."""
    return hasattr(type(value), _TAP)


def original_of(value: Any) -> Any:
    """The object that this is a twin of; itself, if it is none."""
    return getattr(value, _ORIGINAL) if is_twin(value) else value


@functools.lru_cache(maxsize=256)
def _twin_class(base: type, methods: tuple[str, ...]) -> type:
    space: dict[str, Any] = {
        "__slots__": (_TAP, _ORIGINAL),
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
        "__reduce_ex__": _reduced,
        "__copy__": _copied,
        "__deepcopy__": _deeply_copied,
    }
    space |= {name: _of_original(name) for name in _TELLS_ITS_SOURCE if hasattr(base, name)}
    for name in methods:
        space[name] = _called if name == "__call__" else _tapped(name)
    return type(base)(base.__name__, (base,), space)


def _called(self: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(self, _TAP)("__call__", getattr(self, _ORIGINAL), *args, **kwargs)


def _tapped(name: str) -> property:
    """A property, since that goes before what the shared `__dict__` may hold under the name."""

    def bound(self: Any) -> Any:
        return _Bound(self, name)

    def put(self: Any, value: Any) -> None:
        setattr(getattr(self, _ORIGINAL), name, value)

    def removed(self: Any) -> None:
        delattr(getattr(self, _ORIGINAL), name)

    return property(bound, put, removed)


class _Bound:
    """A tapped method as it was when it was read.

    Once another one is put in its place, this one is what that may wrap, and only the new one goes through the tap.
    """

    def __init__(self, owner: Any, name: str) -> None:
        self._owner = owner
        self._name = name
        self._real = getattr(getattr(owner, _ORIGINAL), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if getattr(getattr(self._owner, _ORIGINAL), self._name) != self._real:
            return self._real(*args, **kwargs)
        return getattr(self._owner, _TAP)(self._name, self._real, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in ("_owner", "_name", "_real"):
            raise AttributeError(name)
        return getattr(self._real, name)


def _reduced(self: Any, _: Any) -> Any:
    """What copies and pickles are made of: the original, without the tap."""
    return copy.copy, (getattr(self, _ORIGINAL),)


def _copied(self: Any) -> Any:
    return copy.copy(getattr(self, _ORIGINAL))


def _deeply_copied(self: Any, memo: dict[int, Any]) -> Any:
    return copy.deepcopy(getattr(self, _ORIGINAL), memo)


def _of_original(name: str) -> property:
    return property(lambda self: getattr(getattr(self, _ORIGINAL), name))


def _slots(base: type) -> list[str]:
    """The names of the slots in which instances hold state beside their `__dict__`."""
    found: list[str] = []
    for cls in base.__mro__:
        slots = vars(cls).get("__slots__", ())
        found += [slots] if isinstance(slots, str) else list(slots)
    return [name for name in found if name not in ("__dict__", "__weakref__")]
