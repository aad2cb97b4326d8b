"""What a model of smolagents said, as parts, and copies of it with other texts.

What may be altered is what the agent says to others: its answer, as the argument of `final_answer`, in a native tool
call, in JSON within the text, or in code; and a text that is neither (a plan, the answer of an agent out of steps).
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from smolagents.utils import parse_json_blob

from aegis_core.adapter import Part
from aegis_core.run.outputs import call_data, call_text
from aegis_smolagents._compat import FINAL, ChatMessage, arguments_of, code_in, words_beside_code
from aegis_smolagents.code import answers_in, with_answers

__all__ = ["Manner", "answer_parts", "thought_in", "words_of", "write_answer"]


@dataclass(frozen=True)
class Manner:
    """How an agent acts, by which its model's words are understood.

    `acts` is False where it is only asked for words. `tags` are those of a code agent. `name_key` and `arguments_key`
    are those under which a model writes tool calls as JSON.
    """

    acts: bool = True
    tags: tuple[str, str] | None = None
    structured: bool = False
    name_key: str = "name"
    arguments_key: str = "arguments"


def answer_parts(message: ChatMessage, manner: Manner) -> tuple[Part, ...]:
    """The texts of what a model said."""
    parts = [*_content_parts(message, manner)]
    for index, call in enumerate(message.tool_calls or ()):
        parts += _call_parts(f"calls[{index}]", call.function.name, arguments_of(call.function.arguments), call.id)
    return tuple(parts)


def _call_parts(place: str, name: str, arguments: Any, call_id: str | None) -> list[Part]:
    answer = _answer_of(arguments) if name == FINAL else None
    if answer is not None:
        return [Part(id=place, text=answer, role="assistant")]
    text, data = call_text(name, arguments), call_data(name, arguments)
    return [
        Part(
            id=place, text=text, role="assistant", editable=False, kind="tool_call", call_id=call_id or None, data=data
        )
    ]


def _answer_of(arguments: Any) -> str | None:
    """The answer in the arguments of `final_answer`, if it is a text."""
    if isinstance(arguments, Mapping):
        arguments = arguments.get("answer")
    return arguments if isinstance(arguments, str) else None


def _content_parts(message: ChatMessage, manner: Manner) -> list[Part]:
    text = words_of(message)
    if not text:
        return []
    if not manner.acts:
        return [Part(id="content", text=text, role="assistant")]
    if manner.tags is not None:
        return _code_parts(text, manner)
    if message.tool_calls:
        return [Part(id="content", text=text, role="assistant", editable=False, kind="thought")]
    call = _call_in(text, manner)
    if call is None:
        return [Part(id="content", text=text, role="assistant", editable=False)]
    return _call_parts("json", str(call.get(manner.name_key)), arguments_of(call.get(manner.arguments_key)), None)


def _code_parts(text: str, manner: Manner) -> list[Part]:
    whole = Part(id="content", text=text, role="assistant", editable=False, kind="tool_call")
    code = None if manner.structured or manner.tags is None else code_in(text, manner.tags)
    if code is None or text.count(code) != 1:
        return [whole]  # code of several pieces, or in JSON: where a literal stands can't be told
    answers = [
        Part(id=f"code[{number}]", text=answer, role="assistant") for number, answer in enumerate(answers_in(code))
    ]
    return [whole, *answers]


def words_of(message: ChatMessage) -> str:
    """The words of a message."""
    if isinstance(message.content, list):
        return "\n".join(str(item.get("text", "")) for item in message.content if isinstance(item, dict))
    return message.content or ""


def _call_in(text: str, manner: Manner) -> dict[str, Any] | None:
    """A tool call that the text holds as JSON."""
    try:
        found, _ = parse_json_blob(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and manner.name_key in found else None


def thought_in(message: ChatMessage, manner: Manner) -> str:
    """What a model said beside what it does."""
    text = words_of(message)
    if manner.tags is not None:
        return _structured_thought(text) if manner.structured else words_beside_code(text, manner.tags)
    if _call_in(text, manner) is not None:
        return text[: text.find("{")].strip()
    return text.strip()


def _structured_thought(text: str) -> str:
    """The thought of a code agent that answers in JSON."""
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    thought = found.get("thought") if isinstance(found, dict) else None
    return thought.strip() if isinstance(thought, str) else ""


def write_answer(message: ChatMessage, texts: Mapping[str, str], manner: Manner) -> ChatMessage:
    """A copy of what a model said, with these texts replaced by part id; ids and structure stay."""
    content = message.content
    if "content" in texts:
        content = texts["content"]
    elif "json" in texts:
        content = _with_json(words_of(message), texts["json"], manner)
    elif (answers := _answers(texts)) and manner.tags is not None:
        code = code_in(words_of(message), manner.tags) or ""
        content = words_of(message).replace(code, with_answers(code, answers))
    calls = copy.deepcopy(message.tool_calls)
    for index, call in enumerate(calls or ()):
        if f"calls[{index}]" in texts:
            call.function.arguments = _with_answer(call.function.arguments, texts[f"calls[{index}]"])
    return dataclasses.replace(message, content=content, tool_calls=calls, raw=None)


def _answers(texts: Mapping[str, str]) -> dict[int, str]:
    return {int(name[5:-1]): text for name, text in texts.items() if name.startswith("code[")}


def _with_answer(arguments: Any, answer: str) -> Any:
    """Arguments of `final_answer` with another answer, in the form in which they were."""
    data = arguments_of(arguments)
    new = {**data, "answer": answer} if isinstance(data, Mapping) else answer
    return json.dumps(new, ensure_ascii=False) if isinstance(arguments, str) else new


def _with_json(text: str, answer: str, manner: Manner) -> str:
    call = _call_in(text, manner) or {}
    new = {**call, manner.arguments_key: _with_answer(arguments_of(call.get(manner.arguments_key)), answer)}
    return text[: text.find("{")] + json.dumps(new, ensure_ascii=False) + text[text.rfind("}") + 1 :]
