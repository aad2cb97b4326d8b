"""The simulated chat model as a model of smolagents."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from smolagents import Model, Tool
from smolagents.models import ChatMessage

from aegis_core.world import Message, SimulatedModel, ToolCall, ToolSpec
from aegis_smolagents.testing.memory import Memory, asking, read

__all__ = ["SimulatedChatModel"]

_FINAL = "final_answer"


class SimulatedChatModel(Model):
    """`aegis_core.world.SimulatedModel` behind smolagents' interface, for a `ToolCallingAgent`; no network.

    What colleagues wrote comes in the additional arguments of the task, a text by the name of its author. What the
    model says is the argument of `final_answer`. Ids of tool calls are derived from the conversation.

    Args:
        name: of the agent: what it wrote itself is among the arguments under this name.
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    def __init__(self, name: str, seed: int = 0, slip_rate: float = 0.5) -> None:
        super().__init__(model_id="simulated")
        self._name = name
        self._model = SimulatedModel(seed, slip_rate)

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Tool] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """The next tool calls of the agent, or its final answer."""
        del stop_sequences, response_format, kwargs
        memory = read(messages)
        tools = [tool for tool in tools_to_call_from or () if tool.name != _FINAL]
        reply = self._model.reply(list(self._conversation(memory)), [_spec(tool) for tool in tools])
        calls: Sequence[tuple[str, str, Any]] = [(call.id, call.name, call.arguments) for call in reply.tool_calls]
        if not calls:
            digest = zlib.crc32(f"{self._name}|{memory.task}|{reply.content}".encode())
            calls = [(f"call_{digest:08x}", _FINAL, {"answer": reply.content})]
        return asking(calls, n_input=reply.input_tokens, n_output=reply.output_tokens)

    def _conversation(self, memory: Memory) -> Iterator[Message]:
        yield Message("system", memory.system)
        yield Message("user", memory.task)
        for author, text in memory.given.items():
            yield Message("assistant" if author == self._name else "user", text, author)
        for calls, observed in zip(memory.calls, memory.observed, strict=False):
            asked = tuple(ToolCall(call_id, name, arguments) for call_id, name, arguments in calls)
            yield Message("assistant", "", self._name, asked)
            answers = observed.split("\n")  # one line each, in the order of the ids: so smolagents puts them together
            for call_id, answer in zip(sorted(call.id for call in asked), answers, strict=False):
                yield Message("tool", answer, tool_call_id=call_id)


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(tool.name, tool.description, tuple(tool.inputs))
