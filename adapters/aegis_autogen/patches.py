"""The table of what was replaced in a system, and which run it was replaced for."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from aegis_core.run import patches

__all__ = ["Patches", "is_patched"]

_MARK = "__aegis_run__"


class Patches(patches.Patches):
    """Attributes of objects that were replaced, marked with the run that they belong to."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id

    def put(self, owner: Any, attribute: str, value: Any) -> None:
        """Replace an attribute of this very object."""
        if inspect.isroutine(value):
            functools.update_wrapper(value, getattr(owner, attribute))
            setattr(value, _MARK, self._run_id)
        self.attribute(owner, attribute, value)


def is_patched(owner: Any, attribute: str) -> str:
    """The run that an attribute of this very object belongs to; "" if to none."""
    return str(getattr(vars(owner).get(attribute), _MARK, ""))
