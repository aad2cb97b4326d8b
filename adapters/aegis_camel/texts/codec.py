"""How the result of a model becomes plain data and parts, and back; whole or in pieces."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from camel.types import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel, JsonValue

from aegis_camel.texts.messages import call_text
from aegis_camel.texts.pieces import joined, pieces
from aegis_camel.texts.shapes import shape_of
from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_core.trajectory import Usage

__all__ = ["Answer", "AnswerCodec", "NodeNames", "is_drawn", "usage_of"]

_DRAWN = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{10,}")


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a model answered. `form` is how it gave it: `whole`, `stream`, or `events` (a structured stream).

    It is `other` where `completion` is no completion at all: what comes of that is up to the framework.
    """

    completion: ChatCompletion
    form: str = "whole"


def is_drawn(name: str) -> bool:
    """Whether an id was drawn at random, or is the address of an object."""
    return _DRAWN.fullmatch(name) is not None


class NodeNames:
    """Ids of the nodes of a workforce, which are random, as names on the tape that are the same in every run."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def learn(self, node_id: str, path: str) -> None:
        """The node with this id is the agent at this path. An id that somebody gave it is a word like any other."""
        if is_drawn(node_id):
            self._names[node_id] = f"\u27e6{path}\u27e7"

    def hidden(self, text: str) -> str:
        """A text with names for ids."""
        for node_id, name in self._names.items():
            text = text.replace(node_id, name)
        return text

    def shown(self, text: str) -> str:
        """A text with the ids of this run."""
        for node_id, name in self._names.items():
            text = text.replace(name, node_id)
        return text


class AnswerCodec:
    """Codec of what a model answers.

    Args:
        names: nodes that the text may name.
        form: the class into which the framework asked the answer to be parsed.
    """

    def __init__(self, names: NodeNames, response_format: Any = None) -> None:
        self._names = names
        self._format = response_format

    def encode(self, result: Answer) -> JsonValue:
        if result.form == "other":
            raise TypeError(f"a model answered with a {type(result.completion).__name__}, not with a ChatCompletion")
        data: dict[str, Any] = result.completion.model_dump(mode="json", exclude={"created"}, warnings=False)
        for choice in data.get("choices", ()):
            message = choice["message"]
            message.pop("parsed", None)
            if isinstance(message.get("content"), str):
                message["content"] = self._names.hidden(message["content"])
        payload: dict[str, JsonValue] = {"form": result.form, "completion": data}
        # What is said inside of data stands on the tape word by word too, for whoever reads it.
        texts: list[JsonValue] = [self._names.hidden(part.text) for part in self.parts(result) if "#" in part.id]
        return {**payload, "texts": texts} if texts else payload

    def decode(self, payload: JsonValue) -> Answer:
        if not isinstance(payload, dict) or not isinstance(data := payload.get("completion"), dict):
            raise ReplayError("this tape was not written by the CAMEL adapter; replay it with the one that wrote it")
        completion = ChatCompletion.model_validate({**data, "created": 0})
        for choice in completion.choices:
            if choice.message.content is not None:
                choice.message.content = self._names.shown(choice.message.content)
            self._parse(choice.message)
        return Answer(completion, str(payload.get("form", "whole")))

    def _parse(self, message: Any) -> None:
        if not (isinstance(self._format, type) and issubclass(self._format, BaseModel)) or not message.content:
            return
        try:
            message.parsed = self._format.model_validate_json(message.content)
        except ValueError:
            return

    def parts(self, result: Answer) -> tuple[Part, ...]:
        found: list[Part] = []
        if result.form == "other":
            return ()
        for index, choice in enumerate(result.completion.choices):
            place = f"choices[{index}]"
            found += shape_of(choice.message.content or "").parts(place, role="assistant")
            for number, call in enumerate(choice.message.tool_calls or ()):
                found += _call_parts(f"{place}.tool_calls[{number}]", call)
        return tuple(found)

    def write(self, result: Answer, texts: Mapping[str, str]) -> Answer:
        completion = result.completion.model_copy(deep=True)
        for index, choice in enumerate(completion.choices):
            place = f"choices[{index}]"
            before = choice.message.content
            if before is not None and (after := shape_of(before).write(place, texts)) != before:
                choice.message.content = after
                if getattr(choice.message, "parsed", None) is not None:
                    choice.message.parsed = None  # type: ignore[attr-defined]  # of what was parsed by the provider
                    self._parse(choice.message)
            for number, call in enumerate(choice.message.tool_calls or ()):
                function: Any = getattr(call, "function", None)
                if function is not None:
                    function.arguments = shape_of(function.arguments).write(f"{place}.tool_calls[{number}]", texts)
        return dataclasses.replace(result, completion=completion)

    def join(self, chunks: Sequence[ChatCompletionChunk]) -> Answer:
        """The whole of a stream."""
        return Answer(joined(list(chunks)), "stream")

    def split(self, result: Answer) -> Iterator[ChatCompletionChunk]:
        """A stream of what is whole."""
        return pieces(result.completion)


def _call_parts(place: str, call: Any) -> Iterable[Part]:
    function: Any = getattr(call, "function", None)
    if function is None:
        return ()
    data: JsonValue = {"name": function.name}
    shape = shape_of(function.arguments)
    if isinstance(shape.data, dict) and shape.data:
        own = {"role": "assistant", "kind": "tool_call", "call_id": call.id or None, "data": data}
        return shape.parts(place, **own)
    text = call_text(function.name, function.arguments)
    return (
        Part(
            id=place, text=text, role="assistant", editable=False, kind="tool_call", call_id=call.id or None, data=data
        ),
    )


def usage_of(completion: ChatCompletion) -> Usage | None:
    """The tokens that the model told of; providers leave fields out, or set them to None."""
    usage: Any = completion.usage
    if usage is None:
        return None
    told = (usage.prompt_tokens, usage.completion_tokens)
    return Usage(input_tokens=told[0] or 0, output_tokens=told[1] or 0) if told != (None, None) else None
