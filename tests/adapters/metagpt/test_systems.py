"""The MetaGPT team and the simulated model behind MetaGPT's interface."""

from __future__ import annotations

import asyncio
import json

import pytest

import aegis_core as aegis
from aegis_core.campaign import Campaign
from aegis_core.campaign.checkers import check
from aegis_core.world import generate_tasks, review_objects
from aegis_core.world.prompts import system_prompt
from aegis_metagpt.adapter import MetaGPTAdapter
from aegis_metagpt.messages import message_text
from aegis_metagpt.testing.chat_model import SimulatedLLM
from aegis_metagpt.testing.systems import TEAM, analysis_team

pytestmark = pytest.mark.framework

TASKS = generate_tasks(24, 17)


def solved(task: str, seed: int = 0):
    system = analysis_team(seed=seed)
    with aegis.record(system) as run:
        asyncio.run(system.start(run.app, task))
    return run


def test_it_is_right_in_most_runs_without_any_recording() -> None:
    def answer(task: str) -> str:
        system = analysis_team()
        return message_text(asyncio.run(system.start(system.app, task)))

    right = sum(check(task, answer(task.text)).right for task in TASKS)

    assert len(TASKS) * 0.7 <= right <= len(TASKS)


def test_every_member_speaks_and_the_reporter_has_the_last_word() -> None:
    run = solved(TASKS[0].text)

    assert {step.agent for step in run.trajectory.steps} == set(TEAM)
    assert run.trajectory.steps[-1].agent == "Reporter"
    assert run.trajectory.final_output == run.trajectory.steps[-1].text


def test_every_member_is_described_by_its_system_prompt() -> None:
    described = {agent.path: agent.role for agent in MetaGPTAdapter().agents(analysis_team().app)}

    assert described == {name: system_prompt(name, TEAM) for name in TEAM}


def test_each_member_sees_what_it_is_handed_and_no_more() -> None:
    run = solved(TASKS[0].text)
    shown: dict[str, str] = {}
    for entry in run.tape.entries:
        if entry.key.kind == "model":
            agent = entry.key.moment.agent
            shown[agent] = shown.get(agent, "") + "\n".join(part.text for part in entry.request)

    assert {name for name, text in shown.items() if TASKS[0].text in text} == {"Planner", "Reader", "Analyst"}
    notes = next(step.text for step in run.trajectory.steps if step.agent == "Reader")
    assert {name for name, text in shown.items() if notes in text} == {"Solver", "Critic"}


def test_the_critic_sends_work_back_once_at_most() -> None:
    back = 0
    for task in TASKS:
        steps = [step for step in solved(task.text, seed=4).trajectory.steps if step.agent in ("Solver", "Critic")]
        objected = review_objects(next(step.text for step in steps if step.agent == "Critic"))
        assert [step.agent for step in steps] == ["Solver", "Critic"] * (2 if objected else 1)
        back += objected
    assert back > 2


def test_two_runs_of_one_seed_say_the_same() -> None:
    one, other = ([step.text for step in solved(TASKS[3].text, seed=5).trajectory.steps] for _ in range(2))

    assert one == other


def test_the_simulated_model_streams_the_same_and_tells_its_usage() -> None:
    model = SimulatedLLM(seed=1)
    model.system_prompt = system_prompt("Planner", TEAM)

    async def both() -> list[str]:
        return [await model.aask(TASKS[0].text, stream=stream) for stream in (False, True)]

    whole, streamed = asyncio.run(both())

    assert whole == streamed != ""


def test_a_campaign_proves_faults_in_it(tmp_path) -> None:
    summary = Campaign(
        system="aegis_metagpt.testing.systems:analysis_team", tasks=TASKS[:12], out=tmp_path, seed=3
    ).run()

    assert summary.kept > 0
    labels = [json.loads(line) for line in (tmp_path / "dataset" / "labels.jsonl").read_text().splitlines()]
    assert labels
