"""The managed team over the embedded world, the simulated model behind smolagents, and the plain houses to measure."""

from __future__ import annotations

from typing import Any

import pytest

import aegis_core as aegis
from aegis_core.campaign.checkers import check
from aegis_core.world import generate_tasks
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_smolagents.testing.chat_model import SimulatedChatModel
from aegis_smolagents.testing.memory import read
from aegis_smolagents.testing.systems import TEAM, managed_team
from tests.adapters.smolagents.houses import house, n_events
from tests.adapters.smolagents.models import agent
from tests.adapters.smolagents.running import MARK, ran, target

TASKS = generate_tasks(24, 17)


def recorded(text: str) -> Any:
    system = managed_team()
    with aegis.record(system) as recording:
        system.app.run(text)
    return recording


def test_it_is_right_in_most_runs() -> None:
    right = sum(check(task, managed_team().app.run(task.text)).right for task in TASKS)

    assert len(TASKS) * 0.6 <= right <= len(TASKS) * 0.99


def test_every_member_speaks_and_the_manager_gives_the_reporters_words() -> None:
    recording = recorded(TASKS[0].text)

    said = [step for step in recording.trajectory.steps if step.kind == "message"]
    assert {step.agent for step in said} == {"Manager", *(f"Manager/{name}" for name in TEAM)}
    assert [step.agent for step in said[-2:]] == ["Manager/Reporter", "Manager"]
    assert said[-1].text == said[-2].text == recording.trajectory.final_output


def test_only_those_who_come_first_are_handed_the_task() -> None:
    recording = recorded(TASKS[0].text)

    begun = [entry for entry in recording.tape.entries if entry.key.kind == "input"]
    sourced = {entry.key.moment.agent for entry in begun if any(TASKS[0].text in part.text for part in entry.request)}
    assert sourced == {"Manager", "Manager/Planner", "Manager/Reader", "Manager/Analyst"}
    reporter = next(entry for entry in begun if entry.key.moment.agent == "Manager/Reporter")
    assert {part.author for part in reporter.request} == {
        "Manager",
        "Manager/Planner",
        "Manager/Solver",
        "Manager/Critic",
    }


def test_two_runs_are_the_same() -> None:
    one, other = recorded(TASKS[1].text), recorded(TASKS[1].text)

    assert [step.text for step in one.trajectory.steps] == [step.text for step in other.trajectory.steps]
    assert [entry.request_hash for entry in one.tape.entries] == [entry.request_hash for entry in other.tape.entries]


def test_injected_text_is_seen_by_the_model_of_the_next_member() -> None:
    system = managed_team()
    clean = ran(managed_team().app, TASKS[0].text)

    done = ran(
        system.app,
        TASKS[0].text,
        target("Manager/Solver", "response_corruption", "outgoing"),
        served=clean.tape,
    )

    assert done.fired
    assert not done.run.void
    critic = next(e for e in done.tape.entries if e.key.moment.agent == "Manager/Critic" and e.key.kind == "model")
    assert any(MARK in part.text for part in critic.request)


def test_the_simulated_model_asks_for_tools_and_then_answers() -> None:
    task = next(task.text for task in generate_tasks(60, 17, families=("tables",)))
    team = managed_team().app.managed_agents
    plan = team["Planner"].run(handed(job_number(task), task))
    analyst = team["Analyst"]

    said = analyst.run(handed(job_number(task), task), additional_args={"Planner": str(plan)})

    memory = read(analyst.write_memory_to_messages())
    assert memory.system == system_prompt("Analyst", TEAM)
    assert memory.given == {"Planner": str(plan)}
    assert {name for calls in memory.calls[:1] for _, name, _ in calls} <= {"look_up", "calculator"}
    assert memory.calls[-1][0][1:] == ("final_answer", {"answer": said})


def test_the_simulated_model_can_be_given_to_any_agent_that_calls_tools() -> None:
    app = agent("Solver", model=SimulatedChatModel("Solver"), instructions=system_prompt("Solver", TEAM))

    assert isinstance(app.run("Job 3:\nMira has 42 boxes and Tom has 17. How many boxes do they have together?"), str)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_house_has_as_many_events_as_it_says(parallel: bool) -> None:
    done = ran(house(members=3, calls=2, parallel=parallel))

    assert done.trajectory.final_output == "All is counted."
    made = [entry for entry in done.tape.entries if entry.key.kind in ("model", "tool")]
    assert len(made) == n_events(members=3, calls=2, parallel=parallel)
