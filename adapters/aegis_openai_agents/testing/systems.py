"""Teams of agents to try Aegis on: the real SDK, a simulated model, no network."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

from agents import Agent, RunConfig, RunContextWrapper, Runner, function_tool

from aegis_core.adapter import System
from aegis_core.world import review_objects, tools
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_openai_agents.testing.chat_model import SimulatedChatModel, from_agent
from aegis_openai_agents.workflow import Workflow

__all__ = ["TEAM", "analysis_team", "calculator", "look_up"]

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
_QUIET = RunConfig(tracing_disabled=True)


@function_tool
def look_up(context: RunContextWrapper[str], name: str, column: str) -> str:
    """Look up the entry of a name in a column of the tables that belong to the task."""
    return tools.look_up(context.context, name, column)


@function_tool
def calculator(expression: str) -> str:
    """Work out an arithmetic expression such as "90 / 60"."""
    return tools.calculate(expression)


def analysis_team(*, seed: int = 0) -> System:
    """A planner, two researchers side by side (the Analyst with tools), a solver, a critic and a reporter.

    Each is run by `Runner.run` on what it is handed, and no more: the text of the task goes to Planner and
    researchers; Solver and Critic get plan and notes, the Reporter plan and reviewed work. The critic can send the work
    back to the solver once. The final answer is the reporter's.

    Args:
        seed: of the simulated model.
    """
    return System(app=_agents(seed), start=_solve, output=_answer, name="analysis_team")


@lru_cache(maxsize=8)
def _agents(seed: int) -> Workflow:  # agents keep nothing of a run, so all runs of a process share them
    model = SimulatedChatModel(seed)
    return Workflow(
        *(
            Agent[Any](
                name,
                instructions=system_prompt(name, TEAM),
                model=model,
                tools=[look_up, calculator] if name == "Analyst" else [],
            )
            for name in TEAM
        )
    )


class _Office:
    """One run of the team: who is asked what."""

    def __init__(self, team: Workflow, task: str) -> None:
        self._members = {agent.name: agent for agent in team.agents}
        self._task, self._job = task, job_number(task)

    async def ask(self, name: str, *said: tuple[str, str], sees_task: bool = False) -> Any:
        """Run a member on what it is handed: the number of the job, and what others and it itself have said."""
        opening = handed(self._job, self._task if sees_task else "")
        items: list[Any] = [{"role": "user", "content": opening}]
        items += [
            {"role": "assistant", "content": text} if who == name else from_agent(who, text) for who, text in said
        ]
        return await Runner.run(self._members[name], items, context=self._task, run_config=_QUIET)

    async def said(self, name: str, *said: tuple[str, str], sees_task: bool = False) -> tuple[str, str]:
        """A member with what it answers."""
        result = await self.ask(name, *said, sees_task=sees_task)
        return name, str(result.final_output)


async def _solve(team: Workflow, task: str) -> Any:
    office = _Office(team, task)
    plan = await office.said("Planner", sees_task=True)
    researchers = (office.said(name, plan, sees_task=True) for name in ("Reader", "Analyst"))
    told = (plan, *await asyncio.gather(*researchers))
    work: list[tuple[str, str]] = []
    for _ in range(_MAX_REVIEWS):
        work.append(await office.said("Solver", *told, *work))
        work.append(await office.said("Critic", *told, *work))
        if not review_objects(work[-1][1]):
            break
    return await office.ask("Reporter", plan, *work)


def _answer(result: Any) -> str | None:  # a RunResult
    return str(result.final_output) if getattr(result, "final_output", None) is not None else None
