"""The LangGraph systems whose tracing is measured.

`scripted`: nodes that are plain functions, a model that answers from a script, one tool. Every span that a tracer by
callbacks sees there is a turn, a model call or a tool call, which Aegis records too, and little besides LangGraph and
the tracer takes time. `team`: the demo's team, with its simulated model, parallel members and inner runnables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_core.world import generate_tasks
from benchmarks.campaigns import SEED

__all__ = ["GRAPHS", "Workload", "bare_handler", "scripted", "team"]

_AGENTS = ("Planner", "Reader", "Solver", "Critic", "Editor", "Reporter")
_SENTENCE = "{name} has read what the others wrote, works with it, and hands on 12 crates of 8 bottles, 96 in all. "


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A compiled graph, and how one run of it, or of a traced form of it, is started. Any: LangGraph's own types."""

    graph: Any
    start: Callable[[Any], Any]


def scripted(rounds: int = 3) -> Workload:
    """Six agents who speak one after the other, so many rounds; the second also uses a tool."""
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool
    from langgraph.graph import START, MessagesState, StateGraph

    @tool
    def multiply(left: int, right: int) -> str:
        """Multiply two numbers."""
        return str(left * right)

    def member(name: str) -> Any:  # one of the many types of a node
        model = FakeMessagesListChatModel(responses=[AIMessage(_SENTENCE.format(name=name) * 3)])

        def speak(state: MessagesState) -> dict[str, Any]:
            found = multiply.invoke({"left": 12, "right": 8}) if name == "Reader" else ""
            reply = model.invoke(state["messages"])
            return {"messages": [AIMessage(f"{reply.text} {found}".strip(), name=name)]}

        return speak

    graph = StateGraph(MessagesState)
    before = START
    for turn in range(rounds):
        for name in _AGENTS:
            node = f"{name} {turn + 1}"
            graph.add_node(node, member(name))
            graph.add_edge(before, node)
            before = node
    task = {"messages": [HumanMessage("How many bottles are in 12 crates of 8?")]}
    return Workload(graph=graph.compile(name="scripted"), start=lambda app: app.invoke(task, {"recursion_limit": 1000}))


def team() -> Workload:
    """The demo's team on a task of the demo in which the Analyst uses its tools."""
    from aegis_langgraph.testing.systems import analysis_team

    system = analysis_team(seed=SEED)
    text = generate_tasks(2, SEED)[1].text
    start = system.start
    assert start is not None, "the demo's system says how it is started"
    return Workload(graph=system.app, start=lambda app: start(app, text))


GRAPHS: dict[str, Callable[[], Workload]] = {"scripted": scripted, "team": team}


def bare_handler() -> Any:  # Any: a LangChain callback handler
    """A handler that gets every event and does nothing with it."""
    from langchain_core.callbacks import BaseCallbackHandler

    class Bare(BaseCallbackHandler):
        def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
            """Nothing; without it, LangChain turns the messages into a text for `on_llm_start`."""

    return Bare()
