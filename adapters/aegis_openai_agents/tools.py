"""The tap of a function tool: what it is called with and returns goes through the run."""

from __future__ import annotations

import inspect
from typing import Any

from agents import FunctionTool

from aegis_openai_agents import _compat
from aegis_openai_agents.activation import tool_raised
from aegis_openai_agents.frames import current_frame
from aegis_openai_agents.taps import Taps
from aegis_openai_agents.tool_use import use_tool

__all__ = ["TappedInvoker", "tap_tool"]


def tap_tool(taps: Taps, tool: Any) -> None:
    """Put a tap around a function tool; other tools are the model's own."""
    if not isinstance(tool, FunctionTool):
        return
    invoker = tool.on_invoke_tool
    if type(invoker) is not TappedInvoker:
        watched = _compat.watch_failures(invoker, tool_raised)
        if watched is not None:
            owner, attribute, value = watched
            taps.put(owner, attribute, lambda _: value)
    taps.put(tool, "on_invoke_tool", lambda real: real if type(real) is TappedInvoker else TappedInvoker(real, tool))


class TappedInvoker:
    """Stands for a tool's `on_invoke_tool`; outside of a recorded run it is as if it were not there.

    The SDK looks at what kind of callable it has, at its signature and its annotations: all that is the real one's.
    """

    def __init__(self, inner: Any, tool: Any) -> None:
        self._inner = inner
        self._tool = tool

    async def __call__(self, context: Any, arguments: str) -> Any:
        frame = current_frame.get()
        if frame is None:
            return await self._inner(context, arguments)
        return await use_tool(frame, self._tool, context, arguments, self._inner)

    @property  # type: ignore[misc]  # read by isinstance
    def __class__(self) -> Any:
        return type(self._inner)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._inner)

    def __getattr__(self, name: str) -> Any:
        if name in ("_inner", "_tool"):
            raise AttributeError(name)
        found = getattr(self._inner, name)
        if name == "__agents_bind_function_tool__":
            return lambda tool: TappedInvoker(found(tool), tool)
        return found
