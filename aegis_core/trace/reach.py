"""Which functions a function can reach by name: through its module, its closure, and its object.

A static guess for declarations and capabilities, never for what is recorded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

__all__ = ["reachable"]

_MOST = 500
"""Functions looked at, at the most: the search must stay cheap in a large program."""


def reachable(function: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The function itself and all routines that it names, directly or through others, in order of discovery.

    Routines of other top-level packages are listed, but not searched further.
    """
    home = _package(function)
    found: dict[int, Callable[..., Any]] = {id(function): function}
    queue = [function]
    while queue and len(found) < _MOST:
        current = queue.pop(0)
        if _package(current) != home:
            continue
        for value in _named(current):
            if id(value) not in found and (inspect.isroutine(value) or hasattr(value, "__wrapped__")):
                found[id(value)] = value
                queue.append(value)
    return tuple(found.values())


def _package(function: Any) -> str:
    return (getattr(inspect.unwrap(function), "__module__", "") or "").partition(".")[0]


def _named(function: Any) -> Iterator[Any]:
    inner = inspect.unwrap(function)
    owner = getattr(inner, "__self__", None)
    plain = getattr(inner, "__func__", inner)
    code = getattr(plain, "__code__", None)
    if not isinstance(code, CodeType):
        return
    names = _names(code)
    space = getattr(plain, "__globals__", {})
    yield from (space[name] for name in names if name in space)
    for cell in getattr(plain, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a cell that is not filled yet
            continue
    if owner is not None:
        yield from (value for name in names if (value := inspect.getattr_static(owner, name, None)) is not None)
        yield from vars(owner).values() if hasattr(owner, "__dict__") else ()


def _names(code: CodeType) -> tuple[str, ...]:
    inner = (name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant))
    return tuple(dict.fromkeys((*code.co_names, *inner)))
