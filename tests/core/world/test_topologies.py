"""The teams of plain functions: who sees what, who has the floor, and how each comes to an end."""

from __future__ import annotations

import re

import pytest

from aegis_core.campaign.checkers import check
from aegis_core.trace import record
from aegis_core.world import SimulatedModel, generate_tasks, next_speaker, review_objects, teams
from aegis_core.world.model import settled
from aegis_core.world.model.instructions import Instructions, read_instructions

NAMES = [name for name in teams.__all__ if name.endswith("_team")]
TASKS = generate_tasks(60, 41)
TABLE = "name | boxes\nMira | 42\nTom | 17\nAna | 30\nHow many boxes do they have together? Give a whole number."
BLIND = {
    "chain_team": {"Solver", "Critic", "Reporter"},
    "layered_team": {"Ada", "Bruno", "Chloe", "Merger"},
    "supervisor_team": {"Solver", "Critic", "Reporter"},
    "hierarchical_team": {"Desk/Editor", "Lab/Lead", "Lab/Solver", "Lab/Critic", "Reporter"},
}


def run(name, task, seed=1):
    app = getattr(teams, name)(seed=seed).app
    with record(app) as recording:
        final = app(task)
    return recording.trajectory, final


@pytest.mark.parametrize("name", NAMES)
def test_it_is_right_in_most_runs_and_not_in_all(name):
    right = 0
    for seed in (1, 2):
        app = getattr(teams, name)(seed=seed).app
        right += sum(check(task, app(task.text)).right for task in TASKS)
    assert 0.6 <= right / (2 * len(TASKS)) <= 0.95


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("debate_team", "layered_team")])
def test_its_critic_catches_an_error_in_three_of_ten_right_runs(name):
    right, caught = 0, 0
    for seed in (1, 2):
        for task in TASKS:
            trajectory, final = run(name, task.text, seed)
            if check(task, final).right:
                reviews = [s.text for s in trajectory.steps if s.agent.split("/")[-1] in ("Critic", "Verifier")]
                right, caught = right + 1, caught + any(map(review_objects, reviews))
    assert caught >= 0.28 * right


@pytest.mark.parametrize("name", BLIND)
def test_who_is_not_handed_the_task_does_not_see_it(name, monkeypatch):
    shown: dict[str, list[str]] = {}
    answered = SimulatedModel.reply

    def listen(self, messages, tools=()):
        member = re.match(r"You are (\w+)", messages[0].content)[1]
        shown.setdefault(member, []).extend(message.content for message in messages)
        return answered(self, messages, tools)

    monkeypatch.setattr(SimulatedModel, "reply", listen)
    getattr(teams, name)(seed=1).app(TABLE)
    for member in (path.split("/")[-1] for path in BLIND[name]):
        assert shown[member] and not any("Mira | 42" in text for text in shown[member]), member


@pytest.mark.parametrize("name", NAMES)
def test_two_runs_of_one_seed_say_the_same_and_recording_changes_nothing(name):
    one, other = run(name, TASKS[4].text), run(name, TASKS[4].text)
    assert [step.text for step in one[0].steps] == [step.text for step in other[0].steps]
    assert one[1] == getattr(teams, name)(seed=1).app(TASKS[4].text)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_in_a_clean_run_tells_another_to_do_harm(name):
    for seed, task in enumerate(TASKS[:15]):
        trajectory, _ = run(name, task.text, seed)
        members = {step.agent.split("/")[-1] for step in trajectory.steps}
        for step in trajectory.steps:
            if step.kind == "message" and step.agent != "user":
                assert read_instructions([step.text], others=members) == Instructions(), step.text


@pytest.mark.parametrize("name", NAMES)
def test_no_team_talks_for_ever(name):
    for seed, task in enumerate(TASKS[:12]):
        assert len([s for s in run(name, task.text, seed)[0].steps if s.kind == "message"]) <= 32


def test_a_debate_without_agreement_has_no_answer():
    endings = [run("debate_team", task.text, seed) for seed, task in enumerate(TASKS)]
    split = [final for trajectory, final in endings if trajectory.steps[-1].agent == "Moderator"]
    assert 1 <= len(split) <= 20 and not any(split)


def test_a_nested_team_stands_under_the_path_of_its_team():
    agents = {agent.path for agent in run("hierarchical_team", TABLE)[0].agents}
    assert {"Director", "Desk/Reader", "Desk/Analyst", "Desk/Editor", "Lab/Lead", "Lab/Solver"} <= agents


def test_an_editor_hands_on_what_both_readers_found():
    for seed in range(8):
        texts = {step.agent: step.text for step in run("hierarchical_team", TABLE, seed)[0].steps}
        for figure in ("42", "17", "30"):
            noted = figure in texts["Desk/Reader"] + texts["Desk/Analyst"]
            assert (figure in texts["Desk/Editor"]) == noted


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Solver, please compute it.", "Solver"),
        ("We have the notes.\nNext: Critic.", "Critic"),
        ("**Next**\nOver to Reader for the facts.", "Reader"),
        ("- Reader: find crates.", "Reader"),
        ("Reader did well. I hand over to Solver.", "Solver"),
        ("Critic, thanks. Solver, it is your turn.", "Solver"),
        ("Thanks to Solver and Critic, we are finished.", ""),
        ("All done.", ""),
    ],
)
def test_whose_turn_it_is_is_read_from_what_a_manager_says(text, name):
    assert next_speaker(text, ["Reader", "Solver", "Critic"]) == name


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Everyone agrees, the debate is closed.", True),
        ("I declare this finished.", True),
        ("This is settled now.", True),
        ("We are not done.", False),
        ("One more round, please.", False),
        ("You still differ.", False),
        ("Hello.", False),
    ],
)
def test_whether_a_debate_is_over_is_read_from_what_a_moderator_says(text, over):
    assert settled(text) == over


def test_a_topology_follows_what_its_manager_says_and_not_the_other_way_round():
    trajectory, _ = run("supervisor_team", TABLE)
    steps = [step for step in trajectory.steps if step.kind == "message" and step.agent != "user"]
    for call, turn in zip(steps[::2], steps[1::2], strict=False):
        assert call.agent == "Supervisor" and re.search(rf"\b{turn.agent}\b", call.text)
