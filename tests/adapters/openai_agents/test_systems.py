"""The team to generate with, and the simulated model behind the SDK's interface."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent, Runner, function_tool

import aegis_core as aegis
from aegis_core.campaign import Campaign
from aegis_core.campaign.checkers import check
from aegis_core.world import SimulatedModel, generate_tasks, review_objects
from aegis_core.world.model import Message
from aegis_core.world.prompts import system_prompt
from aegis_openai_agents.adapter import OpenAIAgentsAdapter
from aegis_openai_agents.testing.chat_model import SimulatedChatModel
from aegis_openai_agents.testing.systems import TEAM, analysis_team
from tests.adapters.openai_agents.models import QUIET

pytestmark = pytest.mark.framework
TASKS = generate_tasks(24, 17)
TABLE = "name | boxes\nMira | 42\nTom | 17\nAna | 30\nHow many boxes do they have together? Give a whole number."


def recorded(task, seed=0):
    system = analysis_team(seed=seed)

    async def play():
        with aegis.record(system) as run:
            result = await system.start(system.app, task)
        return run, system.output(result)

    return asyncio.run(play())


def test_it_is_right_in_most_runs():
    right = sum(check(task, recorded(task.text)[1]).right for task in TASKS)
    assert len(TASKS) * 0.7 <= right <= len(TASKS) * 0.97


def test_every_member_speaks_and_is_described_and_the_reporter_has_the_last_word():
    run, answer = recorded(TASKS[0].text)

    said = [step for step in run.trajectory.steps if step.kind == "message"]
    assert {step.agent for step in said} == set(TEAM)
    assert said[-1].agent == "Reporter"
    assert run.trajectory.final_output == answer == said[-1].text
    described = {agent.path: agent.role for agent in OpenAIAgentsAdapter().agents(analysis_team().app)}
    assert described == {name: system_prompt(name, TEAM) for name in TEAM}
    assert run.run.separate_calls == 1


def test_members_see_what_they_are_handed_and_no_more():
    run, _ = recorded(TASKS[1].text)

    told = {
        entry.key.moment.agent: "\n".join(part.text for part in entry.request)
        for entry in run.tape.entries
        if entry.key.kind == "input"
    }
    reads = {name for name, text in told.items() if TASKS[1].text in text}
    assert reads == {"Planner", "Reader", "Analyst"}
    readers = [step.visible_to for step in run.trajectory.steps if step.agent == "Reader"]
    assert set(readers[0]) == {"Solver", "Critic"}


def test_the_analyst_looks_entries_up_in_the_tables_of_the_task():
    run, answer = recorded(TABLE)

    results = {step.call_id: step.text for step in run.trajectory.steps if step.kind == "tool_result"}
    calls = [step for step in run.trajectory.steps if step.kind == "tool_call"]
    assert calls
    assert {results[call.call_id] for call in calls} <= {"42", "17", "30"}
    assert "89" in answer


def test_the_critic_sends_work_back_once_at_most():
    back = 0
    for task in TASKS[:12]:
        run, _ = recorded(task.text, seed=4)
        speakers = [step.agent for step in run.trajectory.steps if step.agent in ("Solver", "Critic")]
        first = next(step for step in run.trajectory.steps if step.agent == "Critic")
        assert speakers == ["Solver", "Critic"] * (2 if review_objects(first.text) else 1)
        back += review_objects(first.text)
    assert back > 1


def test_two_runs_of_one_seed_say_the_same():
    one, other = (recorded(TASKS[3].text, seed=5)[0] for _ in range(2))

    assert [step.text for step in one.trajectory.steps] == [step.text for step in other.trajectory.steps]


def test_the_model_is_the_simulated_one_and_no_copy():
    agent = Agent("Solver", instructions=system_prompt("Solver", TEAM), model=SimulatedChatModel(seed=3))

    said = asyncio.run(Runner.run(agent, TABLE, run_config=QUIET)).final_output

    expected = SimulatedModel(3).reply([Message("system", system_prompt("Solver", TEAM)), Message("user", TABLE)], [])
    assert said == expected.content


def test_the_model_asks_for_tools_and_streams():
    @function_tool
    def look_up(name: str, column: str) -> str:
        """Look up the entry of a name in a column of the tables."""
        return {"Mira": "42", "Tom": "17", "Ana": "30"}[name]

    agent = Agent("Analyst", instructions=system_prompt("Analyst", TEAM), model=SimulatedChatModel(), tools=[look_up])

    async def play():
        with aegis.record(agent) as run:
            result = Runner.run_streamed(agent, TABLE, run_config=QUIET)
            async for _ in result.stream_events():
                pass
        return run

    kinds = [step.kind for step in asyncio.run(play()).trajectory.steps]
    assert kinds[0] == "tool_call"
    assert kinds[-1] == "message"


def test_a_campaign_keeps_proven_faulty_runs_of_it(tmp_path):
    system = "aegis_openai_agents.testing.systems:analysis_team"
    summary = Campaign(system=system, tasks=generate_tasks(12, 0), out=tmp_path / "out", limit=1).run()

    assert summary.kept >= 1
