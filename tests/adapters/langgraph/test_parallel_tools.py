"""Agents that tools of one message ask side by side go by the place of the tool call, whoever is faster."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent

from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.models import Scripted, asks, in_turn, repeats
from tests.adapters.langgraph.running import Live, Ran, ainvoked, altered, invoked, ran, served, target

pytestmark = pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
WORDS = ("one", "two", "three")
QUICK_FIRST = {"one": 0.0, "two": 0.02, "three": 0.04}
QUICK_LAST = {"one": 0.04, "two": 0.02, "three": 0.0}


def consulting(make: Any, delays: dict[str, float]) -> Any:
    """An agent whose model asks the same tool three times at once, and then once more."""
    clerk = create_agent(Scripted(answer=repeats("clerk")), [], name="clerk")

    @tool
    async def aconsult(question: str) -> str:
        """Ask the clerk."""
        await asyncio.sleep(delays.get(question, 0))
        return str((await clerk.ainvoke({"messages": [("user", question)]}))["messages"][-1].text)

    def consult(question: str) -> str:
        time.sleep(delays.get(question, 0))
        return str(clerk.invoke({"messages": [("user", question)]})["messages"][-1].text)

    aconsult.func = consult  # type: ignore[attr-defined]
    aconsult.name = "consult"
    at_once = asks(*(("consult", {"question": word}, f"c{word}") for word in WORDS))
    model = Scripted(answer=in_turn(at_once, asks(("consult", {"question": "more"}, "c4")), "done"))
    return make(model, aconsult)


def one_by_one(model: Any, tool: Any) -> Any:
    return create_agent(model, [tool], name="boss")


def in_one_node(model: Any, tool: Any) -> Any:
    return create_react_agent(model, [tool], name="boss", version="v1")


def by_hand(model: Any, tool: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("boss", lambda state: {"messages": [model.bind_tools([tool]).invoke(state["messages"])]})
    graph.add_node("desk", ToolNode([tool]))
    graph.add_edge(START, "boss")
    graph.add_conditional_edges("boss", lambda state: "desk" if state["messages"][-1].tool_calls else "__end__")
    graph.add_edge("desk", "boss")
    return graph.compile()


MAKERS = pytest.mark.parametrize("make", [one_by_one, in_one_node, by_hand])


def asked(done: Ran) -> list[tuple[str, int, str]]:
    return [
        (step.branch, step.turn, step.text)
        for step in done.trajectory.steps
        if step.agent.rpartition("/")[2] == "clerk"
    ]


@WAYS
@PATHS
@MAKERS
def test_turns_go_by_the_place_of_the_tool_call(make: Any, use: Any, replay: Any) -> None:
    for delays in (QUICK_FIRST, QUICK_LAST):
        done = ran(consulting(make, delays), ASK, use=use, replay=replay() if replay else None)
        assert asked(done) == [
            ("", 1, "clerk <one>"),
            ("1", 1, "clerk <two>"),
            ("2", 1, "clerk <three>"),
            ("", 2, "clerk <more>"),
        ]
        assert done.run.tape().overlapping == ()


@MAKERS
def test_runs_are_the_same_whoever_is_faster(make: Any) -> None:
    first, last = (ran(consulting(make, delays), ASK) for delays in (QUICK_FIRST, QUICK_LAST))
    assert first.canonical == last.canonical
    assert served(lambda: consulting(make, {}), ASK, first).canonical == first.canonical


@MAKERS
def test_what_comes_after_is_altered_in_its_own_turn(make: Any) -> None:
    clean = ran(consulting(make, QUICK_LAST), ASK)
    due = target("boss", "response_corruption", "belief", turn=clean.trajectory.steps[-1].turn)
    done = altered(lambda: consulting(make, {}), ASK, clean, due)
    assert done.texts == [*clean.texts[:-1], "done ALTERED"]
