"""Teams of agents in AutoGen, to try Aegis on: real teams, simulated model, no network.

AutoGen tells everything to everybody. Here each member is behind a MessageFilterAgent, so that facts travel: who needs
one has to be told it by another.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.conditions import MaxMessageTermination, SourceMatchTermination
from autogen_agentchat.messages import BaseChatMessage, HandoffMessage, TextMessage
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow, Swarm

from aegis_autogen.testing.chat_model import SimulatedChatClient
from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import handed, job_number, system_prompt

__all__ = ["CREW", "TEAM", "analysis_flow", "relay_swarm"]

TEAM = {
    "Planner": "planner",
    "Reader": "researcher",
    "Analyst": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the flow, each with its role."""
CREW = {
    "Planner": "planner",
    "Researcher": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the swarm, each with its role."""

_MAX_REVIEWS = 2
_MAX_MESSAGES = 20
_TASK, _DESK = "user", "desk"
"""Sources of the text of the task, and of the number of the job, which is all that some are handed."""
_FLOW_HEARS: Mapping[str, Sequence[str]] = {
    "Planner": (_TASK,),
    "Reader": (_TASK, "Planner"),
    "Analyst": (_TASK, "Planner"),
    "Solver": (_DESK, "Planner", "Reader", "Analyst", "Critic"),
    "Critic": (_DESK, "Planner", "Reader", "Analyst", "Solver"),
    "Reporter": (_DESK, "Planner", "Solver", "Critic"),
}
_SWARM_HEARS: Mapping[str, Sequence[str]] = {
    "Planner": (_TASK,),
    "Researcher": (_TASK, "Planner"),
    "Solver": (_DESK, "Planner", "Researcher", "Critic"),
    "Critic": (_DESK, "Planner", "Researcher", "Solver"),
    "Reporter": (_DESK, "Planner", "Solver", "Critic"),
}


class _Desk:
    """The tables of the task that is being worked on, for those who may look things up in them."""

    def __init__(self) -> None:
        self.task = ""

    def look_up(self, name: str, column: str) -> str:
        """Look up the entry of a name in a column of the tables that belong to the task."""
        return tools.look_up(self.task, name, column)

    def calculator(self, expression: str) -> str:
        """Work out an arithmetic expression such as "90 / 60"."""
        return tools.calculate(expression)

    async def start(self, team: Any, task: str) -> TaskResult:
        """Hand the task in."""
        self.task = task
        job = job_number(task)
        result: TaskResult = await team.run(
            task=[
                TextMessage(content=handed(job, task), source=_TASK),
                TextMessage(content=handed(job), source=_DESK),
            ]
        )
        return result


class _Reviews:
    """Whether the critic sends the work back: once at the most."""

    def __init__(self) -> None:
        self._objecting: dict[str, bool] = {}

    def again(self, message: BaseChatMessage) -> bool:
        """Whether the solver has to do it again after this review."""
        if message.id not in self._objecting:
            first = len(self._objecting) < _MAX_REVIEWS - 1
            self._objecting[message.id] = first and review_objects(message.to_model_text())
        return self._objecting[message.id]

    def done(self, message: BaseChatMessage) -> bool:
        """Whether it can be reported."""
        return not self.again(message)


def analysis_flow(*, seed: int = 0) -> System:
    """A GraphFlow: a planner, two researchers in parallel (the Analyst with tools), a solver, a critic, a reporter.

    The text of the task goes to Planner and researchers; Solver and Critic get plan and notes, the Reporter plan and
    reviewed work. The critic can send the work back to the solver once. The final answer is the reporter's message.

    Args:
        seed: of the simulated model.
    """
    client, desk, reviews = SimulatedChatClient(seed=seed), _Desk(), _Reviews()
    members = {
        name: _filtered(_assistant(name, TEAM, client, desk if name == "Analyst" else None), _FLOW_HEARS[name])
        for name in TEAM
    }
    planner, reader, analyst, solver, critic, reporter = members.values()
    graph = DiGraphBuilder()
    for member in members.values():
        graph.add_node(member)
    graph.add_edge(planner, reader).add_edge(planner, analyst)
    graph.add_edge(reader, solver).add_edge(analyst, solver)
    graph.add_edge(solver, critic)
    graph.add_edge(critic, solver, condition=reviews.again, activation_group="again", activation_condition="any")
    graph.add_edge(critic, reporter, condition=reviews.done)
    graph.set_entry_point(planner)
    team = GraphFlow(
        list(members.values()), graph=graph.build(), termination_condition=MaxMessageTermination(_MAX_MESSAGES)
    )
    return System(app=team, start=desk.start, name="analysis_flow")


def relay_swarm(*, seed: int = 0) -> System:
    """A Swarm: planner, researcher (with tools), solver, critic and reporter, each of whom hands over with its result.

    What each is handed, and the critic's one objection, are as in the flow.

    Args:
        seed: of the simulated model.
    """
    client, desk, reviews = SimulatedChatClient(seed=seed), _Desk(), _Reviews()
    following: Mapping[str, Callable[[BaseChatMessage], str]] = {
        "Planner": lambda _: "Researcher",
        "Researcher": lambda _: "Solver",
        "Solver": lambda _: "Critic",
        "Critic": lambda message: "Solver" if reviews.again(message) else "Reporter",
    }
    members: list[Any] = [
        _filtered(
            _assistant(name, CREW, client, desk if name == "Researcher" else None, following.get(name)),
            _SWARM_HEARS[name],
        )
        for name in CREW
    ]
    done = SourceMatchTermination(["Reporter"]) | MaxMessageTermination(_MAX_MESSAGES)
    return System(app=Swarm(members, termination_condition=done), start=desk.start, name="relay_swarm")


class _Relay(AssistantAgent):
    """Hands over with what it says."""

    following: Callable[[BaseChatMessage], str]

    async def on_messages_stream(self, messages: Any, cancellation_token: Any) -> AsyncGenerator[Any, None]:
        """The assistant's own stream, with its answer as a hand-off."""
        async for item in super().on_messages_stream(messages, cancellation_token):
            if isinstance(item, Response) and isinstance(said := item.chat_message, TextMessage):
                fields = said.model_dump(exclude={"type"}) | {"target": self.following(said)}
                yield replace(item, chat_message=HandoffMessage(**fields))
            else:
                yield item


def _assistant(
    name: str,
    team: Mapping[str, str],
    client: SimulatedChatClient,
    desk: _Desk | None,
    following: Callable[[BaseChatMessage], str] | None = None,
) -> AssistantAgent:
    prompt = system_prompt(name, team)
    own: dict[str, Any] = {"tools": [desk.look_up, desk.calculator], "max_tool_iterations": 4} if desk else {}
    if following is None:
        return AssistantAgent(name, client, system_message=prompt, description=team[name], **own)
    relay = _Relay(name, client, system_message=prompt, description=team[name], **own)
    relay.following = following
    return relay


def _filtered(member: AssistantAgent, hears: Sequence[str]) -> MessageFilterAgent:
    filters = [PerSourceFilter(source=source) for source in hears]
    return MessageFilterAgent(member.name, member, MessageFilterConfig(per_source=filters))
