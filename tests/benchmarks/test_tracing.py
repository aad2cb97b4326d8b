"""The benchmark of tracing on small graphs; where openinference is installed, against its spans too."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from aegis_core.errors import AegisError, MissingDependencyError
from benchmarks import graphs, spans, tracing
from benchmarks.shares import Sampler

OURS = tracing.CONTENDERS[:3]


def span(kind, **attributes):
    return {"openinference.span.kind": kind} | {key.replace("__", "."): value for key, value in attributes.items()}


def spans_of(trajectory, tape):
    """What openinference would hold of the run of a graph whose nodes are plain functions."""
    made = []
    for entry in tape.entries:
        if entry.key.kind == "input":
            state = {"messages": [{"content": part.text} for part in entry.request]}
            made.append(span("CHAIN", input__value=json.dumps(state)))
        if entry.key.kind == "model":
            texts = {f"llm.input_messages.{n}.message.content": part.text for n, part in enumerate(entry.request)}
            roles = {f"llm.input_messages.{n}.message.role": part.role for n, part in enumerate(entry.request)}
            reply = next(spans._contents(entry.payload))
            answer = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": reply}
            made.append(span("LLM") | texts | roles | answer)
    for step in trajectory.steps:
        if step.kind == "tool_result":
            made.append(span("TOOL", tool__name="multiply", output__value=step.text))
    return made


def test_each_graph_is_traced_by_each_contender():
    report = tracing.run(rounds=1, graphs={"small": lambda: graphs.scripted(1), "team": graphs.team}, names=OURS)
    names = {figure.name for figure in report.figures}

    assert names >= {f"{graph}: {name}, overhead an event" for graph in ("small", "team") for name in OURS[1:]}
    assert report.notes[0].startswith("small: 13 events; Aegis keeps 8 steps")


def test_the_same_content_is_found_equal_and_other_content_is_not():
    trajectory, tape = tracing.recorded(graphs.scripted(1))
    made = spans_of(trajectory, tape)

    spans.check_equal(trajectory, tape, made)
    for lost, what in ((0, "turns"), (1, "model calls"), (-1, "tool calls")):
        with pytest.raises(AegisError, match=f"other {what}"):
            spans.check_equal(trajectory, tape, [one for one in made if one is not made[lost]])


@pytest.mark.skipif(find_spec("openinference") is not None, reason="openinference is installed")
def test_without_openinference_the_benchmark_says_what_to_install():
    with pytest.raises(MissingDependencyError, match="pip install openinference-instrumentation-langchain"):
        tracing.run(rounds=1, graphs={"small": lambda: graphs.scripted(1)})


@pytest.mark.skipif(find_spec("openinference") is None, reason="openinference is not installed")
def test_openinference_holds_the_same_content():
    report = tracing.run(rounds=1, graphs={"small": lambda: graphs.scripted(1)})

    assert all("the same texts stand in both" in note for note in report.notes)
    assert any(figure.name == "small: aegis / openinference" for figure in report.figures)


def test_the_sampler_sees_what_takes_the_time():
    with Sampler(interval_s=0.001) as sampler:
        workload = graphs.scripted(1)
        while len(sampler.stacks) < 20:
            tracing.recorded(workload)

    assert sampler.own() and sum(sampler.own().values()) == len(sampler.stacks)
    assert any(name.startswith("aegis_") for name in sampler.inclusive())
