"""openinference-instrumentation-langchain with its spans in memory, and what they hold.

Equal content: attributes that Aegis does not record (parameters of the invocation, schemas of tools) are hidden, and
`check_equal` makes sure that the inputs of turns, the messages and replies of model calls, and the results of tool
calls stand in the spans and in Aegis's record alike. System prompts are left out of that: of an agent made by LangChain
Aegis keeps the prompt once, as its role.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import AegisError, MissingDependencyError
from aegis_core.run import Tape
from aegis_core.trajectory import Trajectory

__all__ = ["Spans", "check_equal"]


class Spans:
    """The instrumentation, switched on and off; a context manager.

    Args:
        trim: hide what Aegis does not record.

    Raises:
        MissingDependencyError: it is not installed.
    """

    def __init__(self, *, trim: bool) -> None:
        if find_spec("openinference") is None:
            raise MissingDependencyError(
                "the benchmark of tracing compares with openinference; install it: "
                "pip install openinference-instrumentation-langchain opentelemetry-sdk"
            )
        # By name, so that types can be checked where none of it is installed.
        inference, sdk = import_module("openinference.instrumentation"), import_module("opentelemetry.sdk.trace")
        langchain = import_module("openinference.instrumentation.langchain")
        memory = import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter")
        self._exporter = memory.InMemorySpanExporter()
        self._provider = sdk.TracerProvider()
        self._provider.add_span_processor(sdk.export.SimpleSpanProcessor(self._exporter))
        self._config = inference.TraceConfig(hide_llm_invocation_parameters=trim, hide_llm_tools=trim)
        self._instrumentor = langchain.LangChainInstrumentor()

    def __enter__(self) -> Self:
        self._exporter.clear()
        self._instrumentor.instrument(tracer_provider=self._provider, config=self._config)
        return self

    def __exit__(self, *exc: object) -> None:
        self._instrumentor.uninstrument()

    def attributes(self) -> list[Mapping[str, Any]]:
        """The attributes of each span since it was last switched on, in the order in which they ended."""
        return [dict(span.attributes or {}) for span in self._exporter.get_finished_spans()]


def check_equal(trajectory: Trajectory, tape: Tape, spans: Sequence[Mapping[str, Any]]) -> None:
    """Make sure that both hold the same turns, model calls and tool calls, with the same texts.

    Spans of runnables inside a node, and of the graph itself, come on top.

    Raises:
        AegisError: they don't, so their costs can't be compared.
    """
    chains = _states(_of_kind(spans, "CHAIN"))
    turns = Counter(_texts(entry.request) for entry in tape.entries if entry.key.kind == "input")
    for what, ours, theirs in (
        ("turns", turns, turns & Counter(chains)),
        ("model calls", _taped_models(tape), _spanned_models(_of_kind(spans, "LLM"))),
        ("tool calls", _recorded_tools(trajectory), _spanned_tools(_of_kind(spans, "TOOL"))),
    ):
        if ours != theirs:
            raise AegisError(
                f"Aegis and openinference hold other {what} of one run, so their costs can't be compared; "
                f"only with Aegis: {_first(ours - theirs)}; only in spans: {_first(theirs - ours)}"
            )


def _first(calls: Counter[tuple[str, ...]]) -> str:
    return f"{calls.total()}, such as {next(iter(calls))}" if calls else "none"


def _of_kind(spans: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [span for span in spans if span.get("openinference.span.kind") == kind]


def _texts(parts: Iterable[Part]) -> tuple[str, ...]:
    """Of messages; the names and arguments of the tools they call are compared with the tools' results."""
    return _told(part.text for part in parts if part.role != "system" and part.kind != "tool_call")


def _told(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(text for text in texts if text))


def _states(chains: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The texts in the state that each chain got: channels of text, and messages in the others."""
    for span in chains:
        try:
            given = json.loads(str(span.get("input.value", "")))
        except ValueError:
            continue
        channels = [text for text in given.values() if isinstance(text, str)] if isinstance(given, dict) else []
        yield _told([*channels, *_contents(given)])


def _taped_models(tape: Tape) -> Counter[tuple[str, ...]]:
    return Counter(
        (*_texts(entry.request), "->", *_told(_contents(entry.payload)))
        for entry in tape.entries
        if entry.key.kind == "model"
    )


def _spanned_models(spans: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, ...]]:
    return Counter((*_told(_messages(span, "input")), "->", *_told(_messages(span, "output"))) for span in spans)


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


def _messages(span: Mapping[str, Any], side: str) -> Iterator[str]:
    ending = ".message.role"
    for key, role in span.items():
        if key.startswith(f"llm.{side}_messages.") and key.endswith(ending) and role != "system":
            yield str(span.get(f"{key.removesuffix(ending)}.message.content", ""))


def _recorded_tools(trajectory: Trajectory) -> Counter[tuple[str, ...]]:
    called = {step.call_id: step.text.partition("(")[0] for step in trajectory.steps if step.kind == "tool_call"}
    return Counter((called[step.call_id], step.text) for step in trajectory.steps if step.kind == "tool_result")


def _spanned_tools(spans: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, ...]]:
    return Counter((str(span["tool.name"]), _result(str(span.get("output.value", "")))) for span in spans)


def _result(text: str) -> str:
    """What a tool returned: the content if it is a message, else the text itself."""
    try:
        return next(_contents(json.loads(text)), text)
    except ValueError:
        return text
