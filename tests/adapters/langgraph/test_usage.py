"""Tokens: what all model calls of a run told is the sum over its steps, each with the step that it was spent on."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from aegis_core.trajectory import Trajectory
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, broken, look
from tests.adapters.langgraph.models import Scripted, asks, calls, in_turn, says
from tests.adapters.langgraph.running import Live, ainvoked, invoked, ran

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


def used(trajectory: Trajectory) -> list[tuple[str, int]]:
    """The steps that have usage, with the tokens that went into them: of `Scripted` the number of messages."""
    return [(step.kind, step.usage.input_tokens) for step in trajectory.steps if step.usage is not None]


def quietly(use: Any) -> Any:
    def catching(app: Any, given: Any) -> Any:
        try:
            return use(app, given)
        except ValueError:
            return None

    return catching


@WAYS
@PATHS
def test_each_call_of_an_agent_is_told_with_what_it_said(use: Any, replay: Any) -> None:
    answers = in_turn(asks(("look", {"x": "it"}, "c1"), text="let me see"), calls("look", x="more"), "done")
    done = ran(create_agent(Scripted(answer=answers), [look]), ASK, use=use, replay=replay() if replay else None)
    assert used(done.trajectory) == [("thought", 1), ("tool_call", 3), ("message", 5)]


@WAYS
@PATHS
def test_a_turn_that_ends_by_an_error_tells_of_the_calls_before_it(use: Any, replay: Any) -> None:
    answers = in_turn(calls("look", x="it"), calls("broken", x="luck"))
    agent = create_agent(Scripted(answer=answers), [look, broken])
    done = ran(agent, ASK, use=quietly(use), replay=replay() if replay else None)
    assert used(done.trajectory) == [("tool_call", 1), ("tool_call", 3)]


@WAYS
@PATHS
def test_an_error_takes_along_what_was_spent_and_said_nowhere(use: Any, replay: Any) -> None:
    model = Scripted(answer=says("word"))

    def fail(_: MessagesState) -> Any:
        model.invoke("x")
        raise ValueError("too late")

    graph = StateGraph(MessagesState)
    graph.add_node("a", fail)
    graph.add_edge(START, "a")
    done = ran(graph.compile(), ASK, use=quietly(use), replay=replay() if replay else None)
    assert [(step.kind, step.model) for step in done.trajectory.steps] == [("error", "scripted-1")]
    assert used(done.trajectory) == [("error", 1)]


def test_a_stream_that_is_left_early_tells_of_the_calls_until_then() -> None:
    def left(app: Any, given: Any) -> Any:
        stream = app.stream(given, stream_mode="updates")
        next(stream)
        stream.close()

    done = ran(graphs.researcher(), ASK, use=left)
    assert used(done.trajectory) == [("thought", 2)]


@PATHS
def test_a_model_that_a_tool_asks_is_told_with_the_tools_result(replay: Any) -> None:
    inner = Scripted(answer=says("in short"))

    @tool(return_direct=True)
    def shorten(text: str) -> str:
        """Say it in short."""
        return str(inner.invoke(text).text)

    agent = create_agent(Scripted(answer=in_turn(calls("shorten", text="long"))), [shorten])
    done = ran(agent, ASK, replay=replay() if replay else None)
    assert used(done.trajectory) == [("tool_call", 1), ("tool_result", 1)]


@PATHS
def test_a_hand_off_takes_along_what_was_spent_on_it(replay: Any) -> None:
    done = ran(graphs.swarm(), ASK, replay=replay() if replay else None)
    assert used(done.trajectory) == [("handoff", 1), ("message", 3)]


@PATHS
def test_a_function_that_asks_a_model_twice_tells_of_both_calls_once(replay: Any) -> None:
    model = Scripted(answer=says("word"))
    graph = StateGraph(MessagesState)
    graph.add_node("a", lambda state: {"messages": [model.invoke("x"), model.invoke("y")]})
    graph.add_edge(START, "a")
    done = ran(graph.compile(), ASK, replay=replay() if replay else None)
    assert used(done.trajectory) == [("message", 2)]
