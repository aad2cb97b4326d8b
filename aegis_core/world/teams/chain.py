"""A team made of plain functions, as a user would write it with `@aegis.trace` and `@aegis.agent`."""

from __future__ import annotations

from typing import Any

from aegis_core.adapter import System
from aegis_core.trace import agent, trace
from aegis_core.world.model import SimulatedModel, review_objects
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_core.world.teams.house import TOOLS, Chat, chat_of, conversation, with_tools

__all__ = ["TEAM", "chain_team"]

TEAM = {
    "Planner": "planner",
    "Researcher": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the team, each with its role."""

_ROLES = {name: system_prompt(name, TEAM) for name in TEAM}


def chain_team(*, seed: int = 0) -> System:
    """Planner, Researcher (with tools), Solver, Critic and Reporter, one after the other.

    Each gets what it is handed, and no more: the text of the task goes to Planner and Researcher; Solver and Critic
    get plan and notes, the Reporter plan and reviewed work. The critic can send the work back to the solver once. The
    final answer is what the reporter returns.

    Args:
        seed: of the simulated model.
    """
    chat = chat_of(SimulatedModel(seed))

    @agent("Planner", role=_ROLES["Planner"])
    def plan(job: int, task: str) -> str:
        return _ask(chat, "Planner", handed(job, task))

    @agent("Researcher", role=_ROLES["Researcher"], tools=tuple(tool.name for tool in TOOLS))
    def research(job: int, task: str, plan: str) -> str:
        messages = _conversation("Researcher", handed(job, task), (("Planner", plan),))
        return with_tools(chat, "Researcher", messages, task)

    @agent("Solver", role=_ROLES["Solver"])
    def compute(job: int, plan: str, notes: str, draft: str = "", objection: str = "") -> str:
        said = [("Planner", plan), ("Researcher", notes), ("Solver", draft), ("Critic", objection)]
        return _ask(chat, "Solver", handed(job), *said)

    @agent("Critic", role=_ROLES["Critic"])
    def criticise(job: int, plan: str, notes: str, work: str) -> str:
        return _ask(chat, "Critic", handed(job), ("Planner", plan), ("Researcher", notes), ("Solver", work))

    @agent("Reporter", role=_ROLES["Reporter"])
    def report(job: int, plan: str, work: str, review: str) -> str:
        return _ask(chat, "Reporter", handed(job), ("Planner", plan), ("Solver", work), ("Critic", review))

    @trace(name="chain_team")
    def solve(task: str) -> str:
        job = job_number(task)
        outline = plan(job, task)
        notes = research(job, task, outline)
        work = compute(job, outline, notes)
        review = criticise(job, outline, notes, work)
        if review_objects(review):
            work = compute(job, outline, notes, work, review)
            review = criticise(job, outline, notes, work)
        return report(job, outline, work, review)

    return System(app=solve, name="chain_team")


def _ask(chat: Chat, me: str, given: str, *said: tuple[str, str]) -> str:
    return str(chat(_conversation(me, given, said))["content"])


def _conversation(me: str, given: str, said: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    return conversation(me, _ROLES[me], given, [{name: text} for name, text in said])
