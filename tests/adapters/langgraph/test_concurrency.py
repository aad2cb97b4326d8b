"""Runs that go on at the same time do not mix, and nothing is left of those that are over."""

from __future__ import annotations

import asyncio
import gc
import threading
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import aegis_core as aegis
from aegis_core.errors import AdapterError
from aegis_core.run import Run, RunInfo
from aegis_langgraph.watching.callbacks import current_watcher
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, amember
from tests.adapters.langgraph.running import ADAPTER, altered, ran, recorded, target


def asked(word: str) -> Any:
    return {"messages": [("user", word)]}


@pytest.mark.case("langgraph-26")
def test_three_asynchronous_runs_of_one_graph() -> None:
    graph = graphs.chain("a", "b", make=amember)

    async def one(word: str) -> list[str]:
        with recorded(graph) as recording:
            await graph.ainvoke(asked(word))
        return [step.text for step in recording.trajectory.steps]

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*(one(word) for word in "xyz"))

    assert asyncio.run(all_of_them()) == [[f"a <{word}>", f"b <a <{word}>>"] for word in "xyz"]


@pytest.mark.case("langgraph-26")
def test_threads_over_one_graph() -> None:
    graph = graphs.fan_out({"x": 0.02})

    def one(word: str) -> list[str]:
        with recorded(graph) as recording:
            graph.invoke({"question": word, "notes": []})
        return [step.text for step in recording.trajectory.steps]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(one, "pq"))
    assert [texts[0] for texts in found] == ["plan of p", "plan of q"]
    assert [len(texts) for texts in found] == [5, 5]


def test_altered_and_clean_runs_side_by_side() -> None:
    graph = graphs.teams()
    clean = ran(graph, ASK)

    def faulty(_: int) -> list[str]:
        return altered(lambda: graph, ASK, clean, target("team/alice", "response_corruption", "belief")).texts

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(faulty, 0), pool.submit(lambda: ran(graph, ASK).texts)] * 2
    assert results[0].result()[0] == "alice <start> ALTERED"
    assert results[1].result() == clean.texts


def test_an_inner_recording_of_another_graph_goes_to_its_own_run() -> None:
    outer, inner = graphs.chain("a"), graphs.chain("b")
    with aegis.record(outer, adapter=ADAPTER) as first:
        with aegis.record(inner, adapter=ADAPTER) as second:
            inner.invoke(ASK)
        outer.invoke(ASK)
    assert [step.agent for step in first.trajectory.steps] == ["a"]
    assert [step.agent for step in second.trajectory.steps] == ["b"]


def test_attaching_twice_is_an_error() -> None:
    graph = graphs.chain("a")
    with aegis.record(graph, adapter=ADAPTER):
        graph.invoke({"messages": "Q"})
        with pytest.raises(AdapterError, match="attached"):
            aegis.record(graph, adapter=ADAPTER).__enter__()
    assert current_watcher.get() is None


def test_after_an_exception_everything_is_as_before() -> None:
    graph = graphs.chain("a")
    before = dict(vars(graph))

    def fail() -> None:
        with aegis.record(graph, adapter=ADAPTER):
            graph.invoke(ASK)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert current_watcher.get() is None
    assert vars(graph).keys() == before.keys()
    assert all(vars(graph)[name] is value for name, value in before.items())


def test_a_bare_thread_started_by_a_node_is_not_seen() -> None:
    """As documented: context is lost there, and with it the callbacks."""
    inner = graphs.chain("hidden")

    def outer(state: Any) -> Any:
        box: list[Any] = []
        thread = threading.Thread(target=lambda: box.append(inner.invoke({"messages": state["messages"]})))
        thread.start()
        thread.join()
        return {"messages": box[0]["messages"][-1:]}

    from langgraph.graph import START, MessagesState, StateGraph

    graph = StateGraph(MessagesState)
    graph.add_node("outer", outer)
    graph.add_edge(START, "outer")
    assert [step.agent for step in ran(graph.compile(), ASK).trajectory.steps] == ["outer"]


@pytest.mark.case("langgraph-N10")
def test_memory_stays_flat_over_many_runs() -> None:
    graph = graphs.chain("a", "b")
    clean = ran(graph, ASK)
    where = target("a", "response_corruption", "outgoing")

    def some(count: int) -> int:
        for _ in range(count):
            ran(graph, ASK)
            altered(lambda: graph, ASK, clean, where)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = some(20)
        after = some(80)
    finally:
        tracemalloc.stop()
    assert after - before < 80 * 1500
    assert current_watcher.get() is None


def kept() -> Counter[str]:
    """What is alive of the adapter, of the core's runs, and of LangChain's messages and runs, by module."""
    gc.collect()
    homes = [str(type(item).__module__) for item in gc.get_objects()]
    return Counter(home for home in homes if home.startswith(("aegis_", "langchain_core", "langgraph")))


@pytest.mark.case("langgraph-N10")
def test_nothing_is_kept_of_five_hundred_runs() -> None:
    graph = graphs.chain("a", "b")
    agent = graphs.researcher()

    def some(count: int) -> None:
        for number in range(count):
            for app in (graph, agent) if number % 5 == 0 else (graph,):
                with aegis.record(app, adapter=ADAPTER):
                    app.invoke(ASK)

    some(5)
    before = kept()
    some(500)
    assert kept() - before == Counter()


@pytest.mark.case("langgraph-N10")
def test_nothing_but_the_record_is_kept_of_five_hundred_calls_in_one_run() -> None:
    graph = graphs.chain("a", "b")
    run = Run(RunInfo(run_id="run", adapter="langgraph"))
    with ADAPTER.attach(graph, run) as attachment:
        for _ in range(500):
            graph.invoke(ASK)
        assert len(run.recorder.steps()) == 500 * 3 - 1  # with what the caller says after the first task
        watcher: Any = attachment.watcher  # type: ignore[attr-defined]
        assert watcher.is_idle()
        assert watcher.tracker.is_empty()


@pytest.mark.case("langgraph-N13")
def test_another_handler_sees_what_it_saw_before_and_takes_nothing_away() -> None:
    from langchain_core.callbacks import BaseCallbackHandler

    class Count(BaseCallbackHandler):
        def __init__(self) -> None:
            self.events: list[str] = []

        def on_chain_start(self, *_: Any, name: str | None = None, **__: Any) -> None:
            self.events.append(name or "")

        def on_chat_model_start(self, *_: Any, **__: Any) -> None:
            self.events.append("model")

    def using(handler: Count) -> Any:
        return lambda app, given: app.invoke(given, {"callbacks": [handler]})

    bare, watched, rebuilt = Count(), Count(), Count()
    using(bare)(graphs.chain("a", "b"), ASK)
    done = ran(graphs.chain("a", "b"), ASK, use=using(watched), again=lambda: None)
    again = altered(
        lambda: graphs.chain("a", "b"), ASK, done, target("b", "prompt_injection", "ephemeral"), use=using(rebuilt)
    )
    assert watched.events == bare.events == ["LangGraph", "a", "model", "b", "model"]
    assert rebuilt.events == ["LangGraph", "a", "b", "model"]
    assert len(done.texts) == len(again.texts) == 2
