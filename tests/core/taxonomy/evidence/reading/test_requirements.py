from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.requirements import requirements


@pytest.mark.parametrize(
    ("task", "kind", "wanted"),
    [
        ("How far is it? Give the answer in kilometres.", "unit", ("km",)),
        ("How many minutes does it take?", "unit", ("min",)),
        ("What is the speed in m/s?", "unit", ("m/s",)),
        ("State the price in euros.", "unit", ("EUR",)),
        ("Express it as a percentage.", "unit", ("%",)),
        ("How many bottles of milk are there?", "counted", ("bottle",)),
        ("Give a whole number.", "whole", ("whole number",)),
        ("Report the integer difference.", "whole", ("whole number",)),
        ("Round the result to two decimals.", "decimals", ("2",)),
        ("What is it to 3 decimal places?", "decimals", ("3",)),
        ("Round to the nearest hundred.", "nearest", ("100",)),
        ("Give the exact number.", "exact", ("exact",)),
        ("What is the average stock?", "aggregate", ("average",)),
        ("List them from first to last.", "direction", ("first", "last")),
        ("Order them from the tallest to the shortest.", "direction", ("tallest", "shortest")),
        ("Sort the prices in ascending order.", "sorted", ("ascending",)),
        ("Please alphabetize the list.", "sorted", ("alphabetical",)),
        ("Give a comma-separated list.", "format", ("commas",)),
        ("Answer with a JSON object.", "format", ("json",)),
        ("Answer yes or no.", "format", ("yes or no",)),
        ("Give one name per line.", "format", ("lines",)),
        ('End with a line that begins with "Final result:".', "marker", ("Final result:",)),
        ("Reply in at most 20 words.", "words", ("20",)),
        ("Answer in one sentence.", "sentences", ("1",)),
        ("List the three largest lakes.", "items", ("3",)),
        ("How many stamps does Tom have?", "subject", ("tom",)),
        ("Which route is the fastest?", "name", ()),
    ],
)
def test_what_a_task_asks_for_is_read(task, kind, wanted):
    found = [item for item in requirements("Mia and Tom collect stamps. " + task) if item.kind == kind]

    assert wanted in [item.wanted for item in found]
    assert all(item.source in task for item in found)


@pytest.mark.parametrize(
    "task",
    [
        "A train covers 90 km in 2 hours.",
        "The distances are in kilometres.",
        "Anna came in second. Ben came in last.",
        "The bus runs from Boston to Paris.",
        "Three friends met.",
        "",
    ],
)
def test_facts_ask_for_nothing(task):
    assert requirements(task) == ()


def test_a_role_prompt_can_ask_as_well():
    found = requirements("How many?", "You are the Researcher. Hand on the facts as a bullet list.")

    assert ("format", ("bullets",)) in [(item.kind, item.wanted) for item in found]


def test_a_signal_for_stopping_is_no_form_of_the_answer():
    assert not [item for item in requirements('End your message with "TERMINATE".') if item.kind == "marker"]
