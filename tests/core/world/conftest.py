"""Conversations with the simulated model, as a team would lead them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aegis_core.world import Message, Reply, SimulatedModel
from aegis_core.world.prompts import system_prompt

TEAM = {
    "Planner": "planner",
    "Reader": "researcher",
    "Analyst": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}


def conversation(me: str, task: str, *said: tuple[str, str], system: str = "") -> list[Message]:
    """What `me` is sent: system prompt, task, and what others (and it itself) said, by name."""
    messages = [Message("system", f"{system_prompt(me, TEAM)} {system}".strip()), Message("user", task)]
    return messages + [Message("assistant" if name == me else "user", text, name) for name, text in said]


@pytest.fixture
def ask() -> Callable[..., str]:
    """Ask a member for its next message: `ask("Solver", task, ("Reader", notes), …, system=, seed=, slip_rate=)`."""

    def reply(me: str, task: str, *said: tuple[str, str], system: str = "", seed: int = 0, slip_rate: float = 0) -> str:
        answer: Reply = SimulatedModel(seed, slip_rate).reply(conversation(me, task, *said, system=system))
        return answer.content

    return reply


@pytest.fixture
def team_answer(ask) -> Callable[..., str]:
    """The final answer of planner, two researchers, solver, critic and reporter without slips, one after the other."""

    def answer(task: str, seed: int = 0) -> str:
        said: list[tuple[str, str]] = []
        for me in TEAM:
            said.append((me, ask(me, task, *said, seed=seed)))
        return said[-1][1]

    return answer
