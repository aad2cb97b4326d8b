"""Branches by LangGraph's own checkpoints: what they can do is seen, what they can't is refused."""

from __future__ import annotations

import operator
from importlib.metadata import version
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Send

from aegis_langgraph.time_travel import ForkRefused, fork, fork_or_replay
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen
from tests.adapters.langgraph.running import ADAPTER, Ran, ran

CONFIG: Any = {"configurable": {"thread_id": "recorded"}}


def louder(text: str) -> str:
    return f"{text} ALTERED"


def kept(graph: Any) -> Any:
    """A copy of the graph that keeps every step."""
    return graph.copy(update={"checkpointer": InMemorySaver()})


def recorded(graph: Any, given: Any = ASK, durability: Any = "sync") -> Ran:
    return ran(graph, given, use=lambda app, given: app.invoke(given, CONFIG, durability=durability))


def texts(graph: Any, config: Any = CONFIG) -> list[str]:
    return [message.text for message in graph.get_state(config).values["messages"]]


@pytest.mark.case("langgraph-27")
def test_what_came_before_is_not_run_again_and_the_recorded_thread_stays() -> None:
    seen: Seen = []
    graph = kept(graphs.chain("a", "b", "c", seen=seen))
    recorded(graph)
    before = texts(graph)
    seen.clear()
    made = fork(graph, CONFIG, "a", louder, thread_id="branch")
    assert seen == [["start", "a <start> ALTERED"], ["start", "a <start> ALTERED", "b <a <start> ALTERED>"]]
    assert [step.agent for step in made.trajectory.steps] == ["b", "c"]
    assert [str(moment) for moment in made.observed_by] == ["b turn 1", "c turn 1"]
    assert texts(graph) == before
    assert texts(graph, made.config) == [message.text for message in made.result["messages"]]
    assert made.config["configurable"]["thread_id"] == "branch"
    again = fork(graph, CONFIG, "b", louder)
    assert [step.text for step in again.trajectory.steps] == ["c <b <a <start>> ALTERED>"]


@pytest.mark.case("langgraph-27")
def test_a_later_turn_of_an_agent() -> None:
    graph = StateGraph(MessagesState)
    for name in "ab":
        graph.add_node(name, graphs.member(name))
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    graph.add_conditional_edges("b", lambda state: "a" if len(state["messages"]) < 5 else END, ["a", END])
    app = graph.compile(checkpointer=InMemorySaver())
    recorded(app)
    made = fork(app, CONFIG, "a", louder, turn=2)
    assert len(made.trajectory.steps) == 1
    assert made.result["messages"][3].text.endswith("ALTERED")


@pytest.mark.case("langgraph-19")
@pytest.mark.case("langgraph-27")
def test_a_hand_off_by_a_command_goes_where_it_went_or_elsewhere() -> None:
    graph = kept(graphs.commanding())
    recorded(graph)
    made = fork(graph, CONFIG, "a", louder)
    assert [(step.agent, step.text) for step in made.trajectory.steps] == [("b", "b <a <start> ALTERED>")]
    made = fork(graph, CONFIG, "a", louder, redirect="carol")
    assert [(step.agent, step.text) for step in made.trajectory.steps] == [("carol", "carol <a <start> ALTERED>")]


@pytest.mark.case("langgraph-23")
def test_a_conditional_edge_follows_the_altered_text() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("a", lambda _: {"messages": [AIMessage("go left")]})
    for name in ("left", "right"):
        graph.add_node(name, graphs.member(name))
    graph.add_edge(START, "a")
    graph.add_conditional_edges("a", lambda state: "right" if "right" in state["messages"][-1].text else "left")
    app = graph.compile(checkpointer=InMemorySaver())
    recorded(app)
    made = fork(app, CONFIG, "a", lambda text: text.replace("left", "right"))
    assert [step.agent for step in made.trajectory.steps] == ["right"]


def test_one_of_two_that_ran_side_by_side() -> None:
    graph = StateGraph(MessagesState)
    for name in ("x", "y", "join"):
        graph.add_node(name, graphs.member(name))
        if name != "join":
            graph.add_edge(START, name)
    graph.add_edge(["x", "y"], "join")
    app = graph.compile(checkpointer=InMemorySaver())
    recorded(app)
    made = fork(app, CONFIG, "x", louder)
    assert [step.agent for step in made.trajectory.steps] == ["join"]
    assert [message.text for message in made.result["messages"]][1:3] == ["x <start> ALTERED", "y <start>"]


@pytest.mark.case("langgraph-20")
def test_the_worker_of_a_supervisor() -> None:
    graph = kept(graphs.supervised())
    recorded(graph)
    made = fork(graph, CONFIG, "researcher", louder)
    assert [str(moment) for moment in made.observed_by][:2] == ["supervisor turn 1", "writer turn 1"]
    assert "researcher" not in [step.agent for step in made.trajectory.steps]


class Report(TypedDict):
    question: str
    draft: str
    notes: Annotated[list[str], operator.add]
    answer: str


def reporting() -> Any:
    graph = StateGraph(Report)
    graph.add_node("a", lambda state: {"draft": f"on {state['question']}"})
    graph.add_node("b", lambda state: {"notes": [f"read {state['draft']}"]})
    graph.add_node("c", lambda state: {"answer": "; ".join(state["notes"])})
    for first, second in ((START, "a"), ("a", "b"), ("b", "c")):
        graph.add_edge(first, second)
    return graph.compile(checkpointer=InMemorySaver())


def test_a_plain_key_is_replaced_and_a_list_that_grows_is_refused() -> None:
    graph = reporting()
    clean = recorded(graph, {"question": "q"})
    assert fork(graph, CONFIG, "a", louder).result["answer"] == "read on q ALTERED"
    with pytest.raises(ForkRefused, match="'notes' is added there"):
        fork(graph, CONFIG, "b", louder)
    made = fork_or_replay(graph, CONFIG, "b", louder, tape=clean.canonical[1], given={"question": "q"})
    assert (made.by, made.result["answer"]) == ("replay", "read on q ALTERED")
    assert "'notes' is added there" in made.reason


def sent_three() -> Any:
    graph = StateGraph(Report)
    graph.add_node("a", lambda _: {"draft": "plan"})
    graph.add_node("b", lambda state: {"answer": state["draft"]})
    graph.add_node("c", lambda _: {})
    graph.add_edge(START, "a")
    graph.add_conditional_edges("a", lambda _: [Send("c", {"draft": word}) for word in "xyz"], ["c"])
    graph.add_edge("c", "b")
    return graph.compile(checkpointer=InMemorySaver())


REFUSED: dict[str, tuple[Any, Any, str, str]] = {
    "no checkpointer": (lambda: graphs.chain("a", "b"), ASK, "a", "no checkpointer"),
    "no such agent": (lambda: kept(graphs.chain("a", "b")), ASK, "z", "no agent 'z'; its agents: a, b"),
    "inside a team": (lambda: kept(graphs.teams()), ASK, "team/alice", "inside a subgraph.*8458"),
    "the last": (lambda: kept(graphs.chain("a", "b")), ASK, "b", "nobody acted after"),
    "the whole graph": (lambda: kept(graphs.researcher()), ASK, "researcher", "nobody acts after"),
    "no text": (sent_three, {"question": "q"}, "c", "no checkpoint|wrote no text|several tasks"),
}


@pytest.mark.parametrize(("build", "given", "agent", "reason"), REFUSED.values(), ids=REFUSED)
@pytest.mark.case("langgraph-27")
@pytest.mark.case("langgraph-N3")
def test_what_checkpoints_can_not_do_is_refused(build: Any, given: Any, agent: str, reason: str) -> None:
    graph = build()
    if graph.checkpointer:
        recorded(graph, given)
    with pytest.raises(ForkRefused, match=reason):
        fork(graph, CONFIG, agent, louder)


@pytest.mark.case("langgraph-27")
def test_a_thread_that_kept_only_its_end_is_refused() -> None:
    graph = kept(graphs.chain("a", "b"))
    recorded(graph, durability="exit")
    with pytest.raises(ForkRefused, match='durability="sync"'):
        fork(graph, CONFIG, "a", louder)


def test_a_text_that_stays_as_it_is_is_refused() -> None:
    graph = kept(graphs.chain("a", "b"))
    recorded(graph)
    with pytest.raises(ForkRefused, match="not changed"):
        fork(graph, CONFIG, "a", str)


@pytest.mark.case("langgraph-N12")
def test_delta_channels_are_refused() -> None:
    channels = pytest.importorskip("langgraph.channels.delta", reason="this version has no delta channels")

    grows = channels.DeltaChannel(lambda old, new: [*old, *(item for items in new for item in items)])
    schema: Any = TypedDict("Delta", {"items": Annotated[list[str], grows], "text": str})  # type: ignore[misc]
    graph = StateGraph(schema)
    graph.add_node("a", lambda _: {"text": "one"})
    graph.add_node("b", lambda state: {"text": f"{state['text']}, two"})
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    app = graph.compile(checkpointer=InMemorySaver())
    with pytest.raises(ForkRefused, match="delta channels.*8443"):
        fork(app, CONFIG, "a", louder)
    assert not ADAPTER.capabilities(app).fork


def test_that_it_can_be_forked_is_a_capability_of_the_object() -> None:
    assert ADAPTER.capabilities(kept(graphs.chain("a", "b"))).fork
    assert not ADAPTER.capabilities(graphs.chain("a", "b")).fork
    assert not ADAPTER.capabilities(kept(graphs.researcher())).fork


@pytest.mark.case("langgraph-N3")
def test_inside_a_subgraph_the_run_is_served_from_its_tape_instead() -> None:
    graph = kept(graphs.teams())
    clean = recorded(graph)
    made = fork_or_replay(graph, CONFIG, "team/alice", louder, tape=clean.canonical[1], given=ASK)
    assert made.by == "replay"
    assert "8458" in made.reason
    assert [str(moment) for moment in made.observed_by] == ["team/sub/deep turn 1", "team/bob turn 1", "carol turn 1"]
    assert made.trajectory.steps[0].text == "alice <start> ALTERED"


@pytest.mark.case("langgraph-N3")
def test_a_fork_that_nobody_sees_is_no_proof_and_the_run_is_served_from_its_tape_instead() -> None:
    """What runs next writes down the original again, which it keeps where no checkpoint reaches."""
    memory: list[str] = []

    def first(_: MessagesState) -> dict[str, Any]:
        memory[:] = ["mine"]
        return {"messages": [AIMessage("mine", id="1")]}

    def build() -> Any:
        graph = StateGraph(MessagesState, input_schema=MessagesState)
        graph.add_node("a", first)
        graph.add_node("b", lambda _: {"messages": [AIMessage(memory[0], id="2")]}, input_schema=Report)  # type: ignore[type-var]
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        return graph.compile(checkpointer=InMemorySaver())

    graph = build()
    clean = recorded(graph)
    assert fork(graph, CONFIG, "a", louder).observed_by == ()
    made = fork_or_replay(graph, CONFIG, "a", louder, tape=clean.canonical[1], given=ASK)
    assert made.by == "replay"
    assert "nobody was shown" in made.reason
    assert made.observed_by == ()


@pytest.mark.skipif(
    tuple(map(int, version("langgraph").split(".")[:3])) < (1, 1, 7), reason="the fault came with 1.1.7"
)
@pytest.mark.case("langgraph-N3")
def test_why_a_fork_inside_a_subgraph_is_refused() -> None:
    """Upstream: the inner graph starts anew, and the alteration is gone (langgraph #8458)."""
    said: list[str] = []

    def speaker(name: str) -> Any:
        def speak(state: MessagesState) -> dict[str, Any]:
            said.append(name)
            return {"messages": [AIMessage(f"{name} after {state['messages'][-1].text}", id=name)]}

        return speak

    inner = StateGraph(MessagesState)
    for name in ("alice", "bob"):
        inner.add_node(name, speaker(name))
    inner.add_edge(START, "alice")
    inner.add_edge("alice", "bob")
    outer = StateGraph(MessagesState)
    outer.add_node("team", inner.compile(interrupt_before=["bob"]))
    outer.add_edge(START, "team")
    graph = outer.compile(checkpointer=InMemorySaver())
    graph.invoke(ASK, CONFIG)
    state = graph.get_state(CONFIG, subgraphs=True).tasks[0].state
    said.clear()
    where = graph.update_state(state.config, {"messages": [AIMessage("ALTERED", id="alice")]}, as_node="alice")
    result = graph.invoke(None, where)
    assert "alice" in said
    assert "bob after ALTERED" not in [message.text for message in result["messages"]]
