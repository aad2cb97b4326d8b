"""What tools, executors of code and humans return, as plain data and parts, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autogen_agentchat import messages as known_messages
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage
from autogen_core.code_executor import CodeResult
from autogen_core.tools import TextResultContent, ToolResult
from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import ReplayError

__all__ = ["CodeCodec", "TextCodec", "ToolCodec", "ToolOutcome", "ValueCodec"]


@dataclass(frozen=True)
class ToolOutcome:
    """The result of a tool in a workbench, and what it told of its work before: events and messages."""

    result: ToolResult
    told: tuple[Any, ...] = ()


class ToolCodec:
    """Codec of what a workbench returns."""

    def encode(self, outcome: ToolOutcome) -> JsonValue:
        return {
            "result": outcome.result.model_dump(mode="json"),
            "told": [dict(data) for data in map(_dumped, outcome.told) if data is not None],
        }

    def decode(self, payload: JsonValue) -> ToolOutcome:
        data: Any = payload
        return ToolOutcome(ToolResult.model_validate(data["result"]), tuple(map(_loaded, data["told"])))

    def parts(self, outcome: ToolOutcome) -> tuple[Part, ...]:
        return tuple(
            Part(id=f"result[{index}]", text=item.content, role="tool", kind="tool_result")
            for index, item in enumerate(outcome.result.result)
            if isinstance(item, TextResultContent)
        )

    def write(self, outcome: ToolOutcome, texts: Mapping[str, str]) -> ToolOutcome:
        items = [
            item.model_copy(update={"content": texts[f"result[{index}]"]}) if f"result[{index}]" in texts else item
            for index, item in enumerate(outcome.result.result)
        ]
        return replace(outcome, result=outcome.result.model_copy(update={"result": items}))


def _dumped(item: Any) -> dict[str, Any] | None:
    """An event as data, with its class; None if it is none of AutoGen's own."""
    own = getattr(known_messages, type(item).__name__, None) is type(item)
    return {"class": type(item).__name__, "fields": item.model_dump(mode="json")} if own else None


def _loaded(data: Mapping[str, Any]) -> BaseAgentEvent | BaseChatMessage:
    cls: type[BaseModel] = getattr(known_messages, data["class"])
    return cls.model_validate(data["fields"])  # type: ignore[return-value]  # `_dumped` wrote no other


class ValueCodec:
    """Codec of what a tool returns that an agent calls without a workbench: plain data, or a pydantic model.

    Args:
        kind: the class that the tool says it returns.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None

    def encode(self, result: Any) -> JsonValue:
        if isinstance(result, BaseModel):
            data: JsonValue = result.model_dump(mode="json")
            return {"model": data}
        if result is None or isinstance(result, str | int | float | bool | list | dict):
            return {"value": result}
        return {"unknown": type(result).__name__}

    def decode(self, payload: JsonValue) -> Any:
        data: Any = payload
        if "value" in data:
            return data["value"]
        if "model" in data and self._kind is not None:
            return self._kind.model_validate(data["model"])
        raise ReplayError(f"the result of this tool, a {data.get('unknown')}, could not be put on the tape")

    def parts(self, result: Any) -> tuple[Part, ...]:
        return (Part(id="result", text=result, role="tool", kind="tool_result"),) if isinstance(result, str) else ()

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        return texts.get("result", result)


class CodeCodec:
    """Codec of what running code gave."""

    def encode(self, result: CodeResult) -> JsonValue:
        return {"exit_code": result.exit_code, "output": result.output}

    def decode(self, payload: JsonValue) -> CodeResult:
        data: Any = payload
        return CodeResult(exit_code=data["exit_code"], output=data["output"])

    def parts(self, result: CodeResult) -> tuple[Part, ...]:
        return (Part(id="result", text=result.output, role="tool", kind="tool_result"),)

    def write(self, result: CodeResult, texts: Mapping[str, str]) -> CodeResult:
        return replace(result, output=texts["result"]) if "result" in texts else result


class TextCodec:
    """Codec of what a human answers."""

    def encode(self, result: str) -> JsonValue:
        return result

    def decode(self, payload: JsonValue) -> str:
        return str(payload)

    def parts(self, result: str) -> tuple[Part, ...]:
        return (Part(id="answer", text=result, role="user"),)

    def write(self, result: str, texts: Mapping[str, str]) -> str:
        return texts.get("answer", result)
