"""The team of plain functions: right most of the time, and its errors travel."""

from __future__ import annotations

from aegis_core.campaign.checkers import check
from aegis_core.trace import record
from aegis_core.world import generate_tasks, review_objects
from aegis_core.world.teams import TEAM, chain_team

TASKS = generate_tasks(150, 31)


def test_it_is_right_in_most_runs_of_every_family():
    app = chain_team(seed=1).app
    right = dict.fromkeys(("arithmetic", "tables", "ordering"), 0)
    for task in TASKS:
        right[task.family] += check(task, app(task.text)).right
    assert all(30 <= count <= 49 for count in right.values()), right


def test_another_seed_is_another_team():
    one, two = chain_team(seed=1).app, chain_team(seed=2).app
    assert any(one(task.text) != two(task.text) for task in TASKS[:20])


def test_the_critic_sends_work_back_and_most_of_it_comes_out_right():
    back, mended = 0, 0
    for task in TASKS:
        steps, final = run(chain_team(seed=1).app, task.text)
        reviews = [step for step in steps if step.agent == "Critic"]
        if review_objects(reviews[0].text):
            back += 1
            mended += check(task, final).right
            assert len(reviews) == 2
        else:
            assert len(reviews) == 1
    assert back > len(TASKS) * 0.15
    assert mended > back * 0.7


def test_a_recorded_run_names_the_members_and_shows_the_tools():
    table = next(task for task in TASKS if task.family == "tables")
    steps, final = run(chain_team(seed=1).app, table.text)
    assert {step.agent for step in steps} >= set(TEAM)
    assert any(step.kind == "tool_call" for step in steps) and any(step.kind == "tool_result" for step in steps)
    assert final == steps[-1].text


def run(app, task):
    with record(app) as recording:
        app(task)
    trajectory = recording.trajectory
    return [step for step in trajectory.steps if step.agent != "user"], trajectory.final_output


def test_recording_changes_no_answer():
    app = chain_team(seed=1).app
    for task in TASKS[:12]:
        assert run(chain_team(seed=1).app, task.text)[1] == app(task.text)
