"""The simulated chat model as a model of CAMEL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from camel.models import BaseModelBackend
from camel.models.stub_model import StubTokenCounter
from camel.types import ChatCompletion, ModelType
from camel.utils import BaseTokenCounter

from aegis_core.world import Message, Reply, SimulatedModel, ToolCall, ToolSpec

__all__ = ["SimulatedChatModel", "handing_on"]

_REPORT = re.compile(r"^Report of (\w+):\n", re.MULTILINE)
_WORK = re.compile(
    r"Here is the content of the task that you need to do:\n=+\n(?P<task>.*?)\n=+\n.*?"
    r"results of some prerequisite tasks that you can refer to:\n+=+\n(?P<results>.*?)\n=+\n"
    r".*?STRUCTURED OUTPUT.*?properly formatted\.(?P<after>.*)",
    re.DOTALL,
)
"""What a workforce tells a worker: the task, and what came of those that it depends on."""
_RESULT = re.compile(r"^id: (\w+), content: .*?\. result: (.*?)\.(?=\nid: |\Z)", re.DOTALL | re.MULTILINE)


def handing_on(head: str, works: Mapping[str, str]) -> str:
    """The text with which a member is handed a piece of work, and the works of others, by their names."""
    told = [head] if head else []
    return "\n\n".join([*told, *(f"Report of {name}:\n{text}" for name, text in works.items() if text)])


class SimulatedChatModel(BaseModelBackend):
    """`aegis_core.world.SimulatedModel` behind CAMEL's interface: tools, usage, sync and async; no network.

    CAMEL's messages have no author. The works of others are told by the line before them (`handing_on`), or, of a
    workforce, by the ids of the tasks that a worker's task depends on; the answer is then the JSON that it asks for.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1].
    """

    def __init__(self, seed: int = 0, slip_rate: float = 0.5) -> None:
        super().__init__(ModelType.STUB, {})
        self._simulated = SimulatedModel(seed, slip_rate)

    @property
    def token_counter(self) -> BaseTokenCounter:
        if not self._token_counter:
            self._token_counter = StubTokenCounter()
        return self._token_counter

    def _run(self, messages: Any, response_format: Any = None, tools: Any = None) -> ChatCompletion:
        del response_format
        reply = self._simulated.reply(
            [plain for message in messages for plain in _plain(message)], [_spec(tool) for tool in tools or ()]
        )
        return _completion(reply, as_work=any(_work(message) for message in messages))

    def _told(self, text: str) -> ChatCompletion:
        """A text of no simulated agent as a completion."""
        return _completion(Reply(text, (), len(text) // 4 + 1, len(text) // 4 + 1), as_work=False)

    async def _arun(self, messages: Any, response_format: Any = None, tools: Any = None) -> ChatCompletion:
        return self._run(messages, response_format, tools)


def _work(message: Mapping[str, Any]) -> re.Match[str] | None:
    return _WORK.search(str(message.get("content") or "")) if message.get("role") == "user" else None


def _plain(message: Mapping[str, Any]) -> Iterator[Message]:
    role, text = message["role"], str(message.get("content") or "")
    if role == "system":
        yield Message("system", text)
    elif role == "tool":
        yield Message("tool", text, tool_call_id=str(message["tool_call_id"]))
    elif role == "assistant":
        calls = tuple(
            ToolCall(call["id"], call["function"]["name"], _arguments(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        )
        yield Message("assistant", text, tool_calls=calls)
    elif (work := _work(message)) is not None:
        yield Message("user", f"{work['task']}\n{work['after'].strip()}".strip())
        yield from (Message("user", told, name) for name, told in _RESULT.findall(work["results"]))
    else:
        head, *told = _REPORT.split(text)
        if head.strip():
            yield Message("user", head.strip())
        yield from (Message("user", work.strip(), name) for name, work in zip(told[::2], told[1::2], strict=True))


def _arguments(text: str) -> dict[str, str]:
    return {key: str(value) for key, value in json.loads(text).items()}


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    function = tool["function"]
    arguments = tuple(function.get("parameters", {}).get("properties", {}))
    return ToolSpec(function["name"], function.get("description", ""), arguments)


def _completion(reply: Reply, *, as_work: bool) -> ChatCompletion:
    calls: Sequence[dict[str, Any]] = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
        }
        for call in reply.tool_calls
    ]
    text = reply.content
    if as_work and not calls:
        text = json.dumps({"content": text, "failed": False}, ensure_ascii=False)
    message = {"role": "assistant", "content": text, "tool_calls": calls or None}
    n_tokens = (reply.input_tokens, reply.output_tokens)
    return ChatCompletion.model_validate(
        {
            "id": "chatcmpl-simulated",
            "object": "chat.completion",
            "created": 0,
            "model": "simulated",
            "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}],
            "usage": {"prompt_tokens": n_tokens[0], "completion_tokens": n_tokens[1], "total_tokens": sum(n_tokens)},
        }
    )
