"""How a run ends that does not end well: limits, cancellation, exceptions that the user's code catches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import RetryPolicy

import aegis_core as aegis
from aegis_core.errors import RunLimitReached
from aegis_core.run import Limits
from aegis_core.trajectory import Trajectory
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, member
from tests.adapters.langgraph.running import ADAPTER, Live, Ran, ainvoked, invoked, ran

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


@WAYS
@PATHS
@pytest.mark.parametrize("limits", [Limits(turns=3), Limits(calls=3)], ids=["turns", "calls"])
def test_a_limit_ends_the_graph(use: Any, replay: Any, limits: Limits) -> None:
    graph = StateGraph(MessagesState)
    policy = RetryPolicy(max_attempts=5, initial_interval=30)
    graph.add_node("a", member("a"), retry_policy=policy)
    graph.add_node("b", member("b"), retry_policy=policy)
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    graph.add_edge("b", "a")
    app = graph.compile()
    errors: list[BaseException] = []

    def catching(app: Any, given: Any) -> Any:
        with pytest.raises(RunLimitReached) as caught:
            use(app, given)
        errors.append(caught.value)

    done = ran(app, ASK, use=catching, limits=limits, replay=replay() if replay else None)
    assert "more than 3" in str(errors[0])
    assert done.run.limit_reached
    assert "error" not in {step.kind for step in done.trajectory.steps}


def endless() -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("a", member("a"))
    graph.add_edge(START, "a")
    graph.add_edge("a", "a")
    return graph.compile().with_config(recursion_limit=3)


@WAYS
@PATHS
def test_a_graph_that_runs_out_of_steps_has_no_end(use: Any, replay: Any) -> None:
    errors: list[BaseException] = []

    def catching(app: Any, given: Any) -> Any:
        with pytest.raises(GraphRecursionError) as caught:
            use(app, given)
        errors.append(caught.value)

    done = ran(endless(), ASK, use=catching, replay=replay() if replay else None)
    error = done.trajectory.error
    assert error is not None
    assert (error.type, error.agent) == ("GraphRecursionError", None)
    assert "error" not in {step.kind for step in done.trajectory.steps}
    assert done.run.limit_reached == ""  # as long as the system can catch it
    done.run.failed(errors[0])
    assert "Recursion limit of 3" in done.run.limit_reached


@PATHS
def test_what_the_users_code_catches_and_goes_on_from_is_no_end(replay: Any) -> None:
    graph = StateGraph(MessagesState)

    def first_fails(state: MessagesState) -> Any:
        if state["messages"][-1].text == "start":
            raise ValueError("not this")
        return {"messages": [("ai", "done")]}

    graph.add_node("a", first_fails)
    graph.add_edge(START, "a")

    def again(app: Any, given: Any) -> Any:
        with pytest.raises(ValueError, match="not this"):
            app.invoke(given)
        return app.invoke({"messages": [("user", "another")]})

    done = ran(graph.compile(), ASK, use=again, replay=replay() if replay else None)
    assert done.trajectory.error is None
    assert done.trajectory.final_output == "done"
    assert [(agent, kind, text) for agent, kind, text in done.said if agent == "a"] == [
        ("a", "error", "ValueError: not this"),
        ("a", "message", "done"),
    ]


def test_a_run_that_is_cancelled_says_so_and_holds_what_happened_before() -> None:
    begun = asyncio.Event()

    async def waits(state: Any) -> Any:
        begun.set()
        await asyncio.sleep(30)

    def make(name: str, seen: Any) -> Any:
        return waits if name == "b" else graphs.amember(name, seen)

    graph = graphs.chain("a", "b", make=make)

    async def go() -> Trajectory:
        with aegis.record(graph, adapter=ADAPTER) as recording:
            running = asyncio.create_task(graph.ainvoke(ASK))
            await begun.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        return recording.trajectory

    trajectory = asyncio.run(go())
    assert [(step.agent, step.kind) for step in trajectory.steps] == [("a", "message")]
    assert trajectory.error is not None
    assert (trajectory.error.type, trajectory.error.agent) == ("CancelledError", None)


@PATHS
def test_a_run_that_is_broken_off_by_ctrl_c_says_so(replay: Any) -> None:
    def make(name: str, seen: Any) -> Any:
        def stopped(_: Any) -> Any:
            raise KeyboardInterrupt

        return stopped if name == "b" else member(name, seen)

    def catching(app: Any, given: Any) -> Any:
        with pytest.raises(KeyboardInterrupt):
            app.invoke(given)

    done: Ran = ran(graphs.chain("a", "b", make=make), ASK, use=catching, replay=replay() if replay else None)
    assert done.said == [("a", "message", "a <start>")]
    assert done.trajectory.error is not None
    assert done.trajectory.error.type == "KeyboardInterrupt"
