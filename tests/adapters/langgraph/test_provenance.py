"""Who wrote what an agent is shown goes by the ids of messages, not by what they say."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, RemoveMessage
from langgraph.graph import START, MessagesState, StateGraph

from tests.adapters.langgraph.graphs import ASK, look
from tests.adapters.langgraph.models import Scripted, calls, in_turn, says
from tests.adapters.langgraph.running import Live, Ran, altered, ran, served, target

PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
FORMS: dict[str, Any] = {
    "messages": AIMessage,
    "messages with ids": lambda text: AIMessage(text, id=str(uuid.uuid4())),
    "pairs": lambda text: ("ai", text),
    "dicts": lambda text: {"role": "assistant", "content": text},
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def parents(done: Ran) -> dict[tuple[str, int], tuple[int, ...]]:
    return {(step.agent, step.turn): step.parents for step in done.trajectory.steps}


def readers(done: Ran) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.agent, step.visible_to) for step in done.trajectory.steps]


def line(**said: Any) -> Any:
    """Members one after another, each with its words."""
    graph = StateGraph(MessagesState)
    for name, words in said.items():
        graph.add_node(name, lambda _, words=words: {"messages": [words]})
    for first, second in itertools.pairwise((START, *said)):
        graph.add_edge(first, second)
    return graph.compile()


@PATHS
@every_form
def test_what_two_agents_say_in_the_same_words_is_told_apart(form: Any, replay: Any) -> None:
    def build() -> Any:
        return line(a=form("yes"), b=form("no"), c=form("yes"), d=form("done"))

    done = ran(build(), ASK, replay=replay() if replay else None)
    assert readers(done) == [("a", ("b", "c", "d")), ("b", ("c", "d")), ("c", ("d",)), ("d", ())]
    assert parents(done) == {("a", 1): (), ("b", 1): (0,), ("c", 1): (0, 1), ("d", 1): (0, 1, 2)}
    assert served(build, ASK, ran(build(), ASK)).canonical == done.canonical


@PATHS
@every_form
def test_who_is_shown_words_that_quote_others_is_told_as_their_reader_too(form: Any, replay: Any) -> None:
    def build() -> Any:
        def forget(state: MessagesState) -> Any:
            return {"messages": [RemoveMessage(id=str(state["messages"][1].id))]}

        graph = StateGraph(MessagesState)
        graph.add_node("a", lambda _: {"messages": [form("the red house")]})
        graph.add_node("b", lambda _: {"messages": [form("a said: the red house")]})
        graph.add_node("forget", forget)
        graph.add_node("c", lambda _: {"messages": [form("done")]})
        graph.add_edge(START, "a")
        for first, second in (("a", "b"), ("b", "forget"), ("forget", "c")):
            graph.add_edge(first, second)
        return graph.compile()

    done = ran(build(), ASK, replay=replay() if replay else None)
    assert parents(done)["c", 1] == (0, 1)
    assert "c" in done.trajectory.steps[0].visible_to
    assert served(build, ASK, ran(build(), ASK)).canonical == done.canonical


@PATHS
def test_calls_and_results_of_tools_are_known_to_who_is_shown_them(replay: Any) -> None:
    def build() -> Any:
        graph = StateGraph(MessagesState)
        agent = create_agent(Scripted(answer=in_turn(calls("look", x="it"), "found it")), [look], name="finder")
        graph.add_node("finder", agent)
        reader = Scripted(answer=says("read"))
        graph.add_node("b", lambda state: {"messages": [reader.invoke(state["messages"])]})
        graph.add_edge(START, "finder")
        graph.add_edge("finder", "b")
        return graph.compile()

    done = ran(build(), ASK, replay=replay() if replay else None)
    assert done.texts[1:3] == ["found it", "found it"]  # the result of the tool, and what the agent says
    assert parents(done)["b", 1] == (0, 1, 2)
    assert served(build, ASK, ran(build(), ASK)).canonical == done.canonical


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
@every_form
def test_an_altered_message_is_that_of_its_author(form: Any, scope: Any) -> None:
    def build() -> Any:
        return line(a=form("yes"), b=form("no"), c=form("so"))

    clean = ran(build(), ASK)
    done = altered(build, ASK, clean, target("a", "response_corruption", scope))
    assert done.texts[0] == "yes ALTERED"
    assert (readers(done), parents(done)) == (readers(clean), parents(clean))
