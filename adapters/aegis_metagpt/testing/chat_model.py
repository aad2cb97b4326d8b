"""The simulated chat model behind MetaGPT's own interface of a model."""

from __future__ import annotations

from typing import Any

from metagpt.configs.llm_config import LLMConfig
from metagpt.provider.base_llm import BaseLLM

from aegis_core.world import Message, SimulatedModel

__all__ = ["SimulatedLLM"]

_NAME = "simulated"


class SimulatedLLM(BaseLLM):
    """`aegis_core.world.SimulatedModel` for a role or an action: with usage, streamed or not; no network.

    It keeps the system prompt of who uses it, so each role gets one of its own. Messages of other agents are told by
    their `name`.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    def __init__(self, seed: int = 0, slip_rate: float = 0.5) -> None:
        self.config = LLMConfig(api_key=_NAME, model=_NAME, stream=False)
        self.model = _NAME
        self._simulated = SimulatedModel(seed, slip_rate)

    async def _achat_completion(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        reply = self._simulated.reply([_plain(message) for message in messages])
        self._update_costs({"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens})
        return {"choices": [{"message": {"role": "assistant", "content": reply.content}}]}

    async def acompletion(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        return await self._achat_completion(messages)

    async def _achat_completion_stream(self, messages: list[dict[str, Any]], **_: Any) -> str:
        return str(self.get_choice_text(await self._achat_completion(messages)))


def _plain(message: dict[str, Any]) -> Message:
    text, name = str(message["content"]), str(message.get("name", ""))
    if message["role"] == "system":
        return Message("system", text, name)
    return Message("assistant" if message["role"] == "assistant" else "user", text, name)
