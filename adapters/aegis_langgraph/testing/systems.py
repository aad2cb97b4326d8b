"""A team of agents as a LangGraph graph, to try Aegis on: real graph, simulated model, no network."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, TypedDict

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import InjectedState

from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_langgraph.testing.chat_model import SimulatedChatModel

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
_Files = Annotated[list[AnyMessage], add_messages]


class _House(TypedDict):
    """Everything that is written down; nobody sees all of it.

    `messages` are the researchers' notes, and the Analyst's exchange with its tools; `work` are drafts, reviews and
    the report.
    """

    job: int
    task: str
    plan: _Files
    messages: _Files
    work: _Files


class _Order(TypedDict):
    """What the Planner sees."""

    job: int
    task: str


class _Share(TypedDict):
    """What the Reader sees."""

    job: int
    task: str
    plan: _Files


class _Desk(AgentState[Any]):
    """What the Analyst sees."""

    job: int
    task: str
    plan: _Files


class _Bench(TypedDict):
    """What Solver and Critic see: plan, notes and work, but not the task."""

    job: int
    plan: _Files
    messages: _Files
    work: _Files


class _Outcome(TypedDict):
    """What the Reporter sees."""

    job: int
    plan: _Files
    work: _Files


_SEES: Mapping[str, tuple[type, str]] = {
    "Planner": (_Order, "plan"),
    "Reader": (_Share, "messages"),
    "Solver": (_Bench, "work"),
    "Critic": (_Bench, "work"),
    "Reporter": (_Outcome, "work"),
}
"""What each member is handed, and the channel that it writes to."""


@tool("look_up")
def _look_up(name: str, column: str, task: Annotated[str, InjectedState("task")]) -> str:
    """Look up the entry of a name in a column of the tables that belong to the task."""
    return tools.look_up(task, name, column)


@tool("calculator")
def _calculator(expression: str) -> str:
    """Work out an arithmetic expression such as "90 / 60"."""
    return tools.calculate(expression)


class _Handing(AgentMiddleware[Any, Any]):
    """Shows the Analyst's model the task and the plan before its own exchange with the tools."""

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(_shown(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(_shown(request))


def analysis_team(*, seed: int = 0) -> System:
    """A planner, two researchers in parallel (the Analyst with tools), a solver, a critic and a reporter.

    Each sees what it is handed, and no more: the text of the task goes to Planner and researchers; Solver and Critic
    get plan and notes, the Reporter plan and reviewed work. The critic can send the work back to the solver once. The
    final answer is the reporter's message.

    Args:
        seed: of the simulated model.
    """
    return System(app=_graph(seed), start=_start, output=_output, name="analysis_team")


@lru_cache(maxsize=8)
def _graph(seed: int) -> Any:  # a compiled graph; it keeps nothing of a run, so all runs of a process share it
    model = SimulatedChatModel(seed=seed)
    graph = StateGraph(_House)
    for name, (seen, channel) in _SEES.items():
        role = {"role": system_prompt(name, TEAM)}  # what a function tells its model can't be seen from outside
        member: Any = RunnableLambda(_member(name, channel, model))  # the type of its input is the schema's
        graph.add_node(name, member, metadata=role, input_schema=seen)
    analyst: Any = create_agent(
        model,
        [_look_up, _calculator],
        system_prompt=system_prompt("Analyst", TEAM),
        state_schema=_Desk,
        middleware=[_Handing()],
        name="Analyst",
    )
    graph.add_node("Analyst", analyst, input_schema=_Desk)
    graph.add_edge(START, "Planner")
    graph.add_edge("Planner", "Reader")
    graph.add_edge("Planner", "Analyst")
    graph.add_edge(["Reader", "Analyst"], "Solver")
    graph.add_edge("Solver", "Critic")
    graph.add_conditional_edges("Critic", _after_review, ["Solver", "Reporter"])
    graph.add_edge("Reporter", END)
    return graph.compile(name="analysis_team")


def _member(name: str, channel: str, model: SimulatedChatModel) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    prompt = SystemMessage(system_prompt(name, TEAM))

    def speak(state: Mapping[str, Any]) -> dict[str, Any]:
        opening = HumanMessage(handed(state["job"], state.get("task", "")))
        said = [message for key in ("plan", "messages", "work") for message in state.get(key, ())]
        reply = model.invoke([prompt, opening, *said])
        return {channel: [reply.model_copy(update={"name": name})]}

    return speak


def _shown(request: ModelRequest[Any]) -> ModelRequest[Any]:
    state: Mapping[str, Any] = request.state
    before: Sequence[AnyMessage] = [HumanMessage(handed(state["job"], state["task"])), *state["plan"]]
    return request.override(messages=[*before, *request.messages])


def _after_review(state: _House) -> str:
    reviews = [message for message in state["work"] if message.name == "Critic"]
    if len(reviews) < _MAX_REVIEWS and review_objects(str(reviews[-1].text)):
        return "Solver"
    return "Reporter"


def _start(app: Any, task: str) -> Any:  # a compiled graph
    return app.invoke({"job": job_number(task), "task": task})


def _output(result: Any) -> str | None:  # the state of the graph
    work = result.get("work") if isinstance(result, dict) else None
    return str(work[-1].text) if work else None
