"""The simulated chat model as a model of the OpenAI Agents SDK."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from agents import Model, ModelResponse

from aegis_core.world import Message, SimulatedModel, ToolCall, ToolSpec
from aegis_openai_agents.requests import loaded
from aegis_openai_agents.testing.items import answer, asked, events, message

__all__ = ["SimulatedChatModel", "from_agent"]

_SPEAKER = re.compile(r"(\w+):")


def from_agent(name: str, text: str) -> dict[str, Any]:
    """What another agent said, as an item of the input: the SDK's messages have no names, so that is a text of its
    own in front.
    """
    return {
        "role": "user",
        "content": [{"type": "input_text", "text": f"{name}:"}, {"type": "input_text", "text": text}],
    }


class SimulatedChatModel(Model):
    """`aegis_core.world.SimulatedModel` behind the SDK's interface: tools, usage, streams; no network.

    Ids of calls are derived from the conversation.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    model = "simulated"

    def __init__(self, seed: int = 0, slip_rate: float = 0.5) -> None:
        self._simulated = SimulatedModel(seed, slip_rate)

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        model_settings: Any,
        tools: list[Any],
        *rest: Any,
        **more: Any,
    ) -> ModelResponse:
        del model_settings, rest, more
        messages = [Message("system", system_instructions)] if system_instructions else []
        reply = self._simulated.reply([*messages, *_messages(input)], [_spec(tool) for tool in tools])
        said = [message(reply.content)] if reply.content else []
        calls = [asked(call.name, call.arguments, call_id=call.id) for call in reply.tool_calls]
        return answer(*said, *calls, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  the SDK passes it by this name
        *rest: Any,
        **more: Any,
    ) -> AsyncIterator[Any]:
        for event in events(await self.get_response(system_instructions, input, *rest, **more)):
            yield event


def _messages(items: Any) -> Iterator[Message]:
    """The items of a request as messages; calls of one answer are one message."""
    calls: list[ToolCall] = []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("type") == "function_call":
            arguments = loaded(item["arguments"])
            assert isinstance(arguments, Mapping)
            calls.append(ToolCall(item["call_id"], item["name"], {key: str(value) for key, value in arguments.items()}))
            continue
        if calls:
            yield Message("assistant", "", "", tuple(calls))
            calls = []
        yield _message(item)


def _message(item: Mapping[str, Any]) -> Message:
    if item.get("type") == "function_call_output":
        return Message("tool", str(item["output"]), "", tool_call_id=item["call_id"])
    content, name = item.get("content", ""), ""
    if not isinstance(content, str):
        texts = [str(block.get("text", "")) for block in content]
        speaker = _SPEAKER.fullmatch(texts[0]) if len(texts) > 1 else None
        name, texts = (speaker[1], texts[1:]) if speaker else ("", texts)
        content = "\n".join(texts)
    return Message("assistant" if item.get("role") == "assistant" else "user", content, name)


def _spec(tool: Any) -> ToolSpec:
    return ToolSpec(tool.name, tool.description, tuple(tool.params_json_schema.get("properties", {})))
