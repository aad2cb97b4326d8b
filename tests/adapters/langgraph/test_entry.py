"""How a graph is started on a task, and where its answer is."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph
from pydantic import BaseModel

from aegis_core.errors import AdapterError
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import amember
from tests.adapters.langgraph.running import ADAPTER


class Named(TypedDict):
    question: str
    draft: str
    answer: str


class Vague(TypedDict):
    one: str
    two: str


class Typed(BaseModel):
    topic: str
    answer: str = ""


@dataclass
class Data:
    topic: str
    answer: str = ""


def one_node(schema: Any, key: str) -> Any:
    graph = StateGraph(schema)
    read = lambda state: state[key] if isinstance(state, dict) else getattr(state, key)  # noqa: E731
    graph.add_node("a", lambda state: {"answer": f"answer to {read(state)}"})
    graph.add_edge(START, "a")
    return graph.compile()


def test_a_graph_of_messages() -> None:
    result = ADAPTER.start(graphs.chain("a", "b"), "hello")
    assert isinstance(result["messages"][0], HumanMessage)
    assert ADAPTER.output(result) == "b <a <hello>>"


@pytest.mark.parametrize(("schema", "key"), [(Named, "question"), (Typed, "topic"), (Data, "topic")])
def test_a_graph_with_one_text_for_the_task(schema: Any, key: str) -> None:
    assert ADAPTER.output(ADAPTER.start(one_node(schema, key), "why")) == "answer to why"


def test_a_graph_that_does_not_say_where_the_task_belongs() -> None:
    graph = StateGraph(Vague)
    graph.add_node("a", lambda _: {})
    graph.add_edge(START, "a")
    with pytest.raises(AdapterError, match=r"System\(app, start="):
        ADAPTER.start(graph.compile(), "why")


def test_an_asynchronous_graph_gives_an_awaitable() -> None:
    result = ADAPTER.start(graphs.chain("a", make=amember), "hello")
    assert inspect.isawaitable(result)
    assert ADAPTER.output(asyncio.run(result)) == "a <hello>"  # type: ignore[arg-type]
    able = ADAPTER.capabilities(graphs.chain("a", make=amember))
    assert (able.sync, able.asynchronous) == (False, True)


def test_answers() -> None:
    assert ADAPTER.output({"messages": [AIMessage("said"), HumanMessage("thanks")]}) == "said"
    assert ADAPTER.output({"question": "q", "final_answer": "f"}) == "f"
    assert ADAPTER.output(Typed(topic="t", answer="a")) == "a"
    assert ADAPTER.output({"question": "q", "essay": "e"}) == "e"
    assert ADAPTER.output({"question": "q"}) is None
    assert ADAPTER.output("text") == "text"
    assert ADAPTER.output(None) is None
    assert ADAPTER.output({"messages": [HumanMessage("only asked")]}) is None


def test_what_is_no_graph_is_refused_with_a_hint() -> None:
    builder = StateGraph(Named)
    assert not ADAPTER.can_handle(builder)
    with pytest.raises(AdapterError, match=r"call \.compile\(\) first"):
        ADAPTER.attach(builder, None)  # type: ignore[arg-type]
    assert not ADAPTER.can_handle(object())


def test_capabilities_are_those_of_the_object() -> None:
    chain, agent, items = (
        ADAPTER.capabilities(app) for app in (graphs.chain("a"), graphs.researcher(), graphs.fan_out())
    )
    assert chain.replay == ("node", "call")
    assert agent.replay == ("call",)
    assert agent.offers("environment", "call")
    assert not chain.offers("environment", "call")
    assert all(items.offers("prompt_injection", scope) for scope in ("persistent", "ephemeral"))
    assert not chain.redirect
    assert ADAPTER.capabilities(graphs.commanding()).redirect
