"""The table of what was replaced in a system, and which run it was replaced for."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from aegis_autogen.taps.standing import StandIn
from aegis_core.run import patches

__all__ = ["Patches", "is_patched"]

_MARK = "__aegis_run__"
_REDUCE = "__reduce_ex__"
_ABSENT = object()


class Patches(patches.Patches):
    """Attributes of objects that were replaced, marked with the run that they belong to.

    A copy that is made meanwhile (`copy`, `deepcopy`, `pickle`) is one of the object without what was replaced.
    """

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id
        self._before: dict[int, dict[str, Any]] = {}

    def put(self, owner: Any, attribute: str, value: Any) -> None:
        """Replace an attribute of this very object."""
        if inspect.isroutine(value):
            functools.update_wrapper(value, getattr(owner, attribute))
            setattr(value, _MARK, self._run_id)
        before = self._before.get(id(owner))
        if before is None:
            before = self._before[id(owner)] = {_REDUCE: _ABSENT}
            self.attribute(owner, _REDUCE, functools.partial(_reduced, owner, before))
        before.setdefault(attribute, vars(owner).get(attribute, _ABSENT))
        self.attribute(owner, attribute, value)


def is_patched(owner: Any, attribute: str) -> str:
    """The run that an attribute of this very object belongs to; "" if to none."""
    return str(getattr(vars(owner).get(attribute), _MARK, ""))


def _reduced(owner: Any, before: dict[str, Any], protocol: int) -> Any:
    """What the object's own `__reduce_ex__` gives, as if nothing had been replaced."""
    found = type(owner).__reduce_ex__.__get__(owner)(protocol)
    if isinstance(found, str):
        return found
    make, args, *rest = found
    if rest and isinstance(rest[0], dict):
        rest[0] = _untapped(rest[0], before)
    elif rest and isinstance(rest[0], tuple):  # the state of an object with slots
        rest[0] = tuple(_untapped(item, before) if isinstance(item, dict) else item for item in rest[0])
    return make, tuple(item._aegis_real if issubclass(type(item), StandIn) else item for item in args), *rest


def _untapped(state: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    whole = {name: before.get(name, value) for name, value in state.items()}
    return {name: value for name, value in whole.items() if value is not _ABSENT}
