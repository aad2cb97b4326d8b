"""Other instrumentors in the same process: each sees all, and none takes anything away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import FakeListLLM
from langgraph.graph import START, MessagesState, StateGraph

from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.running import ainvoked, altered, invoked, ran, target

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])


@pytest.fixture
def spans() -> Iterator[Any]:
    """The spans that OpenInference's instrumentor tells of."""
    instrumentation = pytest.importorskip("openinference.instrumentation.langchain", exc_type=ImportError)
    sdk = pytest.importorskip("opentelemetry.sdk.trace", exc_type=ImportError)
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor = instrumentation.LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    yield exporter
    instrumentor.uninstrument()


def completing() -> Any:
    """A node that asks a model of plain text, which is told of in another way than a chat model."""
    model = FakeListLLM(responses=["completed"])

    def complete(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", model.invoke(state["messages"][-1].text))]}

    async def acomplete(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", await model.ainvoke(state["messages"][-1].text))]}

    from langchain_core.runnables import RunnableLambda

    graph = StateGraph(MessagesState)
    graph.add_node("a", RunnableLambda(complete, acomplete))
    graph.add_edge(START, "a")
    return graph.compile()


BUILDS = pytest.mark.parametrize(
    "build", [graphs.teams, graphs.agent_and_writer, graphs.swarm, graphs.supervised, completing]
)


@WAYS
@BUILDS
@pytest.mark.case("langgraph-N13")
def test_the_record_is_the_same_beside_openinference(build: Any, use: Any, spans: Any) -> None:
    beside = ran(build(), ASK, use=use, again=lambda: None)  # what is compared with is run below, by itself
    seen = [span.name for span in spans.get_finished_spans()]
    spans.clear()
    use(build(), ASK)
    assert sorted(seen) == sorted(span.name for span in spans.get_finished_spans())
    assert seen
    assert beside.canonical == ran(build(), ASK).canonical
    models = [entry for entry in beside.run.tape().entries if entry.key.kind == "model"]
    assert len({str(entry.key) for entry in models}) == len(models) > 0


@pytest.mark.case("langgraph-N13")
def test_an_alteration_arrives_beside_openinference(spans: Any) -> None:
    clean = ran(graphs.teams(), ASK)
    done = altered(graphs.teams, ASK, clean, target("team/alice", "response_corruption", "belief"))
    assert done.texts[0] == "alice <start> ALTERED"
    assert all("ALTERED" in text for text in done.texts)
