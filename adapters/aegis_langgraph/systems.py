"""A team of agents as a LangGraph graph, to try Aegis on: real graph, simulated model, no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState

from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import system_prompt
from aegis_langgraph.chat_model import SimulatedChatModel

__all__ = ["TEAM", "analysis_team"]

TEAM = {
    "Planner": "planner",
    "Reader": "researcher",
    "Analyst": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the team, each with its role."""

_MAX_REVIEWS = 2


@tool("look_up")
def _look_up(name: str, column: str, messages: Annotated[list[AnyMessage], InjectedState("messages")]) -> str:
    """Look up the entry of a name in a column of the tables that belong to the task."""
    return tools.look_up(str(messages[0].text), name, column)


@tool("calculator")
def _calculator(expression: str) -> str:
    """Work out an arithmetic expression such as "90 / 60"."""
    return tools.calculate(expression)


def analysis_team(*, seed: int = 0) -> System:
    """A planner, two researchers in parallel (the Analyst with tools), a solver, a critic and a reporter.

    The critic can send the work back to the solver once. The final answer is the reporter's message.

    Args:
        seed: of the simulated model.
    """
    model = SimulatedChatModel(seed=seed)
    graph = StateGraph(MessagesState)
    for name in TEAM:
        if name != "Analyst":
            role = {"role": system_prompt(name, TEAM)}  # what a function tells its model can't be seen from outside
            graph.add_node(name, RunnableLambda(_member(name, model)), metadata=role)
    analyst = create_agent(model, [_look_up, _calculator], system_prompt=system_prompt("Analyst", TEAM), name="Analyst")
    graph.add_node("Analyst", analyst)
    graph.add_edge(START, "Planner")
    graph.add_edge("Planner", "Reader")
    graph.add_edge("Planner", "Analyst")
    graph.add_edge(["Reader", "Analyst"], "Solver")
    graph.add_edge("Solver", "Critic")
    graph.add_conditional_edges("Critic", _after_review, ["Solver", "Reporter"])
    graph.add_edge("Reporter", END)
    return System(app=graph.compile(name="analysis_team"), start=_start, output=_output, name="analysis_team")


def _member(name: str, model: SimulatedChatModel) -> Callable[[MessagesState], dict[str, Any]]:
    prompt = SystemMessage(system_prompt(name, TEAM))

    def speak(state: MessagesState) -> dict[str, Any]:
        reply = model.invoke([prompt, *state["messages"]])
        return {"messages": [reply.model_copy(update={"name": name})]}

    return speak


def _after_review(state: MessagesState) -> str:
    reviews = [message for message in state["messages"] if message.name == "Critic"]
    if len(reviews) < _MAX_REVIEWS and review_objects(str(reviews[-1].text)):
        return "Solver"
    return "Reporter"


def _start(app: Any, task: str) -> Any:  # a compiled graph
    return app.invoke({"messages": [HumanMessage(task)]})


def _output(result: Any) -> str | None:  # the state of the graph
    messages = result.get("messages") if isinstance(result, dict) else None
    return str(messages[-1].text) if messages else None
