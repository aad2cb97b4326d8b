"""A team made of plain functions, as a user would write it with `@aegis.trace` and `@aegis.agent`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aegis_core.adapter import System
from aegis_core.trace import agent, model, tool, trace
from aegis_core.world import tools
from aegis_core.world.model import Message, SimulatedModel, ToolCall, ToolSpec, review_objects
from aegis_core.world.prompts import handed, job_number, system_prompt

__all__ = ["TEAM", "chain_team"]

TEAM = {
    "Planner": "planner",
    "Researcher": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
"""The members of the team, each with its role."""

_TOOLS = (
    ToolSpec("look_up", "Look up the entry of a name in a column of the tables.", ("name", "column")),
    ToolSpec("calculator", "Work out an arithmetic expression.", ("expression",)),
)
_ROLES = {name: system_prompt(name, TEAM) for name in TEAM}
_Chat = Callable[[list[dict[str, Any]]], dict[str, Any]]  # a conversation as plain data, and a reply to it


def chain_team(*, seed: int = 0) -> System:
    """Planner, Researcher (with tools), Solver, Critic and Reporter, one after the other.

    Each gets what it is handed, and no more: the text of the task goes to Planner and Researcher; Solver and Critic
    get plan and notes, the Reporter plan and reviewed work. The critic can send the work back to the solver once. The
    final answer is what the reporter returns.

    Args:
        seed: of the simulated model.
    """
    chat = _chat(SimulatedModel(seed))

    @agent("Planner", role=_ROLES["Planner"])
    def plan(job: int, task: str) -> str:
        return _ask(chat, "Planner", handed(job, task))

    @agent("Researcher", role=_ROLES["Researcher"], tools=("look_up", "calculator"))
    def research(job: int, task: str, plan: str) -> str:
        return _with_tools(chat, "Researcher", job, task, ("Planner", plan))

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


def _chat(simulated: SimulatedModel) -> _Chat:
    @model
    def chat(messages: list[dict[str, Any]]) -> dict[str, Any]:
        offered = _TOOLS if any(message.get("tools") for message in messages) else ()
        reply = simulated.reply([_message(message) for message in messages], offered)
        calls = [{"id": c.id, "name": c.name, "arguments": dict(c.arguments)} for c in reply.tool_calls]
        return {"content": reply.content, "tool_calls": calls}

    return chat


def _message(data: dict[str, Any]) -> Message:
    calls = tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in data.get("tool_calls", ()))
    return Message(data["role"], data["content"], data.get("name", ""), calls, data.get("tool_call_id", ""))


def _conversation(me: str, given: str, said: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    head = [{"role": "system", "content": _ROLES[me]}, {"role": "user", "content": given}]
    return head + [
        {"role": "assistant" if name == me else "user", "name": name, "content": text} for name, text in said if text
    ]


def _ask(chat: _Chat, me: str, given: str, *said: tuple[str, str]) -> str:
    return str(chat(_conversation(me, given, said))["content"])


def _with_tools(chat: _Chat, me: str, job: int, task: str, *said: tuple[str, str]) -> str:
    @tool
    def look_up(name: str, column: str) -> str:
        return tools.look_up(task, name, column)

    @tool
    def calculator(expression: str) -> str:
        return tools.calculate(expression)

    known: dict[str, Callable[..., str]] = {"look_up": look_up, "calculator": calculator}
    messages = _conversation(me, handed(job, task), said)
    messages[0]["tools"] = sorted(known)
    reply = chat(messages)
    if not reply["tool_calls"]:
        return str(reply["content"])
    messages.append({"role": "assistant", "name": me, "content": "", "tool_calls": reply["tool_calls"]})
    for call in reply["tool_calls"]:
        answer = known[call["name"]](**call["arguments"])
        messages.append({"role": "tool", "content": answer, "tool_call_id": call["id"]})
    return str(chat(messages)["content"])
