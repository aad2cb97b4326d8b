"""The benchmark of tracing on small teams; where instrumentors of others are installed, against their spans too."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from aegis_core.errors import AegisError, MissingDependencyError
from benchmarks import memory, spans, tracing, workloads
from benchmarks.instrumentors import INSTRUMENTORS, Instrumented, installed
from benchmarks.shares import Sampler

SMALL = {"small": lambda: workloads.langgraph(1), "team": workloads.langgraph_team}
OTHERS = [framework for framework, known in INSTRUMENTORS.items() if all(map(installed, known))]


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


def test_each_workload_is_traced():
    report = tracing.run(rounds=1, workloads=SMALL, families=())
    names = {figure.name for figure in report.figures}

    assert names >= {f"{name}: aegis, overhead an event" for name in SMALL}
    assert report.notes[0].startswith("small: 13 events; Aegis keeps 8 steps")


def test_the_same_content_is_found_equal_and_other_content_is_not():
    trajectory, tape = tracing.recorded(workloads.langgraph(1))
    made = spans_of(trajectory, tape)

    spans.check_equal(trajectory, tape, spans.openinference(made))
    for lost, what in ((0, "turns"), (1, "model calls"), (-1, "tool calls")):
        with pytest.raises(AegisError, match=f"other {what}"):
            spans.check_equal(trajectory, tape, spans.openinference([one for one in made if one is not made[lost]]))


@pytest.mark.skipif("langgraph" in OTHERS, reason="the instrumentors are installed")
def test_without_the_instrumentors_the_benchmark_says_what_to_install():
    with pytest.raises(
        MissingDependencyError, match="pip install (openinference|opentelemetry)-instrumentation-langchain"
    ):
        tracing.run(rounds=1, workloads=SMALL)


@pytest.mark.parametrize("framework", OTHERS)
def test_instrumentors_of_others_hold_the_same_content(framework):
    small = {"small": lambda: getattr(workloads, framework)(1, agents=2)}
    report = tracing.run(rounds=1, workloads=small)

    names = {figure.name for figure in report.figures if figure.goal is not None}
    assert "spans with the same texts" in report.notes[0]
    assert len(names) == 1 and names <= {f"small: aegis / {one.family}" for one in INSTRUMENTORS[framework]}


@pytest.mark.parametrize("framework", OTHERS)
def test_an_instrumentor_that_is_switched_off_leaves_nothing_behind(framework):
    work = getattr(workloads, framework)(1, agents=2)
    for instrumentor in INSTRUMENTORS[framework]:
        instrumented = Instrumented(instrumentor)
        with instrumented:
            work.start(work.make())
        made = len(instrumented.attributes())
        work.start(work.make())

        assert len(instrumented.attributes()) == made > 0


@pytest.mark.parametrize("traced", [True, False])
def test_memory_is_read_early_and_at_the_end(traced):
    early, late = memory.used("callables", runs=20, traced=traced)

    assert early.runs == 2 and late.runs == 20
    assert early.rss_bytes > 0 and late.blocks > 0


def test_the_sampler_sees_what_takes_the_time():
    with Sampler(interval_s=0.001) as sampler:
        workload = workloads.langgraph(1)
        while len(sampler.stacks) < 20:
            tracing.recorded(workload)

    assert sampler.own() and sum(sampler.own().values()) == len(sampler.stacks)
    assert any(name.startswith("aegis_") for name in sampler.inclusive())
