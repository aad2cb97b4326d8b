"""What the teams of plain functions share: members over one simulated model, each handed what it is to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aegis_core.trace import agent, model, tool
from aegis_core.trajectory import AgentKind
from aegis_core.world import tools
from aegis_core.world.model import Message, SimulatedModel, ToolCall, ToolSpec
from aegis_core.world.prompts import handed, system_prompt

__all__ = ["TOOLS", "Chat", "Heard", "House", "Speak", "chat_of", "conversation", "with_tools"]

Heard = list[dict[str, str]]
"""What others said, one after the other, each with its author's name."""
Chat = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""The model: a conversation as plain data, and a reply to it."""
Speak = Callable[[int, str, Heard], str]
"""A member: the number of the job, the task ("" if it is not for its eyes), and what was said to it."""

TOOLS = (
    ToolSpec("look_up", "Look up the entry of a name in a column of the tables.", ("name", "column")),
    ToolSpec("calculator", "Work out an arithmetic expression.", ("expression",)),
)


class House:
    """The members of a team, and the model that speaks for them.

    Args:
        team: the members' names, each with its role.
        seed: of the simulated model.
        slip_rate: how often its solvers slip in a first attempt.
    """

    def __init__(self, team: Mapping[str, str], seed: int, slip_rate: float = 0.58) -> None:
        self._prompts = {name: system_prompt(name, team) for name in team}
        self._chat = chat_of(SimulatedModel(seed, slip_rate))
        self._team = team

    def member(self, name: str, inside: str = "", tooled: bool = False) -> Speak:
        """The function that speaks for a member.

        Args:
            name: of the member.
            inside: path of the nested team that it belongs to.
            tooled: whether it has a table look-up and a calculator.
        """
        prompt, chat = self._prompts[name], self._chat
        path = f"{inside}/{name}" if inside else name
        kind: AgentKind = "manager" if self._team[name] == "manager" else "worker"

        @agent(path, role=prompt, kind=kind, tools=tuple(tool.name for tool in TOOLS) if tooled else ())
        def speak(job: int, task: str, heard: Heard) -> str:
            messages = conversation(name, prompt, handed(job, task), heard)
            return with_tools(chat, name, messages, task) if tooled else str(chat(messages)["content"])

        return speak


def chat_of(simulated: SimulatedModel) -> Chat:
    """The simulated model as a recorded call of plain data."""

    @model
    def chat(messages: list[dict[str, Any]]) -> dict[str, Any]:
        offered = TOOLS if any(message.get("tools") for message in messages) else ()
        reply = simulated.reply([_message(message) for message in messages], offered)
        calls = [{"id": c.id, "name": c.name, "arguments": dict(c.arguments)} for c in reply.tool_calls]
        return {"content": reply.content, "tool_calls": calls}

    return chat


def _message(data: dict[str, Any]) -> Message:
    calls = tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in data.get("tool_calls", ()))
    return Message(data["role"], data["content"], data.get("name", ""), calls, data.get("tool_call_id", ""))


def conversation(me: str, prompt: str, given: str, heard: Heard) -> list[dict[str, Any]]:
    """What a member sends its model: its prompt, what it is handed, and what others said."""
    head = [{"role": "system", "content": prompt}, {"role": "user", "content": given}]
    return head + [
        {"role": "assistant" if name == me else "user", "name": name, "content": text}
        for one in heard
        for name, text in one.items()
        if text
    ]


def with_tools(chat: Chat, me: str, messages: list[dict[str, Any]], task: str) -> str:
    """The answer to a conversation, for which a table look-up and a calculator can be used."""

    @tool
    def look_up(name: str, column: str) -> str:
        return tools.look_up(task, name, column)

    @tool
    def calculator(expression: str) -> str:
        return tools.calculate(expression)

    known: dict[str, Callable[..., str]] = {"look_up": look_up, "calculator": calculator}
    messages[0]["tools"] = sorted(known)
    reply = chat(messages)
    if not reply["tool_calls"]:
        return str(reply["content"])
    messages.append({"role": "assistant", "name": me, "content": "", "tool_calls": reply["tool_calls"]})
    for call in reply["tool_calls"]:
        answer = known[call["name"]](**call["arguments"])
        messages.append({"role": "tool", "content": answer, "tool_call_id": call["id"]})
    return str(chat(messages)["content"])
