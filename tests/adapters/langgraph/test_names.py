"""The trajectory names the right agents, whatever the graph looks like."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt

from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, look, member
from tests.adapters.langgraph.models import Scripted, calls, in_turn, says
from tests.adapters.langgraph.running import ADAPTER, Live, Ran, ran, served


def speakers(app: Any, given: Any = ASK) -> list[str]:
    return [step.agent for step in ran(app, given).trajectory.steps]


def paths(app: Any) -> list[tuple[str, str]]:
    return [(agent.path, agent.kind) for agent in ADAPTER.agents(app)]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda: graphs.chain("a", "b"), [("a", "worker"), ("b", "worker")]),
        (graphs.fan_out, [("planner", "worker"), ("worker", "worker"), ("join", "worker")]),
        (graphs.teams, [(p, "worker") for p in ("team/alice", "team/sub/deep", "team/bob", "carol")]),
        (graphs.agent_and_writer, [("researcher", "worker"), ("writer", "worker")]),
        (graphs.supervised, [("supervisor", "manager"), ("researcher", "worker"), ("writer", "worker")]),
        (graphs.swarm, [("alice", "worker"), ("bob", "worker"), ("carol", "worker")]),
        (graphs.researcher, [("researcher", "worker")]),
    ],
)
@pytest.mark.case("langgraph-18")
@pytest.mark.case("langgraph-20")
def test_agents_are_listed_as_the_steps_name_them(build: Any, expected: list[tuple[str, str]]) -> None:
    app = build()
    assert paths(app) == expected
    given = {"question": "q", "notes": []} if build is graphs.fan_out else ASK
    assert set(speakers(build(), given)) <= {path for path, _ in expected}


@pytest.mark.case("langgraph-18")
def test_paths_of_nested_teams() -> None:
    assert speakers(graphs.teams()) == ["team/alice", "team/sub/deep", "team/bob", "carol"]


@pytest.mark.case("langgraph-17")
def test_tasks_of_one_node_are_kept_apart_by_branch_not_by_who_ends_first() -> None:
    for delays in ({"x": 0.05}, {"z": 0.05}, {}):
        steps = ran(graphs.fan_out(delays), {"question": "q", "notes": []}).trajectory.steps
        assert [(s.agent, s.branch, s.turn, s.text) for s in steps[1:4]] == [
            ("worker", "0", 1, "note on x"),
            ("worker", "1", 1, "note on y"),
            ("worker", "2", 1, "note on z"),
        ]
        assert steps[4].parents == (0, 1, 2, 3)


def test_a_team_sent_several_times_has_branches_inside() -> None:
    team = graphs.chain("alice")
    graph = StateGraph(MessagesState)
    graph.add_node("plan", lambda _: {})
    graph.add_node("team", team)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges(
        "plan", lambda _: [Send("team", {"messages": [("user", word)]}) for word in ("one", "two")], ["team"]
    )
    steps = ran(graph.compile(), ASK).trajectory.steps
    assert [(s.agent, s.branch, s.text) for s in steps] == [
        ("team/alice", "0", "alice <one>"),
        ("team/alice", "1", "alice <two>"),
    ]


def test_an_agent_is_named_as_its_author_named_it_else_after_its_node() -> None:
    def graph(**names: Any) -> Any:
        built = StateGraph(MessagesState)
        for node, name in names.items():
            built.add_node(node, create_agent(Scripted(answer=says(f"I am {node}")), [], name=name))
        for first, second in zip((START, *names), names, strict=False):
            built.add_edge(first, second)
        return built.compile()

    assert speakers(graph(one="expert", two=None)) == ["expert", "two"]
    assert speakers(graph(one="twin", two="twin")) == ["twin", "two"]


def test_an_agent_without_a_name_and_a_graph_around_it() -> None:
    assert speakers(create_agent(Scripted(answer=says("hello")), [])) == ["agent"]


@pytest.mark.case("langgraph-N11")
def test_a_graph_called_by_an_agents_tool_is_not_named_after_the_agent() -> None:
    """The inner graph inherits the caller's `lc_agent_name`."""
    steps = ran(graphs.consulting(), ASK).trajectory.steps
    assert [(s.agent, s.kind) for s in steps] == [
        ("boss", "tool_call"),
        ("boss/clerk", "message"),
        ("boss/judge", "message"),
        ("boss", "tool_result"),
        ("boss", "message"),
    ]


def test_a_graph_called_inside_a_function() -> None:
    done = ran(graphs.inside_function(), ASK)
    assert [(s.agent, s.turn) for s in done.trajectory.steps if s.kind == "message"] == [
        ("outer/inner", 1),
        ("outer/second", 1),
        ("outer/inner", 2),
        ("outer/second", 2),
        ("outer", 1),
        ("last", 1),
    ]


@pytest.mark.parametrize("tools", ["tools", "lookup"])
@pytest.mark.parametrize("returned", [0, -1])
def test_a_graph_that_a_function_calls_looks_like_one_that_is_a_node(tools: str, returned: int) -> None:
    """Whoever acts inside has the same names, and what the function returns unchanged is not said again."""
    as_node = ran(graphs.calling(as_node=True, tools=tools), ASK)
    called = ran(graphs.calling(returned=returned, tools=tools), ASK)
    assert called.said == as_node.said
    assert [(step.turn, step.call_id) for step in called.trajectory.steps] == [
        (step.turn, step.call_id) for step in as_node.trajectory.steps
    ]
    assert [agent for agent, _, _ in called.said] == ["call/ag", f"call/{tools}", "call/ag", "last"]
    assert called.trajectory.final_output == as_node.trajectory.final_output


def test_what_a_function_says_anew_of_a_graph_that_it_called_is_its_own() -> None:
    inner = graphs.chain("a")

    def call(state: MessagesState) -> dict[str, Any]:
        last = inner.invoke(state)["messages"][-1]
        return {"messages": [last, AIMessage(last.text, name="call")]}

    graph = StateGraph(MessagesState)
    graph.add_node("call", call)
    graph.add_edge(START, "call")
    done = ran(graph.compile(), ASK)
    assert done.said == [("call/a", "message", "a <start>"), ("call", "message", "a <start>")]


def test_a_tools_node_of_its_own_is_an_agent_of_kind_tool() -> None:
    chat = Scripted(answer=in_turn(calls("look", x="it"), "that is it"))
    graph = StateGraph(MessagesState)
    graph.add_node("chatbot", lambda state: {"messages": [chat.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([look]))
    graph.add_edge(START, "chatbot")
    graph.add_conditional_edges(
        "chatbot", lambda state: "tools" if state["messages"][-1].tool_calls else "__end__", ["tools", "__end__"]
    )
    graph.add_edge("tools", "chatbot")
    app = graph.compile()
    assert paths(app) == [("chatbot", "worker"), ("tools", "tool")]
    assert [(s.agent, s.kind, s.turn, s.text) for s in ran(app, ASK).trajectory.steps] == [
        ("chatbot", "tool_call", 1, 'look(x="it")'),
        ("tools", "tool_result", 1, "found it"),
        ("chatbot", "message", 2, "that is it"),
    ]


@pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
def test_a_tools_node_of_a_graph_that_a_function_calls_is_of_kind_tool_too(replay: Any) -> None:
    def kinds(done: Ran) -> list[tuple[str, str]]:
        return [(agent.path, agent.kind) for agent in done.trajectory.agents]

    clean = ran(graphs.calling(), ASK, replay=replay() if replay else None)
    expected = [("call", "worker"), ("last", "worker"), ("call/ag", "worker"), ("call/tools", "tool")]
    assert kinds(clean) == expected
    assert kinds(served(graphs.calling, ASK, clean)) == expected


def test_roles_come_from_system_prompts_and_metadata() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("researcher", graphs.researcher())
    graph.add_node("critic", member("critic"), metadata={"role": "You object."})
    graph.add_edge(START, "researcher")
    graph.add_edge("researcher", "critic")
    found = {agent.path: agent for agent in ADAPTER.agents(graph.compile())}
    assert found["researcher"].role == "You look things up."
    assert found["researcher"].tools == ("look",)
    assert found["critic"].role == "You object."


@pytest.mark.case("langgraph-26")
def test_the_functional_api_is_recorded() -> None:
    @task
    def shout(word: str) -> str:
        return f"{word}!"

    @entrypoint()
    def flow(words: list[str]) -> str:
        return " ".join(future.result() for future in [shout(word) for word in words])

    done = ran(flow, ["a", "b"])
    assert [(s.agent, s.branch, s.text) for s in done.trajectory.steps] == [
        ("flow/shout", "0", "a!"),
        ("flow/shout", "1", "b!"),
        ("flow", "", "a! b!"),
    ]
    assert done.trajectory.final_output == "a! b!"
    assert ADAPTER.capabilities(flow).sites == ()


@pytest.mark.case("langgraph-24")
@pytest.mark.case("langgraph-26")
def test_a_functional_workflow_that_asks_back_is_one_run_in_the_order_of_time() -> None:
    inner = graphs.chain("x")

    @task
    def shout(word: str) -> str:
        return f"{word}!"

    @entrypoint(checkpointer=InMemorySaver())
    def flow(word: str) -> dict[str, str]:
        loud = shout(word).result()
        text = inner.invoke({"messages": [("user", loud)]})["messages"][-1].text
        return {"text": text, "answer": str(interrupt(f"is {text} right?"))}

    config: Any = {"configurable": {"thread_id": "1"}}

    def both(app: Any, given: Any) -> Any:
        app.invoke(given, config)
        return app.invoke(Command(resume="yes"), config)

    done = ran(flow, "a", use=both)
    assert [(step.agent, step.turn, step.kind, step.text) for step in done.trajectory.steps][:3] == [
        ("flow/shout", 1, "message", "a!"),
        ("flow/x", 1, "message", "x <a!>"),
        ("flow", 1, "system", "is x <a!> right?"),
    ]
    assert [(step.agent, step.turn) for step in done.trajectory.steps if step.agent == "flow"][-1] == ("flow", 1)
    assert done.run.separate_calls == 1
    assert done.trajectory.final_output == "yes"
    able = ADAPTER.capabilities(flow)
    assert (able.sites, able.replay, able.redirect, able.fork) == ((), (), False, False)
    assert any("functional API" in note for note in able.notes)


def test_a_node_that_writes_no_text_has_turns_but_no_steps() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("count", lambda _: {})
    graph.add_node("speak", lambda _: {"messages": [AIMessage("hi")]})
    graph.add_edge(START, "count")
    graph.add_edge("count", "speak")
    done = ran(graph.compile(), ASK)
    assert [step.agent for step in done.trajectory.steps] == ["speak"]
    assert [str(moment) for moment in done.run.tape().moments()] == ["count turn 1", "speak turn 1"]
