"""What a model answers, as parts and as plain data, and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents import ModelResponse, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputItem, ResponseOutputMessage
from pydantic import BaseModel, JsonValue, TypeAdapter
from pydantic_core import PydanticSerializationError

from aegis_core.adapter import Part
from aegis_core.run.values import plain_data, value_parts, write_value
from aegis_core.trajectory import Usage as Tokens
from aegis_openai_agents.requests import call_text, loaded

__all__ = ["Reading", "ResponseCodec", "answer_text", "tokens_of"]

_ITEM: TypeAdapter[Any] = TypeAdapter(ResponseOutputItem)
_USAGE: TypeAdapter[Any] = TypeAdapter(Usage)


@dataclass(frozen=True)
class Reading:
    """How the answers of one model call are read.

    Args:
        handoffs: names of the calls that hand over.
        structured: whether the final message is data as JSON (`output_type`): each text in it is a part of its own.
    """

    handoffs: frozenset[str] = frozenset()
    structured: bool = False

    def parts(self, response: ModelResponse) -> tuple[Part, ...]:
        """The texts of an answer: its messages, and its calls. What is handed over with a hand-off can be edited."""
        return tuple(part for index, item in enumerate(response.output) for part in self.item_parts(f"[{index}]", item))

    def item_parts(self, path: str, item: Any) -> Iterator[Part]:
        """The parts of one item."""
        if isinstance(item, ResponseOutputMessage):
            for place, text in _message_texts(path, item):
                yield from self.text_parts(place, text)
        elif isinstance(item, ResponseFunctionToolCall):
            yield from self.call_parts(path, item)

    def text_parts(self, place: str, text: str) -> tuple[Part, ...]:
        """The parts of one text of a message."""
        data = self.data(text)
        inside = value_parts(data, root=place, role="assistant") if data is not None else ()
        return inside or (Part(id=place, text=text, role="assistant"),)

    def data(self, text: str) -> Any:
        """What a text holds as data; None if it is a text and nothing else."""
        value = loaded(text) if self.structured else None
        return value if isinstance(value, dict | list) else None

    def call_parts(self, path: str, call: ResponseFunctionToolCall) -> tuple[Part, ...]:
        """A call as a part; of a hand-off that takes something along, the texts of that."""
        arguments = loaded(call.arguments)
        if call.name in self.handoffs and arguments:
            inside = value_parts(arguments, root=f"{path}.arguments", role="assistant", kind="handoff")
            if inside:
                return inside
        kind: Any = "handoff" if call.name in self.handoffs else "tool_call"
        return (
            Part(
                id=path,
                text=call_text(call.name, arguments),
                role="assistant",
                editable=False,
                kind=kind,
                call_id=call.call_id,
                data={"name": call.name, "args": arguments},
            ),
        )

    def write(self, response: ModelResponse, texts: Mapping[str, str]) -> ModelResponse:
        """A copy with the texts of these parts replaced; items that are not touched are shared."""
        if not texts:
            return response
        output = [self._written(f"[{index}]", item, texts) for index, item in enumerate(response.output)]
        return dataclasses.replace(response, output=output)

    def _written(self, path: str, item: Any, texts: Mapping[str, str]) -> Any:
        if isinstance(item, ResponseOutputMessage):
            blocks = list(item.content)
            for index, block in enumerate(blocks):
                place = f"{path}.content[{index}]"
                key = "text" if hasattr(block, "text") else "refusal"
                old = getattr(block, key)
                new = self._text(place, old, texts)
                if new != old:
                    blocks[index] = block.model_copy(update={key: new})
            return item.model_copy(update={"content": blocks})
        if isinstance(item, ResponseFunctionToolCall) and item.name in self.handoffs:
            arguments = loaded(item.arguments)
            new = write_value(arguments, texts, root=f"{path}.arguments")
            return item if new == arguments else item.model_copy(update={"arguments": _json(new)})
        return item

    def _text(self, place: str, text: str, texts: Mapping[str, str]) -> str:
        data = self.data(text)
        if data is None:
            return texts.get(place, text)
        new = write_value(data, texts, root=place)
        return text if new == data else _json(new)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _message_texts(path: str, message: ResponseOutputMessage) -> Iterator[tuple[str, str]]:
    for index, block in enumerate(message.content):
        text = getattr(block, "text", None)
        if text is None:
            text = getattr(block, "refusal", "")
        if text:
            yield f"{path}.content[{index}]", text


class ResponseCodec:
    """Answers of models as plain data: the items as the SDK dumps them, the usage, the ids."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def encode(self, result: ModelResponse) -> JsonValue:
        more = {
            field.name: plain_data(getattr(result, field.name))
            for field in dataclasses.fields(result)
            if field.name not in ("output", "usage", "response_id", "request_id")
        }
        return {
            "output": [_dumped(item) for item in result.output],
            "usage": _USAGE.dump_python(result.usage, mode="json"),
            "response_id": result.response_id,
            "request_id": getattr(result, "request_id", None),
            "more": more,
        }

    def decode(self, payload: JsonValue) -> ModelResponse:
        assert isinstance(payload, dict)
        fields: dict[str, Any] = dict(payload)
        more = {name: value for name, value in fields.pop("more").items() if value is not None}
        fields["output"] = [_ITEM.validate_python(item) for item in fields["output"]]
        fields["usage"] = _USAGE.validate_python(fields["usage"])
        if fields["request_id"] is None:
            del fields["request_id"]
        return ModelResponse(**fields, **more)

    def parts(self, result: ModelResponse) -> tuple[Part, ...]:
        return self.reading.parts(result)

    def write(self, result: ModelResponse, texts: Mapping[str, str]) -> ModelResponse:
        return self.reading.write(result, texts)


def _dumped(item: Any) -> JsonValue:
    """An item as plain data. One that has no such form is recorded all the same; it can't be served."""
    try:
        dumped: JsonValue = item.model_dump(mode="json", exclude_unset=True)
    except (PydanticSerializationError, AttributeError):
        return plain_data(item)
    return dumped


def tokens_of(response: ModelResponse) -> Tokens | None:
    """The tokens of one call, as far as its model tells them."""
    usage = response.usage
    counts = (usage.input_tokens or 0, usage.output_tokens or 0) if usage is not None else (0, 0)
    return Tokens(input_tokens=counts[0], output_tokens=counts[1]) if any(counts) else None


def answer_text(output: Any) -> str | None:
    """A final output as text: data as JSON."""
    if output is None or isinstance(output, str):
        return output or None
    if isinstance(output, BaseModel):
        return output.model_dump_json()
    if dataclasses.is_dataclass(output) and not isinstance(output, type):
        output = dataclasses.asdict(output)
    return json.dumps(output, ensure_ascii=False, default=str)
