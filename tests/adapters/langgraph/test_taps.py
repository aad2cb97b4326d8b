"""Tapped models and tools: served and altered call by call, and themselves everywhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

from aegis_core.errors import ReplayDrift
from aegis_core.run import Replay
from aegis_langgraph.models import tap
from aegis_langgraph.tools import tap_tool
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen
from tests.adapters.langgraph.models import Scripted, Streaming, calls, in_turn, repeats, says
from tests.adapters.langgraph.running import ainvoked, altered, invoked, ran, served, target

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])


def build(seen: Seen | None = None, looked: list[str] | None = None) -> Any:
    """a asks its model twice, and a tool; b streams."""
    model = tap(Scripted(answer=repeats("model"), seen=seen))
    streaming = tap(Streaming(answer=repeats("stream"), seen=seen))

    @tool
    def search(x: str) -> str:
        """Search."""
        if looked is not None:
            looked.append(x)
        return f"found {x}"

    search = tap_tool(search)

    def a(state: MessagesState) -> dict[str, Any]:
        draft = model.invoke(state["messages"])
        final = model.invoke([*state["messages"], draft])
        return {"messages": [AIMessage(f"{final.text}, {search.invoke({'x': 'it'})}", name="a")]}

    async def aa(state: MessagesState) -> dict[str, Any]:
        draft = await model.ainvoke(state["messages"])
        final = await model.ainvoke([*state["messages"], draft])
        return {"messages": [AIMessage(f"{final.text}, {await search.ainvoke({'x': 'it'})}", name="a")]}

    def b(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("".join(str(chunk.text) for chunk in streaming.stream(state["messages"])))]}

    async def ab(state: MessagesState) -> dict[str, Any]:
        pieces = [str(chunk.text) async for chunk in streaming.astream(state["messages"])]
        return {"messages": [AIMessage("".join(pieces))]}

    from langchain_core.runnables import RunnableLambda

    graph = StateGraph(MessagesState)
    graph.add_node("a", RunnableLambda(a, aa))
    graph.add_node("b", RunnableLambda(b, ab))
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    return graph.compile()


@WAYS
def test_calls_are_on_the_tape_once(use: Any) -> None:
    done = ran(build(), ASK, use=use)
    assert [str(entry.key) for entry in done.run.tape().entries if entry.key.kind in ("model", "tool")] == [
        "a turn 1, model 1",
        "a turn 1, model 2",
        "a turn 1, tool search 1",
        "b turn 1, model 1",
    ]
    assert done.canonical == ran(build(), ASK).canonical


@WAYS
@pytest.mark.parametrize("level", ["call", "node"])
def test_all_calls_are_served(use: Any, level: Any) -> None:
    clean = ran(build(), ASK)
    seen: Seen = []
    looked: list[str] = []
    again = served(lambda: build(seen, looked), ASK, clean, level=level, use=use)
    assert (seen, looked, again.run.live_model_calls) == ([], [], 0)
    assert again.texts == clean.texts
    assert again.canonical[0] == clean.canonical[0]


@WAYS
def test_the_request_of_one_call_is_altered(use: Any) -> None:
    clean = ran(build(), ASK)
    seen: Seen = []
    where = target("b", "prompt_injection", "ephemeral")
    done = altered(lambda: build(seen), ASK, clean, where, level="call", use=use)
    assert seen == [["start", f"{clean.texts[2]} ALTERED"]]
    assert done.texts[-1].strip() == f"stream <{clean.texts[2]} ALTERED>"


@WAYS
def test_the_last_answer_of_a_turn_is_altered_and_the_node_believes_it(use: Any) -> None:
    clean = ran(build(), ASK)
    seen: Seen = []
    where = target("a", "response_corruption", "belief")
    done = altered(lambda: build(seen), ASK, clean, where, level="call", use=use)
    assert done.texts[2] == "model <model <start>> ALTERED, found it"
    assert seen == [["start", done.texts[2]]]


@WAYS
def test_a_stream_and_the_message_agree_when_altered(use: Any) -> None:
    clean = ran(build(), ASK)
    done = altered(build, ASK, clean, target("b", "response_corruption", "belief"), level="call", use=use)
    assert done.texts[-1] == f"{clean.texts[-1]} ALTERED"


@WAYS
def test_a_tools_result_is_altered(use: Any) -> None:
    clean = ran(build(), ASK)
    where = target("a", "environment", "call", mode="env:tool-result")
    done = altered(build, ASK, clean, where, level="call", use=use)
    assert done.texts[2].endswith("found it ALTERED")
    assert [step.text for step in done.trajectory.steps if step.kind == "tool_result"] == ["found it ALTERED"]


def test_another_request_is_a_drift() -> None:
    def asking(word: str) -> Any:
        model = tap(Scripted(answer=repeats("model")))
        graph = StateGraph(MessagesState)
        graph.add_node("a", lambda state: {"messages": [model.invoke(f"{word} {state['messages'][-1].text}")]})
        graph.add_edge(START, "a")
        return graph.compile()

    clean = ran(asking("please"), ASK)
    with pytest.raises(ReplayDrift, match="sends another request"):
        ran(asking("now"), ASK, replay=Replay(clean.canonical[1], (), "call"))


def test_outside_of_a_run_it_is_the_model_itself() -> None:
    model = Scripted(answer=says("hello"))
    tapped = tap(model)
    assert isinstance(tapped, Scripted)
    assert tap(tapped) is tapped
    assert type(tapped).__name__ == "Scripted"
    assert tapped.get_name() == model.get_name()
    assert tapped.invoke("hi").text == "hello"
    assert [chunk.text for chunk in tap(Streaming(answer=says("one two"))).stream("hi")] == [
        chunk.text for chunk in Streaming(answer=says("one two")).stream("hi")
    ]
    assert type(model) is Scripted


def test_tools_can_be_bound_and_structure_be_asked_for() -> None:
    class Answer(BaseModel):
        """An answer."""

        value: int

    seen: Seen = []
    tapped = tap(Scripted(answer=says("x"), seen=seen))
    assert tapped.bind_tools([graphs.look]).invoke("hi").text == "x"
    asking = tap(Scripted(answer=lambda _: calls("Answer", value=3)))
    assert asking.with_structured_output(Answer).invoke("hi") == Answer(value=3)


def test_inside_create_agent_the_node_is_the_call() -> None:
    def agent() -> Any:
        model = tap(Scripted(answer=in_turn(calls("look", x="it"), "done")))
        return create_agent(model, [tap_tool(graphs.look)], name="agent")

    def bare() -> Any:
        return create_agent(Scripted(answer=in_turn(calls("look", x="it"), "done")), [graphs.look], name="agent")

    assert ran(agent(), ASK).canonical == ran(bare(), ASK).canonical


def test_a_tool_of_a_class_of_its_own() -> None:
    class Adder(BaseTool):
        name: str = "adder"
        description: str = "Adds."

        def _run(self, x: int, y: int) -> str:
            return str(x + y)

    def node(_: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(tapped.invoke({"x": 1, "y": 2}))]}

    tapped = tap_tool(Adder())
    assert tapped.invoke({"x": 1, "y": 2}) == "3"
    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    done = ran(graph.compile(), ASK)
    assert done.texts == ["adder(x=1, y=2)", "3", "3"]
    assert [entry.payload for entry in done.run.tape().entries if entry.key.kind == "tool"] == ["3"]


def test_runs_at_the_same_time_do_not_mix() -> None:
    model = tap(Scripted(answer=repeats("model")))

    async def speak(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("a", speak)
    graph.add_edge(START, "a")
    app = graph.compile()

    import aegis_core as aegis
    from tests.adapters.langgraph.running import ADAPTER

    async def one(word: str) -> list[str]:
        with aegis.record(app, adapter=ADAPTER) as recording:
            await app.ainvoke({"messages": [("user", word)]})
        return [part.text for entry in recording.tape.entries if entry.key.kind == "model" for part in entry.request]

    async def three() -> list[list[str]]:
        return await asyncio.gather(*(one(word) for word in "xyz"))

    assert asyncio.run(three()) == [["x"], ["y"], ["z"]]
