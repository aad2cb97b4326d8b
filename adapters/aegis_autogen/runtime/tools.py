"""The tools of core agents: found where an agent holds them. Agents call them themselves, as they like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autogen_core.tools import BaseTool

from aegis_autogen.runtime.handling import Handling, current
from aegis_autogen.signals import Signals
from aegis_autogen.taps.standing import StandIn
from aegis_autogen.texts.tools import ValueCodec
from aegis_core.adapter import Part, Turn
from aegis_core.run import Run
from aegis_core.run.outputs import call_data, call_text

__all__ = ["held_tools", "tapped_tools"]


def held_tools(agent: Any) -> Iterator[tuple[str, Any]]:
    """(attribute, value) for each attribute of an agent that is a tool, or a list or dict with tools."""
    for attribute, value in list(getattr(agent, "__dict__", {}).items()):
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(item, BaseTool) for item in items):
            yield attribute, value


def tapped_tools(value: Any, run: Run, signals: Signals) -> Any:
    """The same with a stand-in for each tool, since other agents and runs may hold the tools as well."""

    def tapped(item: Any) -> Any:
        return _ToolTap(item, run, signals) if isinstance(item, BaseTool) else item

    if isinstance(value, Mapping):
        return {name: tapped(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(tapped, value))
    return tapped(value)


class _ToolTap(StandIn):
    """A tool in the hands of a core agent."""

    def __init__(self, tool: BaseTool[Any, Any], run: Run, signals: Signals) -> None:
        super().__init__(tool)
        for name, held in (("run", run), ("signals", signals)):
            object.__setattr__(self, f"_aegis_{name}", held)

    async def run_json(self, args: Mapping[str, Any], *more: Any, **options: Any) -> Any:
        tool, run = self._aegis_real, self._aegis_run
        handling = current.get()

        async def live(_: dict[str, str]) -> Any:
            return await tool.run_json(args, *more, **options)

        if handling is None or handling.run is not run:
            return await live({})
        with self._aegis_signals.noted():
            turn = await handling.open()
            part = _part(tool.name, args, options.get("call_id") or f"{tool.name}-{handling.next_tool()}")
            _step(handling, turn, part)
            codec = ValueCodec(tool.return_type())
            result = await run.acall(turn, "tool", (part,), live, codec, name=tool.name, before=(), after=("call",))
        told = tool.return_value_as_string(result)
        _step(handling, turn, part.model_copy(update={"kind": "tool_result", "text": told, "data": None}))
        return result


def _part(name: str, args: Mapping[str, Any], call_id: str) -> Part:
    return Part(
        id="call", text=call_text(name, args), role="assistant", editable=False, kind="tool_call",
        call_id=call_id, data=call_data(name, args),
    )  # fmt: skip


def _step(handling: Handling, turn: Turn, part: Part) -> None:
    handling.run.recorder.part_step(
        handling.agent, part, moment=turn.moment, order=turn.order, parents=turn.parents, start=turn.started
    )
