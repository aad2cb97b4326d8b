"""How results of nodes, models and tools become plain data, and back."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_core.trajectory import Agent
from aegis_langgraph.texts.messages import message_parts, write_message
from aegis_langgraph.texts.state import Naming
from aegis_langgraph.texts.update import texts_of_update, written
from aegis_langgraph.texts.values import decode, encode, tagged

__all__ = ["AnswerCodec", "MessageIds", "ModelCodec", "NodeCodec", "NodeResult", "ValueCodec"]


@dataclass(frozen=True)
class NodeResult:
    """What a node returned, and in how many attempts.

    `repeated` are the ids of the parts by which it hands on what agents inside it have said, `agents` those that were
    met inside it, if their kinds have to be told.
    """

    value: Any
    attempts: int = 1
    repeated: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()


class MessageIds:
    """Ids of messages, which frameworks draw at random, as names that are the same in every run.

    A result may hold messages that were there before: in what the node got, or made earlier in the turn. On the tape
    they are named by where they stood, so that the message of *this* run is meant when the result is served.
    """

    def __init__(self) -> None:
        self._known: dict[str, BaseMessage] = {}

    def learn(self, place: str, messages: Iterable[BaseMessage]) -> None:
        """Remember messages. Their ids are read when they are needed: the framework may give them one only later."""
        for index, message in enumerate(messages):
            self._known.setdefault(f"{place}[{index}]", message)

    def written(self, data: JsonValue) -> JsonValue:
        """Encoded data with names for ids."""
        names = {message.id: name for name, message in reversed(self._known.items()) if message.id is not None}

        def name(found: JsonValue, _: int) -> JsonValue:
            if isinstance(found, str) and found in names:
                return tagged("id", names[found])
            drawn = found is None or (isinstance(found, str) and _DRAWN.fullmatch(found))
            return tagged("id", "new") if drawn else found

        return _with_ids(data, name, [0])

    def read(self, data: JsonValue, new_id: Callable[[str], str]) -> JsonValue:
        """Encoded data with the ids of this run; a message that is new in it gets one from `new_id`."""

        def live(found: JsonValue, position: int) -> JsonValue:
            if not isinstance(found, dict):
                return found
            known = self._known.get(str(found["value"]))
            return known.id if known is not None and known.id is not None else new_id(f"new[{position}]")

        return _with_ids(data, live, [0])


_HEX = "[0-9a-fA-F]"
_DRAWN = re.compile(rf"(?:[a-z_]+[-_]{{1,2}})?{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?:-\d+)?")
"""Ids that LangGraph, LangChain and providers draw."""


def _with_ids(data: JsonValue, change: Callable[[JsonValue, int], JsonValue], count: list[int]) -> JsonValue:
    if isinstance(data, list):
        return [_with_ids(item, change, count) for item in data]
    if not isinstance(data, dict):
        return data
    if data.get("$") == "message" and isinstance(fields := data["value"], dict):
        count[0] += 1
        return {**data, "value": {**fields, "id": change(fields.get("id"), count[0] - 1)}}
    return {key: _with_ids(item, change, count) for key, item in data.items()}


class NodeCodec:
    """Codec of the results of one node.

    Args:
        naming: names that texts may hold.
        ids: the messages that a result may refer to.
        new_id: gives an id to a message that has none.
        meet: is told of the agents inside a node that is served.
    """

    def __init__(
        self, naming: Naming, ids: MessageIds, new_id: Callable[[str], str], meet: Callable[[Iterable[Agent]], None]
    ) -> None:
        self._naming = naming
        self._ids = ids
        self._new_id = new_id
        self._meet = meet

    def encode(self, result: NodeResult) -> JsonValue:
        payload: dict[str, JsonValue] = {"value": self._ids.written(encode(result.value)), "attempts": result.attempts}
        if result.repeated:
            payload["repeated"] = list(result.repeated)
        if result.agents:
            payload["agents"] = {agent.path: agent.kind for agent in result.agents}
        return payload

    def decode(self, payload: JsonValue) -> NodeResult:
        if not isinstance(payload, dict) or "attempts" not in payload:
            raise ReplayError(
                "this tape was not written by the LangGraph adapter; replay it with the one that wrote it"
            )
        value = decode(self._ids.read(payload["value"], self._new_id))
        repeated = payload.get("repeated")
        told = tuple(map(str, repeated)) if isinstance(repeated, list) else ()
        agents = payload.get("agents")
        met = tuple(
            Agent.model_validate({"path": path, "kind": kind})
            for path, kind in (agents.items() if isinstance(agents, dict) else ())
        )
        self._meet(met)
        return NodeResult(value, int(str(payload["attempts"])), told, met)

    def parts(self, result: NodeResult) -> tuple[Part, ...]:
        """Texts of tool results can be altered here: this is where the environment is."""
        return tuple(
            text.part.model_copy(update={"editable": True}) if text.part.kind == "tool_result" else text.part
            for text in texts_of_update(result.value, self._naming)
        )

    def write(self, result: NodeResult, texts: Mapping[str, str]) -> NodeResult:
        return dataclasses.replace(result, value=written(result.value, texts, self._new_id))


class ModelCodec:
    """Codec of the result of a chat model."""

    def encode(self, result: ChatResult) -> JsonValue:
        return {
            "messages": [_NO_IDS.written(encode(generation.message)) for generation in result.generations],
            "info": [encode(generation.generation_info) for generation in result.generations],
            "output": encode(result.llm_output),
        }

    def decode(self, payload: JsonValue) -> ChatResult:
        data: Any = payload
        return ChatResult(
            generations=[
                ChatGeneration(message=_unnamed(message), generation_info=decode(info))
                for message, info in zip(data["messages"], data["info"], strict=True)
            ],
            llm_output=decode(data["output"]),
        )

    def parts(self, result: ChatResult) -> tuple[Part, ...]:
        return tuple(
            part
            for index, generation in enumerate(result.generations)
            for part in message_parts(f"[{index}]", generation.message, {})
        )

    def write(self, result: ChatResult, texts: Mapping[str, str]) -> ChatResult:
        generations = [
            ChatGeneration(
                message=write_message(f"[{index}]", generation.message, texts),
                generation_info=generation.generation_info,
            )
            for index, generation in enumerate(result.generations)
        ]
        return ChatResult(generations=generations, llm_output=result.llm_output)


class AnswerCodec(ModelCodec):
    """The same for a model inside an agent's loop: a result has one form, be it seen before or after LangChain itself
    has completed it.
    """

    def encode(self, result: ChatResult) -> JsonValue:
        return super().encode(ChatResult(generations=[_completed(generation) for generation in result.generations]))


def _completed(generation: ChatGeneration) -> ChatGeneration:
    message = message_chunk_to_message(generation.message)
    metadata = {**(generation.generation_info or {}), **message.response_metadata}
    return ChatGeneration(message=message.model_copy(update={"response_metadata": metadata}))


_NO_IDS = MessageIds()


def _unnamed(data: JsonValue) -> Any:
    """A message without an id, if it had one that was drawn: LangChain gives it another."""
    return decode(_with_ids(data, lambda found, _: None if isinstance(found, dict) else found, [0]))


class ValueCodec:
    """Codec of the result of a tool."""

    def encode(self, result: Any) -> JsonValue:
        return encode(result)

    def decode(self, payload: JsonValue) -> Any:
        return decode(payload)

    def parts(self, result: Any) -> tuple[Part, ...]:
        return tuple(
            text.part.model_copy(update={"editable": True, "kind": "tool_result", "role": "tool"})
            for text in texts_of_update(result, Naming())
        )

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        return written(result, texts, str)
