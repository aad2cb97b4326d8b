"""Tools in a turn: that a model asks for them, their use, and what they return."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run import Run
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content, Usage
from aegis_openai_agents.activation import Activation, Asked, Place, current_place
from aegis_openai_agents.leaving import name_of
from aegis_openai_agents.requests import call_text, loaded
from aegis_openai_agents.results import asked_part, result_text

if TYPE_CHECKING:
    from aegis_openai_agents.frames import Frame

__all__ = ["record_asked", "record_shown_results", "use_tool"]


def record_asked(run: Run, active: Activation, calls: list[Any], model: str | None, *, spends: bool) -> None:
    """A model asks for tools: a step for each; the first has what the call has cost, unless the turn's end has."""
    for number, call in enumerate(calls, 1):
        name, call_id = name_of(call), getattr(call, "call_id", None) or getattr(call, "id", None) or f"call {number}"
        arguments = loaded(getattr(call, "arguments", None) or getattr(call, "input", None) or "")
        active.asked[call_id] = Asked(call_id, name, arguments, active.calls, number, len(calls))
        usage = active.spent() if spends else None
        _step(
            run, active, "tool_call", call_text(name, arguments), call_id, (active.calls, 0, number),
            {"name": name, "args": arguments}, model, usage,
        )  # fmt: skip


def record_shown_results(run: Run, active: Activation, parts: tuple[Part, ...]) -> None:
    """A model is shown results: records those that no tap has told of (the provider's tools, refusals)."""
    for part in parts:
        asked = active.asked.get(part.call_id or "")
        if part.kind == "tool_result" and asked is not None and not asked.told:
            _record_result(run, active, asked, part.text, None)


async def use_tool(
    frame: Frame, tool: Any, context: Any, arguments: str, real: Callable[[Any, str], Awaitable[Any]]
) -> Any:
    """A function tool is called inside a frame, by the tap around it."""
    active = frame.activation
    asked = _asked_for(active, tool, context, arguments)
    if active is None or asked is None:  # the user's own code calls it
        return await real(context, arguments)
    place = _place(frame, active, asked)

    async def live(_: dict[str, str]) -> Any:
        token = current_place.set(place)
        try:
            return await real(context, arguments)
        finally:
            current_place.reset(token)

    result = await frame.run.acall(
        active.at(asked.call, 1, asked.position),
        "tool",
        (asked_part(asked.name, asked.arguments),),
        live,
        place.codec,
        name=asked.name,
        before=(),
        after=("call",),
    )
    if frame.hold.ending is not None:  # the SDK may have made a text of it
        raise frame.hold.ending
    with guarded(frame.run):
        _record_result(frame.run, active, asked, result_text(result), place.codec.error)
    return result


def _asked_for(active: Activation | None, tool: Any, context: Any, arguments: str) -> Asked | None:
    """What the model asked for; by name and arguments, where the tool is not told of the call."""
    if active is None:
        return None
    found = active.asked.get(getattr(context, "tool_call_id", None) or "")
    if found is not None:
        return found
    alike = (asked for asked in active.asked.values() if asked.name == tool.name and not asked.told)
    return next((asked for asked in alike if asked.arguments == loaded(arguments)), None)


def _place(frame: Frame, active: Activation, asked: Asked) -> Place:
    front = (*active.turn.order, asked.call, 1)
    branch, beside = active.turn.moment.branch, None
    if asked.among > 1:
        beside = (front, asked.position)
        branch = "/".join(filter(None, (branch, str(asked.position))))
    return Place(active.path, frame, (*front, asked.position), branch, beside)


def _record_result(run: Run, active: Activation, asked: Asked, text: str, error: str | None) -> None:
    asked.told = True
    data: JsonValue = {"status": "error", "error": error} if error else None
    _step(run, active, "tool_result", text, asked.call_id, (asked.call, 2, asked.position), data)


def _step(
    run: Run, active: Activation, kind: Any, text: str, call_id: str, place: tuple[int, ...], data: JsonValue,
    model: str | None = None, usage: Usage | None = None,
) -> None:  # fmt: skip
    turn = active.at(*place)
    run.step(
        active.path,
        kind,
        text,
        moment=turn.moment,
        order=turn.order,
        parents=turn.parents,
        call_id=call_id,
        content=(Content(type="json", data=data),) if data is not None else (),
        model=model,
        usage=usage,
    )
