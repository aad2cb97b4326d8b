"""What a function tool returns, as text, as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents import ToolOutputFileContent, ToolOutputImage, ToolOutputText
from pydantic import BaseModel, JsonValue

from aegis_core.adapter import Part
from aegis_openai_agents.requests import call_text

__all__ = ["ResultCodec", "asked_part", "result_text"]

_OUTPUTS: dict[str, type[BaseModel]] = {
    cls.__name__: cls for cls in (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
}


def asked_part(name: str, arguments: JsonValue) -> Part:
    """The call of a tool."""
    data: JsonValue = {"name": name, "args": arguments}
    return Part(id="call", text=call_text(name, arguments), editable=False, kind="tool_call", data=data)


def result_text(result: Any) -> str:
    """What the model is shown of a result: texts as they are, other values as the SDK writes them."""
    if isinstance(result, str):
        return result
    if isinstance(result, ToolOutputText):
        return result.text
    if isinstance(result, ToolOutputImage | ToolOutputFileContent):
        return f"<{result.type}>"
    if isinstance(result, list | tuple) and result and all(isinstance(item, BaseModel) for item in result):
        return "\n".join(result_text(item) for item in result)
    return str(result)


class ResultCodec:
    """Results of tools. What is neither plain data nor an output of the SDK comes back as the text of it: that is what
    the model is shown in either case.
    """

    def __init__(self) -> None:
        self.error: str | None = None
        """What the tool raised, where a text was made of that."""

    def encode(self, result: Any) -> JsonValue:
        error: dict[str, Any] = {"error": self.error} if self.error is not None else {}
        if type(result).__name__ in _OUTPUTS and isinstance(result, BaseModel):
            return {
                "output": type(result).__name__,
                "fields": result.model_dump(mode="json", exclude_unset=True),
            } | error
        return error | {"value": result if _is_plain(result) else result_text(result)}

    def decode(self, payload: JsonValue) -> Any:
        assert isinstance(payload, dict)
        self.error = str(payload["error"]) if "error" in payload else None
        if "output" in payload:
            return _OUTPUTS[str(payload["output"])].model_validate(payload["fields"])
        return payload["value"]

    def parts(self, result: Any) -> tuple[Part, ...]:
        return (Part(id="result", text=result_text(result), role="tool", kind="tool_result"),)

    def write(self, result: Any, texts: Mapping[str, str]) -> Any:
        new = texts.get("result")
        if new is None or new == result_text(result):
            return result
        return result.model_copy(update={"text": new}) if isinstance(result, ToolOutputText) else new


def _is_plain(value: Any) -> bool:
    """Whether JSON brings back an equal value."""
    if value is None or type(value) in (str, int, bool, float):
        return True
    if type(value) is list:
        return all(map(_is_plain, value))
    return type(value) is dict and all(type(key) is str and _is_plain(item) for key, item in value.items())
