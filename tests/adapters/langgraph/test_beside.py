"""What else is called in the block: another graph is not recorded under this one's name, a graph inside is."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, MessagesState, StateGraph

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from aegis_core.trajectory import Trajectory
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.models import Scripted, repeats
from tests.adapters.langgraph.running import ADAPTER, ainvoked, invoked

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])


def agent(name: str | None) -> Any:
    return create_agent(Scripted(answer=repeats(name or "unnamed")), [], name=name)


def recorded(graph: Any, use: Any) -> tuple[Trajectory, list[str]]:
    """What is recorded while something is done, and which warnings there are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with aegis.record(graph, adapter=ADAPTER) as recording:
            use()
    return recording.trajectory, [str(item.message) for item in caught if item.category is RecorderWarning]


def said(trajectory: Trajectory) -> list[tuple[str, str]]:
    return [(step.agent, step.text) for step in trajectory.steps]


@WAYS
@pytest.mark.parametrize("names", [("solver", "judge"), ("solver", "solver"), (None, None)])
def test_another_graph_called_in_the_block_is_not_recorded_whatever_its_name(use: Any, names: Any) -> None:
    solver, judge = map(agent, names)

    def both() -> None:
        use(judge, ASK)
        use(solver, {"messages": [("user", "how far")]})
        use(judge, ASK)

    trajectory, warned = recorded(solver, both)
    assert [text for _, text in said(trajectory)] == [f"{names[0] or 'unnamed'} <how far>"]
    assert (trajectory.task, trajectory.final_output) == ("how far", f"{names[0] or 'unnamed'} <how far>")
    assert len(warned) == 1
    assert "which is what is recorded; it is not in the record" in warned[0]


@WAYS
def test_where_only_another_graph_was_called_nothing_is_recorded(use: Any) -> None:
    trajectory, warned = recorded(graphs.chain("a"), lambda: use(graphs.chain("a"), ASK))
    assert (said(trajectory), trajectory.task, trajectory.final_output) == ([], "", None)
    assert len(warned) == 1
    assert "nothing was recorded" in warned[0]


@WAYS
@pytest.mark.parametrize("change", [lambda graph: graph, lambda graph: graph.with_config(recursion_limit=9)])
def test_the_recorded_graph_is_known_by_itself_and_by_its_copies(use: Any, change: Any) -> None:
    graph = graphs.chain("a", "b")
    trajectory, warned = recorded(graph, lambda: use(change(graph), ASK))
    assert said(trajectory) == [("a", "a <start>"), ("b", "b <a <start>>")]
    assert warned == []


def test_inside_a_chain_only_the_recorded_graph_is_recorded() -> None:
    graph, other = graphs.chain("a"), graphs.chain("b")
    chain = other | RunnableLambda(lambda state: state) | graph | RunnableLambda(other.invoke)
    trajectory, warned = recorded(graph, lambda: chain.invoke(ASK))
    assert said(trajectory) == [("a", "a <b <start>>")]
    assert len(warned) == 1


@WAYS
def test_a_graph_that_a_node_calls_is_recorded_inside_of_it(use: Any) -> None:
    graph = graphs.calling(graphs.researcher)
    trajectory, warned = recorded(graph, lambda: use(graph, ASK))
    assert {step.agent for step in trajectory.steps} == {"call/researcher", "last"}
    assert warned == []


@WAYS
@pytest.mark.parametrize("as_node", [True, False], ids=["as a node", "in a function"])
def test_a_recorded_graph_that_another_one_runs_is_recorded_alone(use: Any, as_node: bool) -> None:
    inner = graphs.agent_and_writer()
    graph = StateGraph(MessagesState)
    graph.add_node("first", graphs.member("first"))

    async def acall(state: MessagesState) -> Any:
        return await inner.ainvoke(state)

    graph.add_node("inner", inner if as_node else RunnableLambda(inner.invoke, acall))
    graph.add_edge(START, "first")
    graph.add_edge("first", "inner")
    outer = graph.compile()
    trajectory, warned = recorded(inner, lambda: use(outer, ASK))
    alone, _ = recorded(inner, lambda: use(inner, {"messages": [("user", "start"), ("ai", "first <start>")]}))
    assert said(trajectory) == said(alone) != []
    assert trajectory.final_output == alone.final_output
    assert len(warned) == 1


def test_other_graphs_side_by_side_do_not_mix_with_it() -> None:
    graph, other = graphs.chain("a", make=graphs.amember), graphs.chain("b", make=graphs.amember)

    async def both() -> None:
        await asyncio.gather(*(each.ainvoke(ASK) for each in (other, graph, other)))

    trajectory, warned = recorded(graph, lambda: asyncio.run(both()))
    assert said(trajectory) == [("a", "a <start>")]
    assert len(warned) == 1
