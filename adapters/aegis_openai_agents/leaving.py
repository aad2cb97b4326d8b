"""The answer with which a turn ends: what of it leaves the agent, as parts and steps, and where control goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agents import Agent, ModelResponse, handoff
from openai.types.responses import ResponseFunctionToolCall, ResponseReasoningItem

from aegis_core.adapter import Delivery, Part
from aegis_core.run.outputs import whole
from aegis_openai_agents.requests import call_text, loaded
from aegis_openai_agents.responses import Reading

__all__ = ["calls_in", "can_redirect", "fits", "leaving", "name_of", "redirected", "steps_of", "thoughts"]


_NOTHING = handoff(Agent("nobody")).input_json_schema
"""The schema of a hand-off that takes nothing along."""


def calls_in(response: ModelResponse) -> list[Any]:
    """All calls of tools and hand-offs in an answer."""
    return [item for item in response.output if str(getattr(item, "type", "")).endswith("_call")]


def name_of(call: Any) -> str:
    """The name of what is called; of a tool of the provider, its kind."""
    return str(getattr(call, "name", None) or call.type.removesuffix("_call"))


def thoughts(response: ModelResponse, reading: Reading, *, words: bool) -> Iterator[str]:
    """What an answer tells beside what it is: summaries of reasoning, and `words` beside the call of a tool."""
    if words:
        yield from (part.text for part in reading.parts(response) if part.kind == "message" and part.text)
    for item in response.output:
        if isinstance(item, ResponseReasoningItem):
            yield from (block.text for block in item.summary)


def leaving(response: ModelResponse, reading: Reading, over: Any, attempts: int) -> tuple[Part, ...]:
    """The parts of an answer with which a turn ends; `over` is the call that hands over, if one does.

    Of several hand-offs at once the SDK takes the first.
    """
    calls = [id(call) for call in calls_in(response) if call is not over]
    others = [f"[{index}]" for index, item in enumerate(response.output) if id(item) in calls]
    parts = [part for part in reading.parts(response) if not _within(part.id, others)]
    said = [part for part in parts if part.kind == "message" and part.text]
    if over is not None and said:  # what the message says is handed over; the bare call beside it says nothing more
        parts = [part for part in parts if part.editable]
    if attempts > 1 and len(parts) == 1 and parts[0].data is None:
        parts = [parts[0].model_copy(update={"data": {"attempts": attempts}})]
    return tuple(parts)


def steps_of(delivery: Delivery, response: ModelResponse, reading: Reading) -> Iterator[Part]:
    """One step for each message and each hand-off, as delivered."""
    after = reading.write(response, delivery.texts())
    for index, item in enumerate(after.output):
        path = f"[{index}]"
        own = [part for part in delivery.parts if _within(part.id, [path])]
        if not own:
            continue
        if isinstance(item, ResponseFunctionToolCall):
            yield _handoff_step(path, item, own)
            continue
        content: Any = getattr(item, "content", None)
        for number, block in enumerate(content or ()):
            place = f"{path}.content[{number}]"
            inside = tuple(part for part in own if _within(part.id, [place]))
            data = reading.data(getattr(block, "text", "") or "")
            if data is not None and inside:
                yield from whole(data, inside, place)
            else:
                yield from inside


def _within(part: str, places: list[str]) -> bool:
    return any(part == place or part.startswith((f"{place}.", f"{place}[")) for place in places)


def _handoff_step(path: str, call: ResponseFunctionToolCall, own: list[Part]) -> Part:
    arguments = loaded(call.arguments)
    first = own[0]
    return first.model_copy(
        update={
            "id": path,
            "text": call_text(call.name, arguments),
            "kind": "handoff",
            "call_id": call.call_id,
            "data": {"name": call.name, "args": arguments},
        }
    )


def can_redirect(agent: Any) -> bool:
    """Whether an agent has hand-offs that can take each other's place."""
    schemas = [getattr(item, "input_json_schema", None) or _NOTHING for item in agent.handoffs]
    return any(schemas.count(schema) > 1 for schema in schemas)


def fits(other: Any, instead_of: Any) -> bool:
    """Whether a hand-off takes the arguments of another."""
    return instead_of is None or other.input_json_schema == instead_of.input_json_schema


def redirected(response: ModelResponse, call: Any, other: Any) -> ModelResponse:
    """A copy of an answer in which a hand-off goes to another agent."""
    output = [
        item.model_copy(update={"name": other.tool_name}) if getattr(item, "call_id", None) == call.call_id else item
        for item in response.output
    ]
    return replace(response, output=output)
