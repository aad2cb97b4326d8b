"""The simulated chat model as a LangChain chat model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from aegis_core.world import Message, SimulatedModel, ToolCall, ToolSpec

__all__ = ["SimulatedChatModel"]


class SimulatedChatModel(BaseChatModel):
    """`aegis_core.world.SimulatedModel` behind LangChain's interface: tools, usage, sync and async; no network.

    Messages of other agents are told by their `name`. Ids of tool calls are derived from the conversation.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    seed: int = 0
    slip_rate: float = 0.5

    @property
    def _llm_type(self) -> str:
        return "aegis-simulated"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": "simulated", "seed": self.seed, "slip_rate": self.slip_rate}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools that it may call. `tool_choice` is accepted and left to the model."""
        del tool_choice
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager
        model = SimulatedModel(self.seed, self.slip_rate)
        reply = model.reply(
            [_plain(message) for message in messages], [_spec(tool) for tool in kwargs.get("tools", ())]
        )
        usage = UsageMetadata(
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            total_tokens=reply.input_tokens + reply.output_tokens,
        )
        calls = [{"id": call.id, "name": call.name, "args": dict(call.arguments)} for call in reply.tool_calls]
        message = AIMessage(
            content=reply.content,
            tool_calls=calls,
            usage_metadata=usage,
            response_metadata={"model_name": "simulated", "finish_reason": "tool_calls" if calls else "stop"},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del run_manager
        return self._generate(messages, stop, None, **kwargs)


def _plain(message: BaseMessage) -> Message:
    text, name = str(message.text), message.name or ""
    if isinstance(message, SystemMessage):
        return Message("system", text, name)
    if isinstance(message, ToolMessage):
        return Message("tool", text, name, tool_call_id=message.tool_call_id)
    if isinstance(message, AIMessage):
        calls = tuple(
            ToolCall(call["id"] or "", call["name"], {key: str(value) for key, value in call["args"].items()})
            for call in message.tool_calls
        )
        return Message("assistant", text, name, calls)
    return Message("user", text, name)


def _spec(tool: dict[str, Any]) -> ToolSpec:
    function = tool["function"]
    arguments = tuple(function.get("parameters", {}).get("properties", {}))
    return ToolSpec(function["name"], function.get("description", ""), arguments)
