"""The events of a streamed answer: put together to an answer, and made of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agents import ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)

__all__ = ["ends", "joined", "split"]

_WORD = re.compile(r"\S+\s*|\s+")


def ends(event: Any) -> bool:
    """Whether this event brings the whole answer."""
    return isinstance(event, ResponseCompletedEvent)


def joined(events: Iterable[Any]) -> ModelResponse | None:
    """The answer that a stream came to, as the SDK makes it; None if it broke off."""
    done: list[Any] = []
    for event in events:
        if isinstance(event, ResponseOutputItemDoneEvent):
            done.append(event.item)
        elif isinstance(event, ResponseCompletedEvent):
            response = event.response
            return ModelResponse(
                output=list(response.output) or done, usage=_usage(response.usage), response_id=response.id
            )
    return None


def _usage(told: ResponseUsage | None) -> Usage:
    if told is None:
        return Usage()
    return Usage(
        requests=1,
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        total_tokens=told.total_tokens,
        input_tokens_details=told.input_tokens_details,
        output_tokens_details=told.output_tokens_details,
    )


def split(answer: ModelResponse) -> Iterator[Any]:
    """Events for a whole answer: each item begun, its text in words, and ended; then the answer."""
    number = iter(range(1_000_000))
    whole = _response(answer)
    yield ResponseCreatedEvent(
        response=whole.model_copy(update={"output": []}), type="response.created", sequence_number=next(number)
    )
    for index, item in enumerate(answer.output):
        yield ResponseOutputItemAddedEvent(
            item=_begun(item), output_index=index, type="response.output_item.added", sequence_number=next(number)
        )
        yield from _inside(item, index, number)
        yield ResponseOutputItemDoneEvent(
            item=item, output_index=index, type="response.output_item.done", sequence_number=next(number)
        )
    yield ResponseCompletedEvent(response=whole, type="response.completed", sequence_number=next(number))


def _begun(item: Any) -> Any:
    if isinstance(item, ResponseOutputMessage):
        return item.model_copy(update={"content": [], "status": "in_progress"})
    return item.model_copy(update={"arguments": ""}) if isinstance(item, ResponseFunctionToolCall) else item


def _inside(item: Any, index: int, number: Iterator[int]) -> Iterator[Any]:
    if isinstance(item, ResponseFunctionToolCall):
        shared: dict[str, Any] = {"item_id": item.id or item.call_id, "output_index": index}
        yield ResponseFunctionCallArgumentsDeltaEvent(
            delta=item.arguments,
            type="response.function_call_arguments.delta",
            sequence_number=next(number),
            **shared,
        )
        yield ResponseFunctionCallArgumentsDoneEvent(
            arguments=item.arguments,
            type="response.function_call_arguments.done",
            sequence_number=next(number),
            **shared | {"name": item.name},  # a field that came with openai 2
        )
    elif isinstance(item, ResponseOutputMessage):
        for place, block in enumerate(item.content):
            yield from _block(item, block, {"item_id": item.id, "output_index": index, "content_index": place}, number)


def _block(item: ResponseOutputMessage, block: Any, shared: dict[str, Any], number: Iterator[int]) -> Iterator[Any]:
    del item
    text = isinstance(block, ResponseOutputText)
    empty = block.model_copy(update={"text": ""}) if text else block
    yield ResponseContentPartAddedEvent(
        part=empty, type="response.content_part.added", sequence_number=next(number), **shared
    )
    if text:
        for word in _WORD.findall(block.text):
            yield ResponseTextDeltaEvent(
                delta=word, logprobs=[], type="response.output_text.delta", sequence_number=next(number), **shared
            )
        yield ResponseTextDoneEvent(
            text=block.text, logprobs=[], type="response.output_text.done", sequence_number=next(number), **shared
        )
    yield ResponseContentPartDoneEvent(
        part=block, type="response.content_part.done", sequence_number=next(number), **shared
    )


def _response(answer: ModelResponse) -> Response:
    usage = answer.usage
    told = ResponseUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        input_tokens_details=usage.input_tokens_details,
        output_tokens_details=usage.output_tokens_details,
    )
    return Response(
        id=answer.response_id or "",
        created_at=0,
        model="",
        object="response",
        output=list(answer.output),
        parallel_tool_calls=True,
        tool_choice="auto",
        tools=[],
        usage=told,
    )
