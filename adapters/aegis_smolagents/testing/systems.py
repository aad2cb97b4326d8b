"""A manager with a team of agents, to try Aegis on: real smolagents, simulated model, no network."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from smolagents import LogLevel, Model, PromptTemplates, Tool, ToolCallingAgent
from smolagents.agents import FinalAnswerPromptTemplate, ManagedAgentPromptTemplate, PlanningPromptTemplate
from smolagents.models import ChatMessage

from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_smolagents.testing.chat_model import SimulatedChatModel
from aegis_smolagents.testing.memory import asking, read

__all__ = ["TEAM", "managed_team"]

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
_RESEARCHERS = ("Reader", "Analyst")
_HANDED = {
    "Planner": (),
    "Reader": ("Planner",),
    "Analyst": ("Planner",),
    "Solver": ("Planner", *_RESEARCHERS, "Solver", "Critic"),
    "Critic": ("Planner", *_RESEARCHERS, "Solver"),
    "Reporter": ("Planner", "Solver", "Critic"),
}
"""Whose work each member is handed; only those who come first are handed the task itself."""
_SOURCED = ("Planner", *_RESEARCHERS)
_REPORT = "Report of {{name}}:\n{{final_answer}}"
_REPORTED = re.compile(r"^Report of (\w+):\n", re.M)
_PROMPTS = PromptTemplates(
    system_prompt="{{custom_instructions}}",
    planning=PlanningPromptTemplate(initial_plan="", update_plan_pre_messages="", update_plan_post_messages=""),
    managed_agent=ManagedAgentPromptTemplate(task="{{task}}", report=_REPORT),
    final_answer=FinalAnswerPromptTemplate(pre_messages="", post_messages=""),
)


class _LookUp(Tool):
    name = "look_up"
    description = "Look up the entry of a name in a column of the tables that belong to the task."
    inputs = {  # noqa: RUF012  as smolagents wants it
        "name": {"type": "string", "description": "The name."},
        "column": {"type": "string", "description": "The column."},
    }
    output_type = "string"

    def __init__(self) -> None:
        super().__init__()
        self.reader: Any = None
        """The agent that uses it, in whose task the tables are."""

    def forward(self, name: str, column: str) -> str:
        return tools.look_up(self.reader.task, name, column)


class _Calculator(Tool):
    name = "calculator"
    description = 'Work out an arithmetic expression such as "90 / 60".'
    inputs = {"expression": {"type": "string", "description": "The expression."}}  # noqa: RUF012  as smolagents wants it
    output_type = "string"

    def forward(self, expression: str) -> str:
        return tools.calculate(expression)


@dataclass
class _House:
    """What the manager knows: the last work of each member, and how often it was asked."""

    work: dict[str, str] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)


class _Dispatcher(Model):
    """The manager's model: it says nothing of its own, hands work on, and gives the reporter's words as the answer."""

    def __init__(self) -> None:
        super().__init__(model_id="dispatcher")

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Whom to call next, with what."""
        del stop_sequences, response_format, tools_to_call_from, kwargs
        memory = read(messages)
        house = _house(memory.observed)
        job = job_number(memory.task)
        wanted = _next(house)
        if not wanted:
            return asking([(_call_id(job, "answer", 1), "final_answer", {"answer": house.work["Reporter"]})])
        return asking(
            [
                (_call_id(job, name, house.asked.get(name, 0)), name, _order(name, job, memory.task, house))
                for name in wanted
            ]
        )


def _house(observed: Sequence[str]) -> _House:
    house = _House()
    for text in observed:
        _, *found = _REPORTED.split(text)
        for name, work in zip(found[::2], found[1::2], strict=True):
            house.work[name] = work.strip()
            house.asked[name] = house.asked.get(name, 0) + 1
    return house


def _next(house: _House) -> tuple[str, ...]:
    """Who acts next; nobody, if the work is done."""
    if "Planner" not in house.work:
        return ("Planner",)
    if "Reader" not in house.work:
        return _RESEARCHERS
    drafts, reviews = house.asked.get("Solver", 0), house.asked.get("Critic", 0)
    if drafts == reviews:
        again = 0 < reviews < _MAX_REVIEWS and review_objects(house.work["Critic"])
        if not reviews or again:
            return ("Solver",)
        return () if "Reporter" in house.work else ("Reporter",)
    return ("Critic",)


def _order(name: str, job: int, task: str, house: _House) -> Mapping[str, Any]:
    work = {author: house.work[author] for author in _HANDED[name] if author in house.work}
    order: dict[str, Any] = {"task": handed(job, task if name in _SOURCED else "")}
    return {**order, "additional_args": work} if work else order


def _call_id(job: int, name: str, number: int) -> str:
    return f"call_{zlib.crc32(f'{job}|{name}|{number}'.encode()):08x}"


def managed_team(*, seed: int = 0) -> System:
    """A manager, and whom it manages: a planner, two researchers at once (the Analyst with tools), a solver, a critic
    and a reporter.

    The manager hands each what it needs, and no more: the task to Planner and researchers; plan and notes to Solver and
    Critic, plan and reviewed work to the Reporter. The critic can send the work back to the solver once. The final
    answer is the reporter's.

    Args:
        seed: of the simulated model.
    """
    look_up = _LookUp()
    team = {name: _member(name, seed, [look_up, _Calculator()] if name == "Analyst" else []) for name in TEAM}
    look_up.reader = team["Analyst"]
    manager = ToolCallingAgent(
        [],
        _Dispatcher(),
        prompt_templates=_PROMPTS,
        instructions="You are the manager of a team. You hand on work, and give the reporter's words as the answer.",
        managed_agents=list(team.values()),
        name="Manager",
        description="hands on work",
        max_steps=12,
        verbosity_level=LogLevel.OFF,
    )
    return System(app=manager, name="managed_team")


def _member(name: str, seed: int, owned: list[Tool]) -> ToolCallingAgent:
    return ToolCallingAgent(
        owned,
        SimulatedChatModel(name, seed),
        prompt_templates=_PROMPTS,
        instructions=system_prompt(name, TEAM),
        name=name,
        description=f"the {TEAM[name]}",
        max_steps=4,
        verbosity_level=LogLevel.OFF,
    )
