"""Exceptions pass through unchanged and are told once; hand-offs and interrupts are none."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, RetryPolicy, Send, interrupt

import aegis_core as aegis
from aegis_core.errors import AdapterError
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, broken, look, member
from tests.adapters.langgraph.models import Scripted, asks, calls, in_turn
from tests.adapters.langgraph.running import ADAPTER, Live, Ran, ainvoked, altered, invoked, ran, served, target

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


class OwnError(Exception):
    pass


class GraphInterrupt(Exception):
    pass


def caught(app: Any, use: Any, replay: Any, given: Any = ASK, **more: Any) -> tuple[BaseException, Ran]:
    errors: list[BaseException] = []

    def catching(app: Any, given: Any) -> Any:
        try:
            return use(app, given)
        except Exception as error:
            errors.append(error)
            return None

    done = ran(app, given, use=catching, replay=replay() if replay else None, **more)
    return errors[0], done


def failing(error: BaseException, **options: Any) -> Any:
    def fail(_: MessagesState) -> dict[str, Any]:
        raise error

    graph = StateGraph(MessagesState)
    graph.add_node("a", member("a"))
    graph.add_node("b", fail, **options)
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    return graph.compile()


@WAYS
@PATHS
@pytest.mark.case("langgraph-25")
def test_an_exception_of_a_node_is_one_step_with_its_true_type(use: Any, replay: Any) -> None:
    cause = KeyError("deep")
    error = OwnError("broken")
    error.__cause__ = cause
    found, done = caught(failing(error), use, replay)
    assert found is error
    assert found.__cause__ is cause
    assert done.said == [("a", "message", "a <start>"), ("b", "error", "OwnError: broken")]


@WAYS
@PATHS
def test_inside_a_team_it_is_told_by_the_deepest_agent(use: Any, replay: Any) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("team", failing(OwnError("broken")))
    graph.add_edge(START, "team")
    _, done = caught(graph.compile(), use, replay)
    assert done.said[-1] == ("team/b", "error", "OwnError: broken")
    assert [kind for _, kind, _ in done.said].count("error") == 1


@WAYS
@PATHS
def test_a_tool_that_raises_leaves_what_came_before_and_its_call(use: Any, replay: Any) -> None:
    asked = asks(("look", {"x": "it"}, "c1"), ("broken", {"x": "luck"}, "c2"), text="let me see")
    agent = create_agent(Scripted(answer=in_turn(asked, "never")), [look, broken], name="agent")
    found, done = caught(agent, use, replay)
    assert isinstance(found, ValueError)
    told = [(kind, text) for _, kind, text in done.said if (kind, text) != ("tool_result", "found it")]
    assert told == [  # whether the other tool has an answer depends on who is faster
        ("thought", "let me see"),
        ("tool_call", 'look(x="it")'),
        ("tool_call", 'broken(x="luck")'),
        ("error", "ValueError: no luck today"),
    ]


@PATHS
def test_a_tool_that_raises_in_a_hand_written_loop(replay: Any) -> None:
    chat = Scripted(answer=in_turn(calls("broken", x="luck"), "never"))
    graph = StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [chat.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([broken]))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    _, done = caught(graph.compile(), invoked, replay)
    assert done.said == [
        ("agent", "tool_call", 'broken(x="luck")'),
        ("agent", "error", "ValueError: no luck today"),
    ]


@PATHS
def test_a_tool_that_raises_in_an_agent_that_a_tool_asks(replay: Any) -> None:
    clerk = create_agent(Scripted(answer=in_turn(calls("broken", x="luck"), "never")), [broken], name="clerk")

    @tool
    def consult(question: str) -> str:
        """Ask the clerk."""
        return str(clerk.invoke({"messages": [("user", question)]})["messages"][-1].text)

    boss = create_agent(Scripted(answer=in_turn(calls("consult", question="why"), "never")), [consult], name="boss")
    _, done = caught(boss, invoked, replay)
    assert done.said == [
        ("boss", "tool_call", 'consult(question="why")'),
        ("boss/clerk", "tool_call", 'broken(x="luck")'),
        ("boss/clerk", "error", "ValueError: no luck today"),
    ]


@PATHS
def test_a_tool_that_raises_inside_a_function_which_goes_on(replay: Any) -> None:
    def bold(_: MessagesState) -> dict[str, Any]:
        try:
            broken.invoke({"x": "luck"})
        except ValueError:
            return {"messages": [("ai", "never mind")]}
        raise AssertionError

    graph = StateGraph(MessagesState)
    graph.add_node("bold", bold)
    graph.add_edge(START, "bold")
    done = ran(graph.compile(), ASK, replay=replay() if replay else None)
    assert [(kind, text) for _, kind, text in done.said[:2]] == [
        ("tool_call", 'broken(x="luck")'),
        ("tool_result", "ValueError: no luck today"),
    ]
    assert done.trajectory.error is None


@WAYS
@PATHS
@pytest.mark.case("langgraph-N4")
def test_an_exception_that_is_only_named_like_an_interrupt_is_an_error(use: Any, replay: Any) -> None:
    _, done = caught(failing(GraphInterrupt("mine")), use, replay)
    assert done.said[-1] == ("b", "error", "GraphInterrupt: mine")


def flaky(fails: int) -> Any:
    left = [fails]

    def work(state: MessagesState) -> dict[str, Any]:
        if left[0]:
            left[0] -= 1
            raise OwnError(f"{left[0]} left")
        return {"messages": [("ai", f"after {state['messages'][-1].text}")]}

    graph = StateGraph(MessagesState)
    policy = RetryPolicy(max_attempts=3, initial_interval=0.001, jitter=False, retry_on=OwnError)
    graph.add_node("work", work, retry_policy=policy)
    graph.add_node("b", member("b"))
    graph.add_edge(START, "work")
    graph.add_edge("work", "b")
    return graph.compile()


@WAYS
@PATHS
@pytest.mark.case("langgraph-25")
def test_attempts_are_one_turn(use: Any, replay: Any) -> None:
    done = ran(flaky(2), ASK, use=use, replay=replay() if replay else None)
    steps = done.trajectory.steps
    assert [(s.agent, s.turn, s.kind) for s in steps] == [("work", 1, "message"), ("b", 1, "message")]
    assert steps[0].content[0].data == {"attempts": 3}
    keys = [str(entry.key) for entry in done.run.tape().entries if entry.key.moment.agent == "work"]
    assert keys == ["work turn 1, input 1", "work turn 1, node 1", "work turn 1, output 1"]


def test_attempts_are_served_with_the_result() -> None:
    clean = ran(flaky(2), ASK)
    again = served(lambda: flaky(2), ASK, clean)
    assert again.canonical == clean.canonical


@PATHS
@pytest.mark.case("langgraph-25")
def test_attempts_that_all_fail_are_one_error(replay: Any) -> None:
    found, done = caught(flaky(3), invoked, replay, again=lambda: flaky(3))
    assert str(found) == "0 left"
    assert done.said == [("work", "error", "OwnError: 0 left")]


@WAYS
@PATHS
@pytest.mark.case("langgraph-24")
def test_an_interrupt_is_a_step_and_its_node_one_turn(use: Any, replay: Any) -> None:
    def ask(_: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", f"you said {interrupt('really?')}")]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("b", member("b"))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "b")
    app = graph.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}

    def both(app: Any, given: Any) -> Any:
        async def go() -> Any:
            await app.ainvoke(given, config)
            return await app.ainvoke(Command(resume="yes"), config)

        if use is ainvoked:
            return asyncio.run(go())
        app.invoke(given, config)
        return app.invoke(Command(resume="yes"), config)

    done = ran(app, ASK, use=both, replay=replay() if replay else None)
    assert [(s.agent, s.kind, s.turn, s.text) for s in done.trajectory.steps] == [
        ("ask", "system", 1, "really?"),
        ("user", "message", 1, "yes"),
        ("ask", "message", 1, "you said yes"),
        ("b", "message", 1, "b <you said yes>"),
    ]
    assert done.trajectory.steps[0].content[0].data == {"interrupt": "really?"}
    assert done.trajectory.error is None
    assert [str(moment) for moment in done.run.tape().moments()] == ["ask turn 1", "b turn 1"]
    assert done.run.separate_calls == 1  # the two calls of one thread are one run
    assert done.trajectory.final_output == "b <you said yes>"


@PATHS
@pytest.mark.parametrize("inside", [False, True], ids=["root", "node"])
@pytest.mark.case("langgraph-24")
@pytest.mark.case("langgraph-N4")
def test_an_interrupt_inside_a_tool_of_an_agent(replay: Any, inside: bool) -> None:
    @tool
    def approve(x: str) -> str:
        """Ask."""
        return f"{x}: {interrupt('may I?')}"

    model = Scripted(answer=in_turn(calls("approve", x="it"), "done"))
    app = create_agent(model, [approve], name="agent", checkpointer=None if inside else InMemorySaver())
    if inside:
        graph = StateGraph(MessagesState)
        graph.add_node("agent", app)
        graph.add_edge(START, "agent")
        app = graph.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}

    def both(app: Any, given: Any) -> Any:
        app.invoke(given, config)
        return app.invoke(Command(resume="yes"), config)

    done = ran(app, ASK, use=both, replay=replay() if replay else None)
    assert [(s.agent, s.turn, s.kind, s.text) for s in done.trajectory.steps] == [
        ("agent", 1, "tool_call", 'approve(x="it")'),
        ("agent", 1, "system", "may I?"),
        ("user", 1, "message", "yes"),
        ("agent", 1, "tool_result", "it: yes"),
        ("agent", 1, "message", "done"),
    ]


@PATHS
@pytest.mark.case("langgraph-20")
@pytest.mark.case("langgraph-21")
@pytest.mark.case("langgraph-N4")
def test_hand_offs_leave_no_error(replay: Any) -> None:
    for build in (graphs.swarm, graphs.supervised):
        done = ran(build(), ASK, replay=replay() if replay else None)
        assert "error" not in {step.kind for step in done.trajectory.steps}


def test_a_run_that_fails_names_the_agent() -> None:
    graph = failing(OwnError("broken"))
    with pytest.raises(OwnError), aegis.record(graph, adapter=ADAPTER) as recording:
        graph.invoke(ASK)
    error = recording.trajectory.error
    assert error is not None
    assert (error.type, error.message, error.agent) == ("OwnError", "broken", "b")


def test_what_fails_beside_others_is_told_too() -> None:
    def work(state: dict[str, Any]) -> dict[str, Any]:
        if state["item"] == "y":
            raise OwnError("no y")
        return {"notes": [state["item"]]}

    graph = StateGraph(graphs.Items)
    graph.add_node("work", work)
    graph.add_conditional_edges(START, lambda _: [Send("work", {"item": item}) for item in "xyz"], ["work"])
    _, done = caught(graph.compile(), invoked, None, {"question": "q", "notes": []})
    assert ("work", "error", "OwnError: no y") in done.said
    assert [step.branch for step in done.trajectory.steps if step.kind == "error"] == ["1"]


@PATHS
def test_an_error_that_a_handler_node_takes_care_of(replay: Any) -> None:
    graph = StateGraph(MessagesState)
    if "error_handler" not in inspect.signature(graph.add_node).parameters:
        pytest.skip("this version of LangGraph has no error handlers")
    graph.add_node("b", lambda _: 1 / 0, error_handler=lambda _: {"messages": [("ai", "handled")]})
    graph.add_edge(START, "b")
    done = ran(graph.compile(), ASK, replay=replay() if replay else None)
    assert ("b", "error", "ZeroDivisionError: division by zero") in done.said
    assert "handled" in done.texts
    assert done.trajectory.error is None


@pytest.mark.case("langgraph-N10")
def test_a_state_that_can_not_be_put_on_the_tape_is_recorded_but_not_served() -> None:
    import threading

    from aegis_core.errors import ReplayError

    def build() -> Any:
        graph = StateGraph(dict)
        graph.add_node("a", lambda _: {"text": "hello", "lock": threading.Lock()})
        graph.add_node("b", lambda state: {"text": f"b {state['text']}"})
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        return graph.compile()

    clean = ran(build(), {"text": "hi"})
    assert clean.texts == ["hello", "b hello"]
    with pytest.raises(ReplayError, match="no plain form"):
        altered(build, {"text": "hi"}, clean, target("b", "response_corruption", "belief"))


def test_a_graph_that_is_not_compiled_is_refused_with_what_to_do() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("a", member("a"))
    graph.add_edge(START, "a")
    with pytest.raises(
        AdapterError, match=r"StateGraph as it is: its framework runs what `\.compile\(\)` returns; give"
    ):
        aegis.record(graph)
