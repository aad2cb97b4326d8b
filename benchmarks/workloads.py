"""What is run to measure tracing: one team of each framework, of several agents, over some rounds, with a tool.

The models answer from a script, so little besides the framework and the tracer takes time.

langgraph        nodes that are plain functions. Every span that a tracer by callbacks sees there is a turn, a model
                 call or a tool call, which Aegis records too
langgraph team   the demo's team, with its simulated model, parallel members and inner runnables
autogen          a RoundRobinGroupChat
smolagents       a manager who hands work to the members of its team, one after the other
callables        plain functions with Aegis's decorators
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aegis_core.world import generate_tasks
from benchmarks.campaigns import SEED
from benchmarks.scripted_models import ScriptedClient, called, said

__all__ = ["WORKLOADS", "Workload", "autogen", "callables", "langgraph", "langgraph_team", "smolagents"]

_AGENTS = ("Planner", "Reader", "Solver", "Critic", "Editor", "Reporter")
_SENTENCE = "{name} has read what the others wrote, works with it, and hands on 12 crates of 8 bottles, 96 in all. "
_TASK = "How many bottles are in 12 crates of 8?"
_FACTORS = {"left": 12, "right": 8}
_ROLE = "You are the {name} of a team that counts bottles. You read what the others wrote, and write what you found."


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A framework's system. Any: the framework's own types.

    `make` gives the system as it is before a run: a new one where it remembers, else the same one each time. `start`
    runs it, or a traced form of it.
    """

    framework: str
    make: Callable[[], Any]
    start: Callable[[Any], Any]


def _speech(name: str) -> str:
    return (_SENTENCE.format(name=name) * 3).strip()


def multiply(left: int, right: int) -> str:
    """Multiply two numbers."""
    return str(left * right)


def langgraph(rounds: int = 3, agents: int = 6) -> Workload:
    """So many agents who speak one after the other, so many rounds; the second also uses a tool."""
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool
    from langgraph.graph import START, MessagesState, StateGraph

    multiplying = tool(multiply)

    def member(name: str) -> Any:  # one of the many types of a node
        model = FakeMessagesListChatModel(responses=[AIMessage(_SENTENCE.format(name=name) * 3)])

        def speak(state: MessagesState) -> dict[str, Any]:
            found = multiplying.invoke(_FACTORS) if name == "Reader" else ""
            reply = model.invoke(state["messages"])
            return {"messages": [AIMessage(f"{reply.text} {found}".strip(), name=name)]}

        return speak

    graph = StateGraph(MessagesState)
    before = START
    for turn in range(rounds):
        for name in _AGENTS[:agents]:
            node = f"{name} {turn + 1}"
            graph.add_node(node, member(name))
            graph.add_edge(before, node)
            before = node
    app = graph.compile(name="scripted")
    task = {"messages": [HumanMessage(_TASK)]}
    return Workload(
        framework="langgraph", make=lambda: app, start=lambda app: app.invoke(task, {"recursion_limit": 1000})
    )


def langgraph_team() -> Workload:
    """The demo's team on a task of the demo in which the Analyst uses its tools."""
    from aegis_langgraph.testing.systems import analysis_team

    system = analysis_team(seed=SEED)
    text = generate_tasks(2, SEED)[1].text
    start = system.start
    assert start is not None, "the demo's system says how it is started"
    return Workload(framework="langgraph", make=lambda: system.app, start=lambda app: start(app, text))


def autogen(rounds: int = 3, agents: int = 6) -> Workload:
    """So many assistants in a RoundRobinGroupChat, so many rounds; the second also uses a tool."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_core.models import ModelInfo
    from autogen_core.tools import FunctionTool
    from autogen_ext.models.openai import BaseOpenAIChatCompletionClient

    info = ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)
    replies = {name: [said(_speech(name))] for name in _AGENTS}
    replies["Reader"].insert(0, called("multiply", _FACTORS))
    tool = FunctionTool(multiply, description="Multiply two numbers.")

    def member(name: str) -> Any:
        client: Any = ScriptedClient(replies[name], waits=True)
        model = BaseOpenAIChatCompletionClient(client, create_args={"model": "scripted"}, model_info=info)
        owned: Mapping[str, Any] = {"tools": [tool], "reflect_on_tool_use": True} if name == "Reader" else {}
        return AssistantAgent(name, model, description=f"The {name}.", system_message=_ROLE.format(name=name), **owned)

    return Workload(
        framework="autogen",
        make=lambda: RoundRobinGroupChat([member(name) for name in _AGENTS[:agents]], max_turns=rounds * agents),
        start=lambda team: asyncio.run(team.run(task=_TASK)),
    )


def smolagents(rounds: int = 2, agents: int = 6) -> Workload:
    """A manager who asks each of so many members, so many rounds; the second also uses a tool."""
    from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

    class Multiply(Tool):  # type: ignore[misc]  # smolagents has no types
        name = "multiply"
        description = "Multiply two numbers."
        inputs = {  # noqa: RUF012  as smolagents wants it
            "left": {"type": "integer", "description": "One number."},
            "right": {"type": "integer", "description": "The other number."},
        }
        output_type = "string"

        def forward(self, left: int, right: int) -> str:
            return multiply(left, right)

    class Model(OpenAIModel):  # type: ignore[misc]  # smolagents has no types
        def __init__(self, replies: list[Any]) -> None:
            self.replies = replies
            super().__init__(model_id="scripted")

        def create_client(self) -> Any:
            return ScriptedClient(self.replies)

    replies = {name: [called("final_answer", {"answer": _speech(name)})] for name in _AGENTS}
    replies["Reader"].insert(0, called("multiply", _FACTORS))
    orders = [called(name, {"task": f"{_TASK} {_speech(name)}"}) for name in _AGENTS[:agents]] * rounds
    orders.append(called("final_answer", {"answer": _speech("Manager")}))

    def agent(name: str, replies: list[Any], *members: Any) -> Any:
        return ToolCallingAgent(
            [Multiply()] if name == "Reader" else [],
            Model(replies),
            managed_agents=list(members),
            name=name,
            description=f"The {name}.",
            instructions=_ROLE.format(name=name),
            max_steps=len(orders),
            verbosity_level=LogLevel.OFF,
        )

    return Workload(
        framework="smolagents",
        make=lambda: agent("Manager", orders, *(agent(name, replies[name]) for name in _AGENTS[:agents])),
        start=lambda manager: manager.run(_TASK),
    )


def callables(rounds: int = 3, agents: int = 6) -> Workload:
    """So many functions who speak one after the other, so many rounds; the second also uses a tool."""
    import aegis_core as aegis

    multiplying = aegis.tool(multiply)

    def member(name: str) -> Callable[[list[str]], str]:
        @aegis.model
        def answer(messages: list[dict[str, str]]) -> str:
            del messages
            return _speech(name)

        @aegis.agent(name, role=_ROLE.format(name=name))
        def speak(said: list[str]) -> str:
            found = multiplying(**_FACTORS) if name == "Reader" else ""
            return f"{answer([{'role': 'user', 'content': text} for text in said])} {found}".strip()

        return speak

    members = [member(name) for name in _AGENTS[:agents]]

    @aegis.trace
    def work(task: str) -> str:
        said = [task]
        for _ in range(rounds):
            for speak in members:
                said.append(speak(said))
        return said[-1]

    return Workload(framework="callables", make=lambda: work, start=lambda app: app(_TASK))


WORKLOADS: Mapping[str, Callable[[], Workload]] = {
    "langgraph": langgraph,
    "langgraph team": langgraph_team,
    "autogen": autogen,
    "smolagents": smolagents,
    "callables": callables,
}
