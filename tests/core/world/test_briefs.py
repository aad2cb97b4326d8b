"""Agents that are not handed the task know it from the plan and the notes alone."""

from __future__ import annotations

import re

import pytest

from aegis_core.campaign.checkers import check
from aegis_core.world import FAMILIES, Message, SimulatedModel, generate_tasks
from aegis_core.world.model.families.sketch import described, drawn, spoken, tables
from aegis_core.world.model.view import view
from aegis_core.world.prompts import handed, job_number, system_prompt
from tests.core.world.conftest import TEAM

SEES = {
    "Planner": (),
    "Reader": ("Planner",),
    "Analyst": ("Planner",),
    "Solver": ("Planner", "Reader", "Analyst"),
    "Critic": ("Planner", "Reader", "Analyst", "Solver"),
    "Reporter": ("Planner", "Solver", "Critic"),
}
TRIP = "A van has 120 kilometres to go. Its speed is 80 km/h. How long does it take? Give the answer in minutes."


def sent(me, task, said, system=""):
    source = task if me in ("Planner", "Reader", "Analyst") else ""
    head = [
        Message("system", f"{system_prompt(me, TEAM)} {system}".strip()),
        Message("user", handed(job_number(task), source)),
    ]
    return head + [Message("user", said[name], name) for name in SEES[me] if name in said]


def talk(task, seed=0, slip_rate=0.0, edit=None):
    """What every member of the team says; `edit` maps a name to what becomes of its message."""
    said = {}
    for me in TEAM:
        said[me] = SimulatedModel(seed, slip_rate).reply(sent(me, task, said)).content
        said[me] = (edit or {}).get(me, lambda text: text)(said[me])
    return said


@pytest.mark.parametrize("family", FAMILIES)
def test_a_team_without_slips_is_right_though_only_three_see_the_task(family):
    for number, task in enumerate(generate_tasks(60, 21, families=[family])):
        said = talk(task.text, seed=number % 9)
        assert check(task, said["Reporter"]).right, said


def test_the_question_is_understood_from_the_plan_as_from_the_task():
    for task in generate_tasks(60, 8):
        said = talk(task.text)
        whole, brief = view(0, sent("Planner", task.text, {}), ()), view(0, sent("Solver", task.text, said), ())
        assert type(brief.family) is type(whole.family) and whole.sourced and not brief.sourced
        assert brief.task_facts() == ()


def test_without_a_plan_there_is_no_result():
    for edit in ({"Planner": lambda text: "We have a plan."}, {"Planner": lambda text: ""}):
        for seed in range(12):
            assert not re.search(r"\d", talk(TRIP, seed=seed, edit=edit)["Reporter"])


def test_a_unit_that_the_plan_gets_wrong_is_used_by_all_who_rely_on_it():
    edit = {"Planner": lambda text: text.replace("minutes", "seconds")}
    answers = [talk(TRIP, seed=seed, edit=edit)["Reporter"] for seed in range(12)]
    assert all("5400 seconds" in answer for answer in answers)


def test_a_fact_that_the_plan_gives_to_nobody_reaches_nobody():
    def cut(text):
        return text.replace("; kilometres per hour", "").replace("kilometres per hour", "the weather")

    for seed in range(12):
        said = talk(TRIP, seed=seed, edit={"Planner": cut})
        if "80" not in said["Reader"] + said["Analyst"]:
            assert "80" not in said["Solver"] + said["Critic"]
            break
    else:
        pytest.fail("the fact was handed on every time")


def test_chance_hangs_on_the_job_and_not_on_the_words_of_a_plan():
    changed = 0
    for task in generate_tasks(30, 5):
        said = talk(task.text, slip_rate=0.9)
        reworded = talk(task.text, slip_rate=0.9, edit={"Planner": lambda text: text + "\nGood luck to everyone."})
        assert said == {**reworded, "Planner": said["Planner"]}
        changed += said["Solver"] != talk(task.text)["Solver"]
    assert changed > 15


def test_the_number_of_a_job_is_no_fact():
    said = talk(TRIP)
    for me in ("Solver", "Critic", "Reporter"):
        assert str(job_number(TRIP)) not in said[me]


def test_tables_that_are_spoken_of_are_known_by_rows_and_columns():
    for task in generate_tasks(40, 2, families=["tables"]):
        sketch = drawn(tables(task.text))
        for voice in range(4):
            told = described(f"Here is a plan.\n{spoken(sketch, voice)}\nReader: find Mira.")
            assert told == sketch
    assert described("No one speaks of them.") is None
