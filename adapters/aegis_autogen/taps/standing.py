"""What stands for an object in one owner's hands, while others hold the object itself.

Model clients, workbenches and tools may be shared, by agents of one system and by systems that run at the same time.
So they are not touched: each owner gets a stand-in of its own.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

__all__ = ["StandIn"]

_SPECIAL = (
    "__repr__", "__str__", "__eq__", "__hash__", "__bool__", "__len__", "__iter__", "__contains__", "__getitem__",
    "__call__", "__enter__", "__exit__", "__aenter__", "__aexit__",
)  # fmt: skip
"""Methods that the language looks for on the class alone, so that `__getattr__` is not asked for them."""


class StandIn:
    """Passes everything on to what it stands for: the same class to all who ask, the same attributes.

    A copy of it is a copy of what it stands for.
    """

    def __new__(cls, real: Any, *args: Any) -> Any:
        del args
        return object.__new__(_special(cls, type(real)))  # type: ignore[arg-type]  # a class is hashable

    def __init__(self, real: Any) -> None:
        object.__setattr__(self, "_aegis_real", real)

    @property  # type: ignore[misc]  # so that isinstance() says of it what it says of the object
    def __class__(self) -> type:
        return type(self._aegis_real)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_aegis_real"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._aegis_real, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._aegis_real, name)

    def __copy__(self) -> Any:
        return copy.copy(self._aegis_real)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self._aegis_real, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._aegis_real.__reduce_ex__(protocol)


@functools.cache
def _special(kind: type, real: type) -> type:
    """The class of a stand-in for objects of a class: with the special methods that this one has."""
    known = {name: _passed_on(name) for name in _SPECIAL if getattr(real, name, None) is not None}
    return type(kind.__name__, (kind,), known)


def _passed_on(name: str) -> Any:
    def method(self: StandIn, *args: Any, **options: Any) -> Any:
        bare = (item._aegis_real if issubclass(type(item), StandIn) else item for item in args)
        return getattr(type(self._aegis_real), name)(self._aegis_real, *bare, **options)

    return method
