"""Copies of tapped objects have no taps, and so work by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["copying"]

_HOOKS = ("__deepcopy__", "__copy__", "__getstate__")


def copying(owner: Any, taps: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """What to put beside the taps of an object, so that a copy of it has none of them.

    `copy.deepcopy`, pydantic's `model_copy` and `pickle` ask the instance. `copy.copy` asks the class of a pydantic
    object, so such a copy shares the taps, as it shares all else.
    """
    names = frozenset((*taps, *_HOOKS))
    own: Any = type(owner)

    def stripped(copied: Any) -> Any:
        for name in names & vars(copied).keys():
            del vars(copied)[name]
        return copied

    def deep(memo: Any = None) -> Any:
        return stripped(own.__deepcopy__(owner, memo))

    def shallow() -> Any:
        return stripped(own.__copy__(owner))

    def state() -> Any:
        found = own.__getstate__(owner)
        if not isinstance(found, dict):
            return found
        inner = found.get("__dict__")  # pydantic keeps more than the attributes
        if isinstance(inner, dict):
            return found | {"__dict__": _without(inner, names)}
        return _without(found, names)

    made: dict[str, Callable[..., Any]] = {"__getstate__": state}
    if hasattr(own, "__deepcopy__"):
        made["__deepcopy__"] = deep
    if hasattr(own, "__copy__"):
        made["__copy__"] = shallow
    return made


def _without(values: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
