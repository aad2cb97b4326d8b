"""What models return, as plain data and parts, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from autogen_core.models import CreateResult, RequestUsage
from pydantic import JsonValue

from aegis_autogen.texts.requests import call_part
from aegis_core.adapter import Part
from aegis_core.errors import ReplayError
from aegis_core.run.values import value_parts, write_value

__all__ = ["ModelCodec", "ModelStreamCodec", "json_object", "pieces"]

_ROOT = "said"
_SPEAKER = "said['next_speaker']['answer']"
"""Names an agent, in the ledger of a Magentic-One orchestrator: another text there breaks the run."""


class ModelCodec:
    """Codec of a `CreateResult`.

    A text that is a JSON object has a part for each text inside: so structured output stays valid when it is altered.
    """

    def encode(self, result: Any) -> JsonValue:  # Any: a client of the user's own may return what it likes
        if not isinstance(result, CreateResult):
            return {"unknown": type(result).__name__}
        data: JsonValue = result.model_dump(mode="json")
        if isinstance(data, dict) and isinstance(calls := data.get("content"), list):
            data["content"] = [{"type": "function_call", **call} for call in calls if isinstance(call, dict)]
        return data

    def decode(self, payload: JsonValue) -> CreateResult:
        if not isinstance(payload, dict) or "content" not in payload:
            raise ReplayError("what is on the tape here is no result of a model client of AutoGen; it can't be served")
        data: dict[str, Any] = dict(payload)
        if isinstance(calls := data["content"], list):
            data["content"] = [{key: value for key, value in call.items() if key != "type"} for call in calls]
        return CreateResult.model_validate(data)

    def parts(self, result: Any) -> tuple[Part, ...]:  # Any: as above
        return tuple(_parts(result)) if isinstance(result, CreateResult) else ()

    def write(self, result: CreateResult, texts: Mapping[str, str]) -> CreateResult:
        changes: dict[str, Any] = {}
        if result.thought is not None and "thought" in texts:
            changes["thought"] = texts["thought"]
        if isinstance(result.content, str):
            changes["content"] = _written(result.content, texts)
        return result.model_copy(update=changes, deep=True)


class ModelStreamCodec(ModelCodec):
    """The same for results that come in pieces of text, and whole at the end."""

    def join(self, chunks: list[str | CreateResult]) -> CreateResult:
        whole = [chunk for chunk in chunks if isinstance(chunk, CreateResult)]
        if whole:
            return whole[-1]
        said = "".join(chunk for chunk in chunks if isinstance(chunk, str))
        return CreateResult(finish_reason="unknown", content=said, usage=RequestUsage(0, 0), cached=False)

    def split(self, result: CreateResult) -> Iterator[str | CreateResult]:
        if isinstance(result.content, str):
            yield from pieces(result.content)
        yield result


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of one word each, as far as that goes."""
    start = 0
    for position, letter in enumerate(text):
        if letter.isspace():
            yield text[start : position + 1]
            start = position + 1
    if start < len(text):
        yield text[start:]


def _parts(result: CreateResult) -> Iterator[Part]:
    if result.thought:
        yield Part(id="thought", text=result.thought, role="assistant", kind="thought")
    if not isinstance(result.content, str):
        for index, call in enumerate(result.content):
            yield call_part(f"{_ROOT}[{index}]", call, "")
        return
    data = json_object(result.content)
    found = value_parts(data, root=_ROOT, role="assistant") if data is not None else ()
    if not found:
        yield Part(id=_ROOT, text=result.content, role="assistant", editable=data is None)
    for part in found:
        yield part.model_copy(update={"editable": False}) if part.id == _SPEAKER else part


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is, as JSON; None if it is none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _written(content: str, texts: Mapping[str, str]) -> str:
    if _ROOT in texts:
        return texts[_ROOT]
    data = json_object(content)
    if data is None or not any(key.startswith(_ROOT) for key in texts):
        return content
    return json.dumps(write_value(data, texts, root=_ROOT), ensure_ascii=False)
