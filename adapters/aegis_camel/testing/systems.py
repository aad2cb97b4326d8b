"""Teams of agents in CAMEL, to try Aegis on: real agents and societies, simulated models, no network."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from camel.agents import ChatAgent
from camel.societies.workforce import Workforce, WorkforceMode
from camel.societies.workforce.utils import FailureHandlingConfig
from camel.tasks import Task
from camel.toolkits import FunctionTool

from aegis_camel.ensemble import Ensemble
from aegis_camel.testing.chat_model import SimulatedChatModel, handing_on
from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import handed, job_number, system_prompt

__all__ = ["TEAM", "analysis_team", "analysis_workforce"]

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
_SOURCED = ("Planner", "Reader", "Analyst")
"""Who is handed the task itself."""
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "Planner": (),
    "Reader": ("Planner",),
    "Analyst": ("Planner",),
    "Solver": ("Planner", "Reader", "Analyst"),
    "Critic": ("Planner", "Reader", "Analyst", "Solver"),
    "Reporter": ("Planner", "Solver", "Critic"),
}
"""Whose work each member of the workforce is told of."""


class _House:
    """The members, what is lying on the table for the Analyst's tools, and what each has handed on last."""

    def __init__(self, seed: int) -> None:
        self.job = 0
        self.task = ""
        self.work: dict[str, str] = {}
        self.agents = {name: self._agent(name, seed) for name in TEAM}

    def _agent(self, name: str, seed: int) -> ChatAgent:
        def look_up(name: str, column: str) -> str:
            """Look up the entry of a name in a column of the tables that belong to the task.

            Args:
                name (str): The name.
                column (str): The column.
            """
            return tools.look_up(self.task, name, column)

        def calculator(expression: str) -> str:
            """Work out an arithmetic expression such as "90 / 60".

            Args:
                expression (str): The expression.
            """
            return tools.calculate(expression)

        offered: Any = [FunctionTool(look_up), FunctionTool(calculator)] if name == "Analyst" else None
        prompt = system_prompt(name, TEAM)
        return ChatAgent(prompt, model=SimulatedChatModel(seed), tools=offered, agent_id=name)

    async def ask(self, name: str, *others: str) -> str:
        """Hand a member its share, and what these others have handed on."""
        known = {other: self.work[other] for other in others}
        # Who was asked before remembers what it was handed then.
        head = "" if name in self.work else handed(self.job, self.task if name in _SOURCED else "")
        response = await self.agents[name].astep(handing_on(head, known))
        self.work[name] = str(response.msgs[0].content)
        return self.work[name]

    async def solve(self, task: str) -> str:
        """Let the team work on a task."""
        self.job, self.task, self.work = job_number(task), task, {}
        await self.ask("Planner")
        await asyncio.gather(self.ask("Reader", "Planner"), self.ask("Analyst", "Planner"))
        await self.ask("Solver", "Planner", "Reader", "Analyst")
        for _ in range(_MAX_REVIEWS - 1):
            first = "Critic" not in self.work
            review = await self.ask("Critic", *(("Planner", "Reader", "Analyst", "Solver") if first else ("Solver",)))
            if not review_objects(review):
                break
            await self.ask("Solver", "Critic")
            await self.ask("Critic", "Solver")
        return await self.ask("Reporter", "Planner", "Solver", "Critic")


def analysis_team(*, seed: int = 0) -> System:
    """A planner, two researchers side by side (the Analyst with tools), a solver, a critic and a reporter.

    They are `ChatAgent`s, and a function hands on what they say. Each sees what it is handed, and no more: the text of
    the task goes to Planner and researchers; Solver and Critic get plan and notes, the Reporter plan and reviewed work.
    The critic can send the work back to the solver once. The final answer is the reporter's message.

    Args:
        seed: of the simulated model.
    """
    house = _House(seed)
    return System(app=Ensemble(house.solve, house.agents), name="analysis_team")


def analysis_workforce(*, seed: int = 0) -> System:
    """The same team as workers of a workforce, whose tasks and dependencies are laid down; nothing goes back.

    The coordinator gives each task to the worker whose name it bears. The final answer is the reporter's result.

    Args:
        seed: of the simulated model.
    """
    house = _House(seed)
    workforce = Workforce(
        "analysis",
        coordinator_agent=ChatAgent("You assign tasks.", model=_Dispatcher(), agent_id="Coordinator"),
        task_agent=ChatAgent("You plan.", model=_Dispatcher(), agent_id="Task Planner"),
        mode=WorkforceMode.PIPELINE,
        graceful_shutdown_timeout=0,
        failure_handling_config=FailureHandlingConfig(enabled_strategies=[]),
    )
    for name, agent in house.agents.items():
        workforce.add_single_agent_worker(name, worker=agent)

    def start(app: Any, task: str) -> Any:
        house.job, house.task = job_number(task), task
        tasks: dict[str, Task] = {}
        for name, needed in _NEEDS.items():
            content = handed(house.job, task if name in _SOURCED else "")
            tasks[name] = Task(content=content, id=name, dependencies=[tasks[other] for other in needed])
        app.set_pipeline_tasks(list(tasks.values()))
        return app.process_task(Task(content=f"Job {house.job}.", id="job"))

    return System(app=workforce, start=start, output=_reported, name="analysis_workforce")


def _reported(result: Any) -> str | None:
    """The reporter's result among those of all tasks, of which the workforce makes one text."""
    found = re.search(r"^--- Task Reporter Result ---\n(.*?)(?=\n\n--- Task |\Z)", result.result or "", re.S | re.M)
    return found.group(1) if found else None


class _Dispatcher(SimulatedChatModel):
    """The coordinator's model: it says nothing of its own, and gives each task to the worker of that name."""

    def _run(self, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        del response_format, tools
        named = re.findall(r"^Task ID: (\w+)$", str(messages[-1]["content"]), re.MULTILINE)
        known = [name for name in TEAM if name in named]
        given = [{"task_id": name, "assignee_id": name, "dependencies": list(_NEEDS[name])} for name in known]
        return self._told(json.dumps({"assignments": given}))

    async def _arun(self, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        return self._run(messages, response_format, tools)
