"""The embedded world's teams as LangGraph graphs: right most of the time, recorded as what they are."""

from __future__ import annotations

import pytest

from aegis_core.campaign.checkers import check
from aegis_core.trace import record
from aegis_core.world import SimulatedModel, generate_tasks
from aegis_langgraph.testing import topologies

pytestmark = pytest.mark.framework
NAMES = topologies.__all__
TASKS = generate_tasks(30, 17)
TABLE = "name | boxes\nMira | 42\nTom | 17\nAna | 30\nHow many boxes do they have together? Give a whole number."
BLIND = {
    "layered_team": {"Ada", "Bruno", "Chloe", "Merger"},
    "supervisor_team": {"Solver", "Critic", "Reporter"},
    "hierarchical_team": {"Editor", "Lead", "Solver", "Critic", "Reporter"},
}


def run(name, task, seed=1):
    system = getattr(topologies, name)(seed=seed)
    with record(system.app) as recording:
        final = system.output(system.start(system.app, task))
    return recording.trajectory, final


@pytest.mark.parametrize("name", NAMES)
def test_it_is_right_in_most_runs(name):
    system = getattr(topologies, name)(seed=3)
    right = sum(check(task, system.output(system.start(system.app, task.text))).right for task in TASKS)
    assert len(TASKS) * 0.55 <= right <= len(TASKS) * 0.97


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_names_its_members_and_changes_nothing(name):
    trajectory, final = run(name, TASKS[2].text)
    system = getattr(topologies, name)(seed=1)
    assert final == system.output(system.start(system.app, TASKS[2].text))
    speakers = [step.agent for step in trajectory.steps if step.kind == "message" and step.agent != "user"]
    assert len(set(speakers)) >= 3


@pytest.mark.parametrize("name", BLIND)
def test_who_is_not_handed_the_task_does_not_see_it(name, monkeypatch):
    shown: dict[str, list[str]] = {}
    answered = SimulatedModel.reply

    def listen(self, messages, tools=()):
        member = messages[0].content.split(",")[0].removeprefix("You are ")
        shown.setdefault(member, []).extend(message.content for message in messages)
        return answered(self, messages, tools)

    monkeypatch.setattr(SimulatedModel, "reply", listen)
    run(name, TABLE)
    for member in BLIND[name]:
        assert shown[member] and not any("Mira | 42" in text for text in shown[member]), member


def test_a_nested_team_stands_under_its_own_path():
    speakers = {step.agent for step in run("hierarchical_team", TABLE)[0].steps}
    assert {"Director", "Desk/Reader", "Desk/Editor", "Lab/Lead", "Lab/Solver"} <= speakers


def test_debaters_of_a_round_do_not_hear_each_other():
    steps = [step for step in run("debate_team", TABLE)[0].steps if step.kind == "message" and step.agent != "user"]
    assert {step.agent for step in steps[:3]} == {"Ada", "Bruno", "Chloe"} and steps[3].agent == "Moderator"
