"""What the spans of instrumentors hold, and whether it is what Aegis holds: equal content, or no comparison.

`check_equal` makes sure that the inputs of turns, the messages and replies of model calls, and the results of tool
calls stand in the spans and in Aegis's record alike. System prompts are left out of that: of an agent made by LangChain
Aegis keeps the prompt once, as its role.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import AegisError
from aegis_core.run import Tape
from aegis_core.trajectory import Trajectory

__all__ = ["READERS", "Held", "check_equal", "openinference", "openllmetry"]

_Span = Mapping[str, Any]
_Told = tuple[str, ...]
_QUOTED_CALLS = "Calling tools:\n"
"""How smolagents shows a model its own earlier calls, which are calls and no texts for Aegis."""
_HEADINGS = ("New task:\n", "Observation:\n")
"""What smolagents puts before a task and a result; Aegis keeps task and result."""


@dataclass(frozen=True)
class Held:
    """What the spans of one run hold.

    `turns` are the inputs of the spans that stand for turns, or may: all strings in each, some of them the `repr` of
    whole messages. `models` are texts of requests and replies, `tools` results.
    """

    turns: Sequence[Sequence[str]]
    models: Counter[_Told]
    tools: Counter[str]


def openinference(spans: Sequence[_Span]) -> Held:
    """What spans of openinference hold. Turns are AGENT spans where there are some, else CHAIN spans."""
    kinds: dict[str, list[_Span]] = {}
    for span in spans:
        kinds.setdefault(str(span.get("openinference.span.kind")), []).append(span)
    turns = kinds.get("AGENT") or kinds.get("CHAIN", [])
    # smolagents has the report of a member of the team, a tool to its manager, as what a step brought.
    results = [*kinds.get("TOOL", []), *(kinds.get("CHAIN", []) if "AGENT" in kinds else [])]
    return Held(
        turns=[list(_strings(_json(span.get("input.value", "")))) for span in turns],
        models=Counter(
            (*_told(_messages(span, "input")), "->", *_told([*_messages(span, "output"), *_calls(span)]))
            for span in kinds.get("LLM", [])
        ),
        tools=Counter(_result(str(span.get("output.value", ""))) for span in results),
    )


def openllmetry(spans: Sequence[_Span]) -> Held:
    """What spans of OpenLLMetry hold."""
    tasks = [span for span in spans if span.get("traceloop.span.kind") == "task"]
    tools = [span for span in spans if span.get("traceloop.span.kind") == "tool"]
    return Held(
        turns=[list(_strings(_json(span.get("traceloop.entity.input", "")))) for span in tasks],
        models=Counter(
            (*_told(_said(span, "gen_ai.input.messages")), "->", *_told(_said(span, "gen_ai.output.messages")))
            for span in spans
            if span.get("gen_ai.operation.name") == "chat"
        ),
        tools=Counter(_output(str(span.get("traceloop.entity.output", ""))) for span in tools),
    )


def check_equal(trajectory: Trajectory, tape: Tape, held: Held, whose: str = "openinference") -> None:
    """Make sure that both hold the same turns, model calls and tool calls, with the same texts.

    Spans of what Aegis does not record come on top: of runnables inside a node, of the run itself, of steps.

    Raises:
        AegisError: they don't, so their costs can't be compared.
    """
    turns = [_texts(entry.request) for entry in tape.entries if entry.key.kind == "input"]
    models = Counter(
        (*_texts(entry.request), "->", *_told(_replied(entry.payload)))
        for entry in tape.entries
        if entry.key.kind == "model"
    )
    tools = Counter(_result(step.text) for step in trajectory.steps if step.kind == "tool_result")
    compared: tuple[tuple[str, Counter[Any], Counter[Any]], ...] = (  # Any: texts or one text
        ("turns", Counter(turns), Counter(_found(turns, held.turns))),
        ("model calls", models, held.models),
        ("tool calls", tools, tools & held.tools),
    )
    for what, ours, theirs in compared:
        if ours != theirs:
            raise AegisError(
                f"Aegis and {whose} hold other {what} of one run, so their costs can't be compared; "
                f"only with Aegis: {_first(ours - theirs)}; only in spans: {_first(theirs - ours)}"
            )


def _found(turns: Iterable[_Told], spans: Sequence[Sequence[str]]) -> Iterator[_Told]:
    """The turns whose texts stand in spans, a span for each; the least that holds them is taken, so that one with more
    is left for the turn that needs it.
    """
    left = sorted(spans, key=lambda strings: sum(map(len, strings)))
    for turn in sorted(turns, key=lambda texts: sum(map(len, texts))):
        for place, strings in enumerate(left):
            if all(any(text in one or repr(text) in one for one in strings) for text in turn):
                del left[place]
                yield turn
                break


def _first(calls: Counter[Any]) -> str:  # Any: texts or one text
    return f"{calls.total()}, such as {next(iter(calls))}" if calls else "none"


def _texts(parts: Iterable[Part]) -> _Told:
    """Of messages; the names and arguments of the tools they call are compared where they are replies."""
    return _told(part.text for part in parts if part.role != "system" and part.kind != "tool_call")


def _told(texts: Iterable[str]) -> _Told:
    return tuple(sorted(text for text in texts if text))


def _json(text: object) -> JsonValue:
    try:
        read: JsonValue = json.loads(str(text))
    except ValueError:
        return str(text)
    return read


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _contents(value: JsonValue) -> Iterator[str]:
    """The contents of all messages inside plain data."""
    if isinstance(value, dict):
        content = value.get("content")
        if isinstance(content, str):
            yield content
        else:
            for inner in value.values():
                yield from _contents(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _contents(inner)


def _replied(payload: JsonValue) -> Iterator[str]:
    """What a model said, as an adapter wrote it: texts, and the arguments of calls."""
    yield from _contents(payload)
    yield from _arguments(payload)


def _arguments(value: JsonValue) -> Iterator[str]:
    """Of the calls in a reply: LangChain's `args`, AutoGen's `arguments`, the pairs of smolagents' `calls`."""
    if isinstance(value, list):
        for inner in value:
            yield from _arguments(inner)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in ("args", "arguments"):
            yield _canonical(inner)
        elif key == "calls" and isinstance(inner, list):
            yield from (_canonical(call[1]) for call in inner if isinstance(call, list))
        else:
            yield from _arguments(inner)


def _canonical(arguments: JsonValue) -> str:
    read = _json(arguments) if isinstance(arguments, str) else arguments
    return json.dumps(read, sort_keys=True)


def _messages(span: _Span, side: str) -> Iterator[str]:
    """The texts of the messages of a span of openinference, whole or in pieces."""
    roles = {key: role for key, role in span.items() if key.startswith(f"llm.{side}_messages.")}
    for key, value in roles.items():
        place, _, field = key.partition(".message.")
        is_text = field == "content" or field.endswith(".message_content.text")
        told = is_text and roles.get(f"{place}.message.role") not in ("system", "developer")
        if told and not str(value).startswith(_QUOTED_CALLS):
            yield _headless(str(value))
        elif ".function." in place:  # AutoGen's results of functions
            yield from _contents(_json(value))


def _headless(text: str) -> str:
    for heading in _HEADINGS:
        text = text.removeprefix(heading)
    return text


def _calls(span: _Span) -> Iterator[str]:
    for key, value in span.items():
        if key.startswith("llm.output_messages.") and key.endswith(".tool_call.function.arguments"):
            yield _canonical(value)


def _said(span: _Span, key: str) -> Iterator[str]:
    """The texts, results and calls in a span of OpenLLMetry."""
    messages = _json(span.get(key, "[]"))
    for message in messages if isinstance(messages, list) else []:
        parts = message.get("parts", []) if isinstance(message, dict) else []
        for part in parts if isinstance(parts, list) else []:
            if not isinstance(part, dict):
                continue
            if part.get("type") == "tool_call" and "output" in key:
                yield _canonical(part.get("arguments"))
            elif part.get("type") != "tool_call":
                yield str(part.get("content", part.get("response", "")))


def _result(text: str) -> str:
    """What a tool returned: the content if it is a message, else the text itself."""
    read = _json(text)
    return next(_contents(read), text)


def _output(text: str) -> str:
    read = _json(text)
    output = read.get("output", "") if isinstance(read, dict) else ""
    return output if isinstance(output, str) else next(_contents(output), "")


READERS: Mapping[str, Callable[[Sequence[_Span]], Held]] = {
    "openinference": openinference,
    "openllmetry": openllmetry,
}
"""By family of instrumentors."""
