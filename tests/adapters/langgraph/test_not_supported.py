"""What the README says can't be done, shown: why LangGraph itself does not let it be seen or altered."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AIMessage
from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import CachePolicy, Command, interrupt

import aegis_core as aegis
from aegis_core.errors import AdapterError, RecorderWarning
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.models import Scripted, says
from tests.adapters.langgraph.running import ADAPTER, ainvoked, altered, ran, recorded, served, target


class Words(TypedDict):
    word: str
    found: str


def test_why_a_node_whose_result_comes_from_the_cache_is_not_seen() -> None:
    """It does not run, and so no callback tells of it."""
    graph = StateGraph(Words)
    graph.add_node("a", lambda state: {"found": f"a {state['word']}"}, cache_policy=CachePolicy())
    graph.add_node("b", lambda state: {"word": f"b {state['found']}"})
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    app = graph.compile(cache=InMemoryCache())
    given: Any = {"word": "it"}
    for expected in (["a", "b"], ["b"]):
        with recorded(app) as recording:
            app.invoke(given)
        assert [step.agent for step in recording.trajectory.steps] == expected


def test_why_a_remote_graph_is_refused() -> None:
    """It is a client: nodes and callbacks are on the server."""
    remote = RemoteGraph("far", url="http://127.0.0.1:9")
    assert not hasattr(remote, "nodes")
    assert not ADAPTER.can_handle(remote)
    with pytest.raises(AdapterError, match="no adapter handles"):
        aegis.record(remote)


@pytest.mark.parametrize("level", ["node", "call"])
def test_why_an_agent_of_a_graph_that_a_function_calls_can_not_be_altered(level: Any) -> None:
    """There is no node of the recorded graph to put a wrapper around."""

    def build() -> Any:
        return graphs.calling(lambda: graphs.chain("x"))

    clean = ran(build(), ASK)
    done = altered(build, ASK, clean, target("call/x", "response_corruption", "belief"), level=level)
    assert done.run.ledger().interventions[0].reason == "not fired: call/x turn 1 never came to this site"
    assert done.texts == clean.texts


def test_the_functional_api_offers_nothing_to_alter() -> None:
    """A workflow is one function: there is no graph to copy."""

    @task
    def write(text: str) -> str:
        return f"wrote {text}"

    @entrypoint()
    def flow(text: str) -> str:
        return write(text).result()

    capabilities = ADAPTER.capabilities(flow)
    assert (capabilities.sites, capabilities.replay) == ((), ())


def test_calls_that_a_function_makes_side_by_side_are_numbered_as_they_begin() -> None:
    """LangGraph knows of no place for them: they are the function's own doing."""
    inner = graphs.chain("x", make=graphs.amember)

    def build(delays: dict[str, float]) -> Any:
        async def both(_: MessagesState) -> dict[str, Any]:
            async def one(word: str) -> str:
                await asyncio.sleep(delays[word])
                return str((await inner.ainvoke({"messages": [("user", word)]}))["messages"][-1].text)

            return {"messages": [AIMessage(" ".join(await asyncio.gather(one("p"), one("q"))))]}

        graph = StateGraph(MessagesState)
        graph.add_node("both", both)
        graph.add_edge(START, "both")
        return graph.compile()

    def told(delays: dict[str, float]) -> list[str]:
        return ran(build(delays), ASK, use=ainvoked).texts[:2]

    assert told({"p": 0.0, "q": 0.03}) == ["x <p>", "x <q>"]
    assert told({"p": 0.03, "q": 0.0}) == ["x <q>", "x <p>"]


def test_inside_another_recording_a_graph_is_recorded_by_none() -> None:
    """LangChain asks one variable of the context for one handler."""
    outer, inner = graphs.chain("a"), graphs.chain("b")
    with (
        pytest.warns(RecorderWarning),
        aegis.record(outer, adapter=ADAPTER) as first,
        aegis.record(inner, adapter=ADAPTER) as second,
    ):
        outer.invoke(ASK)
    assert (first.trajectory.steps, second.trajectory.steps) == ((), ())


def test_tokens_of_a_node_that_writes_nothing_are_on_no_step() -> None:
    """There is no step that could carry them."""
    model = Scripted(answer=says("yes"))
    graph = StateGraph(MessagesState)
    graph.add_node("check", lambda state: {"messages": []} if model.invoke(state["messages"]) else None)
    graph.add_node("b", graphs.member("b"))
    graph.add_edge(START, "check")
    graph.add_edge("check", "b")
    done = ran(graph.compile(), ASK)
    assert [(step.agent, step.usage is not None) for step in done.trajectory.steps] == [("b", True)]
    assert [entry.key.kind for entry in done.run.tape().entries].count("model") == 2


@pytest.mark.case("langgraph-24")
def test_a_run_that_was_interrupted_and_resumed_is_served_without_the_stop() -> None:
    """The node that asked is served whole, so the answer is not asked for; what comes after it is altered as ever."""

    def build() -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("ask", lambda _: {"messages": [("ai", f"you said {interrupt('really?')}")]})
        graph.add_node("b", graphs.member("b"))
        graph.add_edge(START, "ask")
        graph.add_edge("ask", "b")
        return graph.compile(checkpointer=InMemorySaver())

    config: Any = {"configurable": {"thread_id": "1"}}

    def both(app: Any, given: Any) -> Any:
        app.invoke(given, config)
        return [message.text for message in app.invoke(Command(resume="yes"), config)["messages"]]

    clean = ran(build(), ASK, use=both)
    again = served(build, ASK, clean, use=both)
    assert (again.result, again.run.void, again.canonical) == (clean.result, "", clean.canonical)
    done = altered(build, ASK, clean, target("ask", "response_corruption", "belief"), use=both)
    assert done.texts[-1] == "b <you said yes ALTERED>"
