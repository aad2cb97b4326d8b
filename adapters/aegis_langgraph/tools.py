"""Tapping tools, so that single calls can be served and altered inside nodes that run functions.

search = tap_tool(search)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, TypeVar

from langchain_core.tools import BaseTool
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_langgraph import _compat
from aegis_langgraph.acting.tapping import here, making_call, subclass, tapped_copy
from aegis_langgraph.signals import surfacing
from aegis_langgraph.texts.codec import ValueCodec
from aegis_langgraph.texts.messages import call_text, plain

__all__ = ["tap_tool"]

T = TypeVar("T", bound=BaseTool)


def tap_tool(tool: T) -> T:
    """A copy of a tool whose calls are recorded one by one, served from a tape, and altered where due."""
    tapped: T = tapped_copy(tool, _tool_class(type(tool)))
    return tapped


@functools.cache
def _tool_class(base: type[BaseTool]) -> type[BaseTool]:
    real, areal = (getattr(base, name) for name in _compat.TOOL_WAYS)

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        place = here(self)
        if place is None:
            return real(self, *args, **kwargs)

        def live(_: dict[str, str]) -> Any:
            with making_call(self):
                return real(self, *args, **kwargs)

        with surfacing():
            return place.run.call(place.turn, "tool", _asked(self, args, kwargs), live, ValueCodec(), name=self.name)

    async def arun(self: Any, *args: Any, **kwargs: Any) -> Any:
        place = here(self)
        if place is None:
            return await areal(self, *args, **kwargs)

        async def live(_: dict[str, str]) -> Any:
            with making_call(self):
                return await areal(self, *args, **kwargs)

        parts = _asked(self, args, kwargs)
        with surfacing():
            return await place.run.acall(place.turn, "tool", parts, live, ValueCodec(), name=self.name)

    name, aname = _compat.TOOL_WAYS
    methods: dict[str, Any] = {name: run}
    if areal is not getattr(BaseTool, aname):
        methods[aname] = arun
    return subclass(base, methods)  # type: ignore[no-any-return]


def _asked(tool: BaseTool, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Part, ...]:
    given: dict[str, Any] = {f"_{index}": value for index, value in enumerate(args)}
    given |= {name: value for name, value in kwargs.items() if name not in ("run_manager", "config")}
    call = {"name": tool.name, "args": given}
    data: JsonValue = {"name": tool.name, "args": plain(given)}
    return (Part(id="call", text=call_text(call), editable=False, kind="tool_call", data=data),)
