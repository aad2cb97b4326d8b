"""What is recorded, on both ways of recording, and that the graph does not notice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from aegis_core.trajectory import Trajectory
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.running import ADAPTER, Live, ainvoked, ran, served

ITEMS = {"question": "q", "notes": []}
CASES = {
    "chain": (lambda: graphs.chain("a", "b"), ASK),
    "there and back": (graphs.there_and_back, ASK),
    "fan out": (graphs.fan_out, ITEMS),
    "teams": (graphs.teams, ASK),
    "command": (graphs.commanding, ASK),
    "agent": (graphs.agent_and_writer, ASK),
    "supervisor": (graphs.supervised, ASK),
    "swarm": (graphs.swarm, ASK),
    "inside function": (graphs.inside_function, ASK),
    "graph in a function": (graphs.calling, ASK),
    "graph in a function that returns all of it": (lambda: graphs.calling(returned=0), ASK),
    "chain in a function": (lambda: graphs.calling(lambda: graphs.chain("a", "b")), ASK),
    "agent in a function": (lambda: graphs.calling(graphs.researcher), ASK),
    "agent at the root": (graphs.researcher, ASK),
    "agent in a tool": (graphs.consulting, ASK),
}
all_cases = pytest.mark.parametrize(("build", "given"), CASES.values(), ids=CASES)


def plain(result: Any) -> Any:
    """A result without the ids that are drawn at random."""
    if isinstance(result, dict) and "messages" in result:
        return [(message.type, message.name, message.text) for message in result["messages"]]
    return result


@all_cases
@pytest.mark.case("langgraph-16")
def test_watching_and_rebuilding_tell_the_same_story(build: Any, given: Any) -> None:
    watched = ran(build(), given)
    rebuilt = ran(build(), given, replay=Live())
    assert watched.trajectory.steps != ()
    assert rebuilt.canonical == watched.canonical
    assert plain(rebuilt.result) == plain(watched.result)


@all_cases
@pytest.mark.case("langgraph-16")
def test_sync_and_async_tell_the_same_story(build: Any, given: Any) -> None:
    assert ran(build(), given, use=ainvoked).canonical == ran(build(), given).canonical
    assert ran(build(), given, replay=Live(), use=ainvoked).canonical == ran(build(), given).canonical


@all_cases
def test_a_whole_replay_makes_no_live_call_and_gives_the_same_run(build: Any, given: Any) -> None:
    clean = ran(build(), given)
    again = served(build, given, clean)
    assert again.run.live_model_calls == 0
    assert again.run.void == ""
    assert again.canonical == clean.canonical
    assert plain(again.result) == plain(clean.result)


@all_cases
def test_the_result_is_that_of_the_bare_graph(build: Any, given: Any) -> None:
    bare = build().invoke(given)
    assert plain(ran(build(), given).result) == plain(bare)


def test_record_captures_the_users_own_graph_inside_the_block() -> None:
    graph = graphs.chain("a", "b")
    with aegis.record(graph, adapter=ADAPTER) as recording:
        graph.invoke(ASK)
    trajectory = recording.trajectory
    assert [(step.agent, step.text) for step in trajectory.steps] == [("a", "a <start>"), ("b", "b <a <start>>")]
    assert trajectory.task == "start"
    assert trajectory.final_output == "b <a <start>>"
    assert recording.app is graph


def test_a_graph_is_chosen_by_the_object_alone() -> None:
    with aegis.record(graphs.chain("a")) as recording:
        recording.app.invoke(ASK)
    assert recording.trajectory.adapter == "langgraph"


def test_off_after_the_block() -> None:
    graph = graphs.chain("a")
    with aegis.record(graph, adapter=ADAPTER) as recording:
        graph.invoke(ASK)
    before = recording.trajectory
    graph.invoke(ASK)
    assert recording.trajectory == before


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "tasks", "debug", ["updates", "messages"]])
@pytest.mark.parametrize("subgraphs", [False, True])
def test_streams_are_the_same_and_recorded_alike(mode: Any, subgraphs: bool) -> None:
    def streamed(app: Any, given: Any) -> Any:
        return list(app.stream(given, stream_mode=mode, subgraphs=subgraphs))

    async def collect(app: Any, given: Any) -> Any:
        return [item async for item in app.astream(given, stream_mode=mode, subgraphs=subgraphs)]

    def astreamed(app: Any, given: Any) -> Any:
        return asyncio.run(collect(app, given))

    bare = streamed(graphs.teams(), ASK)
    expected = ran(graphs.teams(), ASK)
    for use in (streamed, astreamed):
        for replay in (None, Live()):
            done = ran(graphs.teams(), ASK, replay=replay, use=use)
            assert len(done.result) == len(bare)
            assert done.texts == expected.texts
            assert done.canonical[0] == expected.canonical[0]


def test_streamed_updates_are_equal_to_those_of_the_bare_graph() -> None:
    def updates(app: Any, given: Any) -> Any:
        return [
            (namespace and namespace[0].split(":")[0], {node: plain(update) for node, update in item.items()})
            for namespace, item in app.stream(given, stream_mode="updates", subgraphs=True)
        ]

    bare = updates(graphs.teams(), ASK)
    assert ran(graphs.teams(), ASK, use=updates).result == bare
    assert ran(graphs.teams(), ASK, replay=Live(), use=updates).result == bare


@pytest.mark.case("langgraph-16")
def test_usage_and_model_are_taken_from_the_calls() -> None:
    steps = ran(graphs.chain("a", "b"), ASK).trajectory.steps
    assert [(step.model, step.usage.input_tokens, step.usage.output_tokens) for step in steps if step.usage] == [
        ("scripted-1", 1, 2),
        ("scripted-1", 2, 2),
    ]


def test_what_a_model_was_asked_is_on_the_tape() -> None:
    tape = ran(graphs.chain("a", "b"), ASK).run.tape()
    asked = [[part.text for part in entry.request] for entry in tape.entries if entry.key.kind == "model"]
    assert asked == [["start"], ["start", "a <start>"]]


@pytest.mark.case("langgraph-22")
def test_an_agent_with_tools_is_one_turn_with_calls_inside() -> None:
    done = ran(graphs.agent_and_writer(), ASK)
    assert done.said == [
        ("researcher", "thought", "let me see"),
        ("researcher", "tool_call", 'look(x="p")'),
        ("researcher", "tool_call", 'look(x="q")'),
        ("researcher", "tool_call", "nope()"),
        ("researcher", "tool_result", "found p"),
        ("researcher", "tool_result", "found q"),
        ("researcher", "tool_result", "Error: nope is not a valid tool, try one of [look]."),
        ("researcher", "message", "done <Error: nope is not a valid tool, try one of [look].>"),
        ("writer", "message", "writer <done <Error: nope is not a valid tool, try one of [look].>>"),
    ]
    assert {(step.agent, step.turn) for step in done.trajectory.steps} == {("researcher", 1), ("writer", 1)}
    calls = {step.call_id for step in done.trajectory.steps if step.kind == "tool_call"}
    assert calls == {step.call_id for step in done.trajectory.steps if step.kind == "tool_result"} == {"c1", "c2", "c3"}
    keys = [str(entry.key) for entry in done.run.tape().entries if entry.key.kind == "tool"]
    assert keys == [f"researcher turn 1, tool {name} 1" for name in ("look", "look[2]", "nope")]
    unknown = next(step for step in done.trajectory.steps if "nope is not" in step.text)
    assert unknown.content[0].data == {"status": "error"}


@pytest.mark.case("langgraph-20")
def test_hand_offs_of_a_supervisor() -> None:
    done = ran(graphs.supervised(), ASK)
    assert [(s.agent, s.turn, s.kind, s.addressed_to) for s in done.trajectory.steps] == [
        ("supervisor", 1, "handoff", ("researcher",)),
        ("researcher", 1, "message", ("supervisor",)),
        ("researcher", 1, "handoff", ("supervisor",)),
        ("supervisor", 2, "handoff", ("writer",)),
        ("writer", 1, "message", ("supervisor",)),
        ("writer", 1, "handoff", ("supervisor",)),
        ("supervisor", 3, "message", ()),
    ]


@pytest.mark.case("langgraph-19")
@pytest.mark.case("langgraph-21")
def test_hand_offs_of_a_swarm_and_of_commands() -> None:
    steps = ran(graphs.swarm(), ASK).trajectory.steps
    assert [(s.agent, s.kind, s.addressed_to) for s in steps] == [
        ("alice", "handoff", ("bob",)),
        ("bob", "message", ()),
    ]
    steps = ran(graphs.commanding(), ASK).trajectory.steps
    assert [(s.agent, s.kind, s.addressed_to, s.text) for s in steps] == [
        ("a", "handoff", ("b",), "a <start>"),
        ("b", "message", (), "b <a <start>>"),
    ]


def test_parents_and_readers() -> None:
    steps = ran(graphs.teams(), ASK).trajectory.steps
    assert [step.parents for step in steps] == [(), (0,), (0, 1), (0, 1, 2)]
    assert steps[0].visible_to == ("carol", "team/bob", "team/sub/deep")


def test_a_graph_inside_a_chain_of_runnables() -> None:
    from langchain_core.runnables import RunnableLambda

    graph = graphs.chain("a")
    chain = (
        RunnableLambda(lambda text: {"messages": [("user", text)]})
        | graph
        | RunnableLambda(lambda state: state["messages"][-1].text.upper())
    )
    with aegis.record(graph, adapter=ADAPTER) as recording:
        assert chain.invoke("hello") == "A <HELLO>"
    trajectory = recording.trajectory
    assert (trajectory.task, trajectory.final_output) == ("hello", "a <hello>")
    assert [step.agent for step in trajectory.steps] == ["a"]


def test_events_and_batches_are_recorded() -> None:
    graph = graphs.chain("a", make=graphs.amember)

    async def go() -> tuple[int, int]:
        with aegis.record(graph, adapter=ADAPTER) as recording:
            events = [event async for event in graph.astream_events(ASK, version="v2")]
            await graph.abatch([ASK, ASK])
        return len(events), len(recording.trajectory.steps)

    with pytest.warns(RecorderWarning, match="3 calls"):
        events, steps = asyncio.run(go())
    assert events > 0
    assert steps == 5  # two of them the caller's


def test_several_invocations_are_one_run_after_another() -> None:
    def twice(app: Any, given: Any) -> Any:
        app.invoke(given)
        return app.invoke({"messages": [("user", "again")]})

    done = ran(graphs.chain("a", "b"), ASK, use=twice)
    assert [(s.agent, s.turn, s.text) for s in done.trajectory.steps] == [
        ("a", 1, "a <start>"),
        ("b", 1, "b <a <start>>"),
        ("user", 1, "again"),
        ("a", 2, "a <again>"),
        ("b", 2, "b <a <again>>"),
    ]


def test_a_second_call_in_a_recording_is_warned_of() -> None:
    graph = graphs.chain("a")

    def twice() -> Trajectory:
        with aegis.record(graph, adapter=ADAPTER) as run:
            graph.invoke(ASK)
            graph.invoke({"messages": [("user", "again")]})
        return run.trajectory

    with pytest.warns(RecorderWarning, match="2 calls of 'LangGraph'"):
        trajectory = twice()
    assert (trajectory.task, trajectory.final_output) == ("start", "a <again>")


def test_a_conversation_on_one_thread_is_one_run() -> None:
    graph = graphs.chain("a", checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "7"}}
    with aegis.record(graph, adapter=ADAPTER) as run:
        graph.invoke(ASK, config)
        graph.invoke({"messages": [("user", "again")]}, config)
    assert [(step.agent, step.turn, step.text) for step in run.trajectory.steps] == [
        ("a", 1, "a <start>"),
        ("user", 1, "again"),
        ("a", 2, "a <again>"),
    ]
