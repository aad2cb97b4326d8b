"""The tools of core agents: found where an agent holds them. Agents call them themselves, as they like."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autogen_core.tools import BaseTool

from aegis_autogen.runtime.handling import Handling, current
from aegis_autogen.signals import Signals
from aegis_autogen.texts.requests import call_text
from aegis_autogen.texts.tools import ValueCodec
from aegis_core.adapter import Part, Turn
from aegis_core.run import Run

__all__ = ["held_tools", "tapped_tool"]


def held_tools(agent: Any) -> Iterator[BaseTool[Any, Any]]:
    """The tools that are attributes of an agent, or items of one."""
    for value in list(getattr(agent, "__dict__", {}).values()):
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else (value,)
        yield from (item for item in items if isinstance(item, BaseTool))


def tapped_tool(tool: BaseTool[Any, Any], run: Run, signals: Signals) -> Callable[..., Any]:
    """`run_json` of a tool: a call in the turn of the agent whose handler runs now."""
    real = tool.run_json

    async def run_json(args: Mapping[str, Any], *more: Any, **options: Any) -> Any:
        handling = current.get()
        if handling is None or handling.run is not run:
            return await real(args, *more, **options)

        async def live(_: dict[str, str]) -> Any:
            return await real(args, *more, **options)

        with signals.noted():
            turn = await handling.open()
            part = _part(tool.name, args, options.get("call_id") or f"{tool.name}-{handling.next_tool()}")
            _step(handling, turn, part)
            codec = ValueCodec(tool.return_type())
            result = await run.acall(turn, "tool", (part,), live, codec, name=tool.name, before=(), after=("call",))
        told = part.model_copy(
            update={"kind": "tool_result", "text": tool.return_value_as_string(result), "data": None}
        )
        _step(handling, turn, told)
        return result

    return run_json


def _part(name: str, args: Mapping[str, Any], call_id: str) -> Part:
    arguments = json.dumps(dict(args), ensure_ascii=False, default=str)
    return Part(
        id="call", text=call_text(name, arguments), role="assistant", editable=False, kind="tool_call",
        call_id=call_id, data={"name": name, "arguments": arguments},
    )  # fmt: skip


def _step(handling: Handling, turn: Turn, part: Part) -> None:
    handling.run.recorder.part_step(
        handling.agent, part, moment=turn.moment, order=turn.order, parents=turn.parents, start=turn.started
    )
