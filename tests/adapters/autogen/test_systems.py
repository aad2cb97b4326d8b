"""The teams over the embedded world, and the simulated model behind AutoGen's interface."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    SystemMessage,
    UserMessage,
)

import aegis_core as aegis
from aegis_autogen.adapter import AutoGenAdapter
from aegis_autogen.testing.chat_model import SimulatedChatClient
from aegis_autogen.testing.systems import CREW, TEAM, analysis_flow, relay_swarm
from aegis_core.campaign.checkers import check
from aegis_core.world import generate_tasks
from aegis_core.world.prompts import system_prompt

pytestmark = pytest.mark.framework
TASKS = generate_tasks(24, 17)
TABLE = "name | boxes\nMira | 42\nTom | 17\nAna | 30\nHow many boxes do they have together? Give a whole number."
SYSTEMS = pytest.mark.parametrize(("build", "team"), [(analysis_flow, TEAM), (relay_swarm, CREW)])


def solved(build: Any, text: str, seed: int = 0) -> tuple[Any, str | None]:
    system = build(seed=seed)
    with aegis.record(system) as run:
        result = asyncio.run(system.start(system.app, text))
    return run, AutoGenAdapter().output(result)


@SYSTEMS
def test_it_is_right_in_most_runs(build: Any, team: Any) -> None:
    right = sum(check(task, solved(build, task.text)[1]).right for task in TASKS)
    assert len(TASKS) * 0.7 <= right <= len(TASKS) * 0.97
    assert team


@SYSTEMS
def test_every_member_speaks_and_is_described_by_its_prompt(build: Any, team: Any) -> None:
    run, answer = solved(build, TABLE)
    assert {step.agent for step in run.trajectory.steps} == set(team)
    assert run.trajectory.final_output == answer == run.trajectory.steps[-1].text
    assert {agent.path: agent.role for agent in run.trajectory.agents} == {n: system_prompt(n, team) for n in team}


@SYSTEMS
def test_facts_travel_from_member_to_member(build: Any, team: Any) -> None:
    """Only those who are handed the task see its text."""
    run, _ = solved(build, TABLE)
    seen = {e.key.moment.agent for e in run.tape.entries if any(TABLE in part.text for part in e.request)}
    assert seen == {name for name, role in team.items() if role in ("planner", "researcher")}
    results = [step.text for step in run.trajectory.steps if step.kind == "tool_result"]
    assert results
    assert set(results) <= {"42", "17", "30"}


@SYSTEMS
def test_the_same_seed_gives_the_same_run(build: Any, team: Any) -> None:
    from aegis_core.run.canonical import canonical

    def bytes_of(seed: int) -> str:
        run = solved(build, TASKS[0].text, seed)[0].run
        trajectory, tape, _ = canonical(run.trajectory().model_copy(update={"run_id": "x"}), run.tape(), run.ledger())
        return str(trajectory.model_dump_json() + tape.model_copy(update={"run_id": "x"}).model_dump_json())

    assert bytes_of(3) == bytes_of(3)
    assert bytes_of(3) != bytes_of(4)
    assert team


def test_the_simulated_client_speaks_autogen_s_language() -> None:
    client = SimulatedChatClient(seed=1)
    tools: Any = [{"name": "look_up", "description": "", "parameters": {"properties": {"name": {}, "column": {}}}}]
    prompt = SystemMessage(content=system_prompt("Analyst", TEAM))
    task = UserMessage(content=f"Job 1:\n{TABLE}", source="user")

    async def play() -> tuple[Any, Any, list[Any]]:
        asked = await client.create([prompt, task], tools=tools)
        assert isinstance(asked.content, list)
        results = [
            FunctionExecutionResult(content="42", name=found.name, call_id=found.id, is_error=False)
            for found in asked.content
        ]
        more = [
            AssistantMessage(content=asked.content, source="Analyst"), FunctionExecutionResultMessage(content=results),
        ]  # fmt: skip
        answered = await client.create([prompt, task, *more], tools=tools, tool_choice="none")
        chunks = [chunk async for chunk in client.create_stream([prompt, task, *more], tool_choice="none")]
        return asked, answered, chunks

    asked, answered, chunks = asyncio.run(play())
    assert all(isinstance(found, FunctionCall) for found in asked.content)
    assert "42" in answered.content
    assert "".join(chunks[:-1]) == chunks[-1].content == answered.content
    assert client.total_usage().completion_tokens > client.actual_usage().completion_tokens > 0
    assert client.count_tokens([task]) > 0
    assert client.remaining_tokens([task]) > 0
    assert client.model_info["function_calling"]
