"""What a human says after the first task is a step of `user`, in its place, to whom it was said."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from aegis_core.trajectory import Agent
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.running import Live, Ran, ran, served

WAYS = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
CONFIG: Any = {"configurable": {"thread_id": "1"}}


def calling(*given: Any, asynchronous: bool = False, config: Any = CONFIG) -> Any:
    """Calls the graph with what it is given, and then with these."""

    async def all_of_them(app: Any, first: Any) -> Any:
        return [await app.ainvoke(each, config) for each in (first, *given)][-1]

    def use(app: Any, first: Any) -> Any:
        if asynchronous:
            return asyncio.run(all_of_them(app, first))
        return [app.invoke(each, config) for each in (first, *given)][-1]

    return use


def told(done: Ran) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(step.agent, step.text, step.addressed_to) for step in done.trajectory.steps]


def asking(*questions: str) -> Any:
    """A node that asks its questions one by one, then another member."""

    def ask(_: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", " and ".join(str(interrupt(question)) for question in questions))]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("b", graphs.member("b"))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "b")
    return graph.compile(checkpointer=InMemorySaver())


@WAYS
@PATHS
@pytest.mark.case("langgraph-24")
def test_answers_to_interrupts_stand_behind_what_was_asked(replay: Any, asynchronous: bool) -> None:
    use = calling(Command(resume="the red one"), Command(resume={"size": "large"}), asynchronous=asynchronous)
    done = ran(asking("which one?", "what size?"), ASK, use=use, replay=replay() if replay else None)
    assert told(done) == [
        ("ask", "which one?", ()),
        ("user", "the red one", ("ask",)),
        ("ask", "what size?", ()),
        ("user", "size: large", ("ask",)),
        ("ask", "the red one and {'size': 'large'}", ()),
        ("b", "b <the red one and {'size': 'large'}>", ()),
    ]
    assert {step.visible_to for step in done.trajectory.steps if step.agent == "user"} == {("ask",)}
    assert Agent(path="user", kind="user") in done.trajectory.agents
    assert done.trajectory.task == "start"


@PATHS
@pytest.mark.case("langgraph-24")
def test_each_answer_goes_to_who_asked_for_it(replay: Any) -> None:
    graph = StateGraph(MessagesState)
    for name in "xy":
        graph.add_node(name, lambda _, name=name: {"messages": [("ai", f"{name} heard {interrupt(f'{name}?')}")]})
        graph.add_edge(START, name)

    def answering(app: Any, given: Any) -> Any:
        waiting = app.invoke(given, CONFIG)["__interrupt__"]
        answers = {each.id: f"for {each.value}" for each in waiting}
        return app.invoke(Command(resume=answers), CONFIG)["messages"][-1].text

    done = ran(graph.compile(checkpointer=InMemorySaver()), ASK, use=answering, replay=replay() if replay else None)
    assert told(done) == [
        ("x", "x?", ()),
        ("user", "for x?", ("x",)),
        ("x", "x heard for x?", ()),
        ("y", "y?", ()),
        ("user", "for y?", ("y",)),
        ("y", "y heard for y?", ()),
    ]


@WAYS
@PATHS
@pytest.mark.parametrize("config", [CONFIG, None], ids=["on one thread", "by itself"])
def test_a_further_message_goes_to_whom_the_graph_begins_with(replay: Any, asynchronous: bool, config: Any) -> None:
    app = graphs.teams() if config is None else graphs.chain("a", "b", checkpointer=InMemorySaver())
    first = "team/alice" if config is None else "a"
    use = calling({"messages": [("user", "and the sun?")]}, asynchronous=asynchronous, config=config)
    done = ran(app, ASK, use=use, replay=replay() if replay else None)
    assert [item for item in told(done) if item[0] == "user"] == [("user", "and the sun?", (first,))]
    place = [step.agent for step in done.trajectory.steps].index("user")
    later = done.trajectory.steps[place + 1 :]
    assert {(step.agent, step.turn) for step in later} == {(s.agent, 2) for s in done.trajectory.steps[:place]}
    assert place in later[0].parents
    assert done.trajectory.task == "start"


@PATHS
def test_of_a_history_only_what_is_new_is_told(replay: Any) -> None:
    history = [HumanMessage("start"), AIMessage("a <start>"), {"role": "user", "content": "and the sun?"}]
    done = ran(
        graphs.chain("a"), ASK, use=calling({"messages": history}, config=None), replay=replay() if replay else None
    )
    assert [text for agent, text, _ in told(done) if agent == "user"] == ["and the sun?"]


@PATHS
def test_a_graph_that_begins_with_several_is_told_all_at_once(replay: Any) -> None:
    graph = StateGraph(MessagesState)
    for name in "xy":
        graph.add_node(name, graphs.member(name))
        graph.add_edge(START, name)
    use = calling({"messages": [("user", "and the sun?")]}, config=None)
    done = ran(graph.compile(), ASK, use=use, replay=replay() if replay else None)
    assert [to for agent, _, to in told(done) if agent == "user"] == [("x", "y")]


@PATHS
def test_going_on_without_a_word_is_no_step(replay: Any) -> None:
    app = graphs.chain("a", "b", checkpointer=InMemorySaver(), interrupt_before=["b"])
    done = ran(app, ASK, use=calling(None), replay=replay() if replay else None)
    assert [agent for agent, _, _ in told(done)] == ["a", "b"]


def test_a_conversation_is_served_with_what_the_human_said() -> None:
    def build() -> Any:
        return graphs.chain("a", "b", checkpointer=InMemorySaver())

    use = calling({"messages": [("user", "and the sun?")]})
    clean = ran(build(), ASK, use=use)
    again = served(build, ASK, clean, use=use)
    assert (again.run.live_model_calls, again.canonical) == (0, clean.canonical)
