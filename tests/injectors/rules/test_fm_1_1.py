"""FM-1.1: the work stays right, the answer is not the one asked for."""

from __future__ import annotations

import json
import re

import pytest

from aegis_core.adapter import Part
from aegis_core.injector import Edits

PROMPT, RESPONSE = "prompt_injection", "response_corruption"
VAN = "A van carries 12 crates with 8 bottles each. How many bottles does it carry? Give a whole number."
TRAM = "A tram runs 18 km a trip, 7 trips a day. How many kilometres does it run in a day? Answer in kilometres."
RACE = "Anna, Ben and Carla ran. Ben beat Anna; Carla was last. List them from first to last, separated by commas."
STALLS = "North takes 120 dollars, South 95 dollars. Which stall has the highest takings?"


def test_a_unit_is_changed_wherever_it_is_asked_for_and_nowhere_else(altered):
    text = altered("FM-1.1", PROMPT, TRAM, realisation="requirement_altered")
    assert text == TRAM.replace("How many kilometres", "How many metres").replace("in kilometres", "in metres")


def test_a_requirement_is_changed_alike_in_all_parts_that_state_it(alter):
    parts = [
        Part(id="task", text=TRAM, role="user"),
        Part(id="plan", text="Work out the distance in kilometres.", author="planner"),
    ]
    edits = alter("FM-1.1", PROMPT, parts, realisation="requirement_altered")
    assert set(edits.texts) == {"task", "plan"}
    assert edits.texts["plan"] == "Work out the distance in metres."


def test_what_only_mentions_a_requirement_is_changed_along_but_never_alone(alter, refusal):
    plan = "- The steps will give a total in kilometres."
    parts = [Part(id="task", text=TRAM, role="user"), Part(id="plan", text=plan, author="planner")]
    edits = alter("FM-1.1", PROMPT, parts, realisation="requirement_altered")
    assert edits.texts["plan"] == plan.replace("kilometres", "metres")
    assert "no unit" in refusal("FM-1.1", PROMPT, parts[1:], realisation="requirement_altered")


def test_an_order_is_turned_round(altered):
    seen = {altered("FM-1.1", PROMPT, RACE, realisation="requirement_altered", seed=seed) for seed in range(6)}
    assert seen == {RACE.replace("from first to last", "from last to first")}


def test_the_item_asked_for_is_changed(altered):
    text = altered("FM-1.1", PROMPT, STALLS, realisation="goal_altered")
    assert text == STALLS.replace("highest", "lowest")


@pytest.mark.parametrize("task", [VAN, TRAM, RACE])
def test_a_requirement_is_added_in_one_place(altered, task):
    for seed in range(10):
        text = altered("FM-1.1", PROMPT, task, realisation="requirement_added", seed=seed)
        added = next(text[at : at + len(text) - len(task)] for at in range(len(task) + 1) if is_added(task, text, at))
        assert 20 < len(added) < 160
        assert re.search(r"nearest|range|metres|order|last|end", added)


def is_added(before, after, at):
    return after[:at] == before[:at] and after[at + len(after) - len(before) :] == before[at:]


def test_many_words_say_the_same(altered):
    texts = {altered("FM-1.1", PROMPT, TRAM, realisation="requirement_added", seed=seed) for seed in range(40)}
    assert len(texts) > 20


@pytest.mark.parametrize(
    ("task", "before", "after"),
    [
        (TRAM, "7 x 18 = 126 km. The total distance is 126 km.", {"7 x 18 = 126 km. The total distance is 126000 m."}),
        (VAN, "12 x 8 = 96. So it holds 96 bottles.", {"12 x 8 = 96. So it holds 8 dozen bottles."}),
        ("What is the cost in dollars?", "Answer: $12.50", {"Answer: 1250 cents"}),
        ("What is the speed in km/h?", "Answer: 36 km/h", {"Answer: 10 m/s", "Answer: 600 m/min"}),
        ("Give the share in per cent.", "The answer is 25%.", {"The answer is 0.25."}),
        (
            "How long is the trip in hours?",
            "The answer is 3 hours and 20 minutes.",
            {"The answer is 200 minutes.", "The answer is 12000 seconds."},
        ),
        (
            "Give the mass in grams.",
            "Answer: 12,500 grams",
            {"Answer: 12.5 kilograms", "Answer: 12,500,000 milligrams"},
        ),
        ("Give the volume in liters.", '{"answer": "3 liters"}', None),
    ],
)
def test_the_result_is_given_in_another_unit_and_stays_right(altered, task, before, after):
    texts = {altered("FM-1.1", RESPONSE, before, realisation="answer_restated", task=task, seed=s) for s in range(12)}
    if after is None:
        assert {json.loads(text)["answer"] for text in texts} <= {
            "3000 milliliters",
            "300 centiliters",
            "0.003 cubic meters",
        }
    else:
        assert texts == after


def test_an_order_is_given_from_its_other_end(altered):
    before = "Ben beat Anna. Final order: Ben, Anna, Carla"
    texts = {altered("FM-1.1", RESPONSE, before, realisation="answer_restated", task=RACE, seed=s) for s in range(8)}
    reversed_list = "Ben beat Anna. Final order: Carla, Anna, Ben"
    assert texts == {reversed_list, f"{reversed_list} (from last to first)"}


def test_a_list_over_lines_and_one_in_json_are_turned_round_too(altered):
    before = "The order is:\n1. Ben\n2. Anna\n3. Carla"
    after = altered("FM-1.1", RESPONSE, before, realisation="answer_restated", task=RACE)
    assert after == "The order is:\n1. Carla\n2. Anna\n3. Ben"
    before = '{"order": ["Ben", "Anna", "Carla"], "sure": true}'
    after = altered("FM-1.1", RESPONSE, before, realisation="answer_restated", task=RACE)
    assert after == '{"order": ["Carla", "Anna", "Ben"], "sure": true}'


@pytest.mark.parametrize("value", ["96", "7", "1,234", "100", "12.75"])
def test_a_range_or_round_figure_holds_the_exact_one(altered, value):
    exact = float(value.replace(",", ""))
    for seed in range(12):
        before = f"I added them. Answer: {value} bottles"
        after = altered("FM-1.1", RESPONSE, before, realisation="answer_loosened", task=VAN, seed=seed)
        numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d,]*\d(?:\.\d+)?", after)]
        assert exact not in numbers
        assert min(numbers) / 2.01 <= exact <= max(numbers) * 2.01
        if len(numbers) == 2:
            assert numbers[0] < exact < numbers[1]
        assert after.startswith("I added them. Answer: ")
        assert after.endswith(" bottles")


def test_a_bare_number_of_json_stays_a_number(altered):
    after = altered("FM-1.1", RESPONSE, '{"answer": 96}', realisation="answer_loosened", task=VAN)
    assert json.loads(after) == {"answer": 100}


def test_a_list_is_cut_to_its_ends(altered):
    before = "Ben beat Anna. Final order: Ben, Anna, Carla"
    after = altered("FM-1.1", RESPONSE, before, realisation="answer_loosened", task=RACE)
    assert "Ben" in after.split("order:")[1]
    assert "Anna" not in after.split("order:")[1]


def test_the_working_stays_as_it_was(altered):
    before = "Each crate holds 8 bottles.\n12 crates x 8 bottles = 96 bottles.\nAnswer: 96 bottles"
    for realisation in ("answer_restated", "answer_loosened"):
        after = altered("FM-1.1", RESPONSE, before, realisation=realisation, task=VAN)
        assert after.splitlines()[:2] == before.splitlines()[:2]
        assert after != before


@pytest.mark.parametrize(
    ("strategy", "realisation", "text", "task", "reason"),
    [
        (PROMPT, "requirement_altered", "Tell me about the sea and its fish.", "", "no unit, rounding"),
        (PROMPT, "goal_altered", "How many bottles are there?", "", "no request names"),
        (PROMPT, "requirement_added", "Tell me about the sea and its fish.", "", "asks for no figure"),
        (RESPONSE, "answer_restated", "I will look at it.", VAN, "no conclusion"),
        (RESPONSE, "answer_restated", "The answer is Stall North.", STALLS, "is a name"),
        (RESPONSE, "answer_restated", "The answer is 7 bottles.", VAN, "dozens"),
        (RESPONSE, "answer_restated", "The answer is 7 kg.", "Tell me of it.", "not one that was asked for"),
        (RESPONSE, "answer_restated", "The order is Ben, Anna, Carla.", "Who ran?", "no order is asked for"),
        (RESPONSE, "answer_loosened", "The answer is Stall North.", STALLS, "is a name"),
        (RESPONSE, "answer_loosened", "The answer is 7 kg.", "Tell me of it.", "no figure is asked for"),
    ],
)
def test_it_refuses_where_there_is_nothing_to_alter(refusal, strategy, realisation, text, task, reason):
    assert reason in refusal("FM-1.1", strategy, text, realisation=realisation, task=task)


def test_without_a_named_realisation_one_that_fits_is_found(alter):
    names = {alter("FM-1.1", RESPONSE, "Sum: 96 bottles.", task=VAN, seed=seed).realisation for seed in range(10)}
    assert names == {"answer_restated", "answer_loosened"}
    edits = alter("FM-1.1", PROMPT, STALLS, seed=3)
    assert isinstance(edits, Edits)
