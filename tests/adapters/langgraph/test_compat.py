"""The names that are not documented as public still mean what the adapter takes them to mean."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware, TodoListMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph_supervisor.handoff import create_handoff_back_messages

from aegis_langgraph import _compat
from aegis_langgraph.watching.frames import precedes
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.models import Scripted, says


class Places(BaseCallbackHandler):
    def __init__(self) -> None:
        self.found: list[Any] = []

    def on_chain_start(self, *_: Any, metadata: Any = None, name: str | None = None, **__: Any) -> None:
        place = _compat.place(metadata)
        if place is not None and place.node == name:
            self.found.append(place)


def places(app: Any, given: Any) -> list[Any]:
    handler = Places()
    app.invoke(given, {"callbacks": [handler], "max_concurrency": 1})
    return handler.found


def test_places_of_tasks() -> None:
    found = places(graphs.fan_out(), {"question": "q", "notes": []})
    assert [(place.names, place.push) for place in found] == [
        (("planner",), None),
        (("worker",), 0),
        (("worker",), 1),
        (("worker",), 2),
        (("join",), None),
    ]
    assert [place.names for place in places(graphs.teams(), ASK) if place.names[-1] == "deep"] == [
        ("team", "sub", "deep")
    ]


def test_kinds_of_channels() -> None:
    assert _compat.state_fields(graphs.chain("a")) == {"messages": "messages"}
    assert _compat.state_fields(graphs.fan_out()) == {"question": "last", "notes": "other", "answer": "last"}
    graph = StateGraph(graphs.Plain)
    graph.add_node("a", lambda _: {})
    graph.add_edge(START, "a")
    assert _compat.state_fields(graph.compile()) == {"messages": "other", "topic": "last"}


def test_parts_of_compiled_graphs() -> None:
    app = graphs.agent_and_writer()
    inner = _compat.children(app)["researcher"]
    assert _compat.is_graph(inner)
    assert _compat.tools_of(_compat.children(inner)["tools"]) == ("look",)  # type: ignore[arg-type]
    assert _compat.system_prompt(_compat.children(inner)["model"]) == "You look things up."  # type: ignore[arg-type]
    assert _compat.destinations(graphs.commanding(), "a") == ("b", "carol")


def test_the_calls_of_the_models_of_both_kinds_of_agents_can_be_caught() -> None:
    model = Scripted(answer=says("x"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agents = [create_agent(model, [], name="a"), create_react_agent(model, [], name="a")]
    for app in agents:
        (bound,) = _compat.children(app).values()
        assert _compat.calls_model(bound)
        assert _compat.functions(_compat.with_model(bound, lambda found: found)) != _compat.functions(bound)
    assert not _compat.calls_model(_compat.children(graphs.chain("a"))["a"])


class Started(BaseCallbackHandler):
    run_inline = True

    def __init__(self) -> None:
        self.found: list[Any] = []

    def on_chain_start(self, *_: Any, **__: Any) -> None:
        self.found.append(_compat.starting_graph())


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_the_graph_that_starts_is_seen_and_nothing_else_that_does(asynchronous: bool) -> None:
    inner = graphs.chain("deep")
    app = graphs.calling(lambda: inner)
    handler = Started()
    config: Any = {"callbacks": [handler]}
    asyncio.run(app.ainvoke(ASK, config)) if asynchronous else app.invoke(ASK, config)
    assert handler.found[0] is app
    assert [found for found in handler.found[1:] if found is not None] == [inner]
    assert len(handler.found) > 3
    assert _compat.is_same_graph(app, app.with_config(recursion_limit=9))
    assert not _compat.is_same_graph(app, graphs.calling(lambda: inner))


def test_what_an_agents_loop_keeps_for_itself() -> None:
    limit = ModelCallLimitMiddleware(run_limit=9)
    agent = create_agent(Scripted(answer=says("x")), [], middleware=[limit, TodoListMiddleware()])
    private = {name for name in _compat.state_fields(agent) if _compat.is_private(agent, name)}
    assert {"jump_to", "thread_model_call_count", "run_model_call_count"} <= private
    assert not private & {"messages", "structured_response", "todos"}


def test_the_workers_of_a_supervisor_and_how_they_hand_back() -> None:
    app = graphs.supervised()
    workers = {name: _compat.worker_inside(bound) for name, bound in _compat.children(app).items()}
    assert {name: worker and worker.name for name, worker in workers.items()} == {
        "supervisor": None,
        "researcher": "researcher",
        "writer": "writer",
    }
    made = create_handoff_back_messages("writer", "Chief Editor")
    assert [_compat.is_hand_back(message) for message in made] == [True, True]
    assert [_compat.back_to(message) for message in made] == [_compat.tool_form("Chief Editor")] * 2
    assert _compat.back_to(AIMessage("hello")) == ""


def test_the_ways_to_call_models_and_tools() -> None:
    assert all(callable(getattr(BaseChatModel, name)) for name in _compat.MODEL_WAYS)
    assert all(callable(getattr(BaseTool, name)) for name in _compat.TOOL_WAYS)


def test_a_copy_keeps_all_that_was_compiled_in() -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.store.memory import InMemoryStore

    saver, store = InMemorySaver(), InMemoryStore()
    app = graphs.chain("a", "b", checkpointer=saver, store=store, interrupt_before=["b"], name="kept")
    copy = _compat.replace_nodes(app, {"a": _compat.children(app)["b"]})
    assert (copy.checkpointer, copy.store, copy.name) == (saver, store, "kept")
    assert copy.interrupt_before_nodes == ["b"]
    assert _compat.children(copy)["a"] is _compat.children(app)["b"]
    assert _compat.children(app)["a"] is not _compat.children(app)["b"]


@pytest.mark.case("langgraph-18")
def test_subgraphs_are_still_listed_in_a_rebuilt_graph() -> None:
    from tests.adapters.langgraph.running import Live, ran

    def listed(app: Any, _: Any) -> Any:
        return sorted(name for name, _ in app.get_subgraphs(recurse=True))

    assert ran(graphs.teams(), ASK, replay=Live(), use=listed).result == ["team", "team|sub"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 1, "a"), (0, 2, "a"), True),
        ((0, 1, "a"), (0, 1, "b"), False),
        ((0, 2, "a"), (0, 1, "a"), False),
        ((0, 1, "a", 5, "x"), (0, 2, "b"), True),
        ((0, 1, "a", 5, "x"), (0, 1, "b", 6, "y"), False),
        ((0, 1, "a", 1, "x"), (0, 1, "a", 2, "y"), True),
        ((0, 9, "a"), (1, 1, "a"), True),
        ((0, 1, "a"), (0, 1, "a", 1, "x"), True),
    ],
)
def test_what_came_before_and_what_went_on_beside(first: Any, second: Any, expected: bool) -> None:
    assert precedes(first, second) is expected
