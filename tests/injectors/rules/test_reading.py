"""How the rules read texts: figures, units, sentences, passages, conclusions, requirements, facts."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from aegis_rules.reading.conclusions import find_conclusions
from aegis_rules.reading.document import Document
from aegis_rules.reading.facts import find_facts
from aegis_rules.reading.figures import find_figures, is_operated, written_as
from aegis_rules.reading.passages import read
from aegis_rules.reading.requirements import find_requirements
from aegis_rules.reading.sentences import cut_sentences, find_sentences
from aegis_rules.reading.units import alternatives, find_unit, write_number, written_like


@pytest.mark.parametrize(
    ("text", "value", "unit", "noun"),
    [
        ("It holds 96 bottles.", "96", None, "bottles"),
        ("The path is 1,250.5 km long.", "1250.5", "kilometres", ""),
        ("That costs $12.50 in all.", "12.50", "dollars", ""),
        ("A share of 25% remains.", "25", "per cent", ""),
        ("It runs at 36 km/h.", "36", "kilometres per hour", ""),
        ("It runs at 36 kilometres per hour.", "36", "kilometres per hour", ""),
        ("The tank takes 3 liters.", "3", "litres", ""),
        ("96 in total", "96", None, ""),
        ("a change of -4 m", "-4", "metres", ""),
    ],
)
def test_a_figure_has_value_and_unit(text, value, unit, noun):
    (figure,) = find_figures(text)
    assert figure.value == Fraction(value)
    assert (figure.unit.plural if figure.unit else None) == unit
    assert figure.noun == noun


@pytest.mark.parametrize(
    "text",
    [
        "1. Read the table.",
        "Step 3 comes next.",
        "see https://example.org/a/12/b?x=3",
        "run `count(12)` first",
        "on 2020-05-17 at 12:45",
        "the award 80NSSC21K0223",
        "version 4.1.2 of it",
        "on 3 March",
    ],
)
def test_what_only_looks_like_a_figure_is_none(text):
    assert find_figures(text) == ()


def test_a_year_is_told_from_a_quantity():
    year, count = find_figures("In 1998, 1,998 people came.")
    assert year.year_like
    assert not count.year_like


def test_the_result_of_a_written_calculation_is_known():
    text = "12 crates x 8 bottles = 96 bottles. The result is 96 bottles."
    assert [is_operated(text, figure) for figure in find_figures(text)] == [False, False, True, False]


def test_a_value_is_written_in_the_format_of_another():
    grouped, decimal, small = find_figures("12,500 m, 3.50 m and 7 m")
    assert written_as(grouped, Fraction(1234567)) == "1,234,567"
    assert written_as(decimal, Fraction(4)) == "4.00"
    assert written_as(small, Fraction(7000), (grouped,)) == "7,000"
    assert written_as(small, Fraction(7000)) == "7000"
    assert written_as(small, Fraction(1, 3)) is None


def test_conversion_is_exact_and_stays_in_the_dimension():
    hour = find_unit("hours")
    assert hour
    assert {unit.singular for unit in alternatives(hour)} == {"minute", "second", "day", "week"}
    assert write_number(Fraction(36) * find_unit("km/h").size / find_unit("m/s").size) == "10"
    assert written_like(find_unit("centimetre"), "meters", Fraction(2)) == "centimeters"
    assert written_like(find_unit("centimetre"), "m", Fraction(2)) == "cm"
    assert written_like(find_unit("minute"), "hours", Fraction(1)) == "minute"


def test_sentences_end_where_they_should():
    text = "Dr. Reed has 3.5 kg (e.g. flour). It is enough! Is it?\n- one item. And more\n## A heading"
    assert [(s.kind, s.text) for s in find_sentences(text)] == [
        ("text", "Dr. Reed has 3.5 kg (e.g. flour)."),
        ("text", "It is enough!"),
        ("text", "Is it?"),
        ("item", "one item."),
        ("item", "And more"),
        ("heading", "A heading"),
    ]


def test_a_cut_leaves_no_traces():
    text = (
        "I looked.\n\n### Prices\n- Tea: 3\n- Jam: 4\n\nSteps:\n1. One.\n2. Tea is 3.\n3. Two.\n\nTea is 3. So I stop."
    )
    cut = [sentence for sentence in find_sentences(text) if "3" in sentence.text or "4" in sentence.text]
    assert cut_sentences(text, cut) == "I looked.\n\nSteps:\n1. One.\n2. Two.\n\nI stop."


def test_a_table_goes_with_its_rows():
    text = "The stalls:\n\n| stall | price |\n|---|---|\n| North | 3 |\n| South | 4 |\n\nThat is all there is."
    cut = [sentence for sentence in find_sentences(text) if sentence.kind == "row" and sentence.text[-3:-2].isdigit()]
    assert len(cut) == 2
    assert cut_sentences(text, cut) == "That is all there is."


def test_code_is_no_passage_and_json_is_cut_into_leaves():
    text = 'Look:\n```python\nx = 12\n```\n{"why": "there are 12", "n": 12, "list": ["a", "b"]}\nDone.'
    document = Document(text)
    assert [(p.kind, p.text.strip()) for p in document.passages] == [
        ("prose", "Look:"),
        ("string", "there are 12"),
        ("number", "12"),
        ("string", "a"),
        ("string", "b"),
        ("prose", "Done."),
    ]
    assert [p.key for p in document.passages if p.kind != "prose"] == ["why", "n", "list", "list"]


def test_writing_json_changes_nothing_else():
    text = '{ "a" : "x \\u00e9" ,\n  "b":[1, 2.50,"y"] }'
    document = Document(text)
    assert document.is_json
    written = document.write({0: 'say "é"', 2: None})
    assert written == '{ "a" : "say \\"\\u00e9\\"" ,\n  "b":[1, null,"y"] }'
    assert json.loads(written)["a"] == 'say "é"'
    assert document.write({}) == text


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("8 x 12 = 96. Answer: 96 bottles", "value", "96"),
        ("The result is 96 bottles.", "value", "96"),
        ("I add them. So there are 96 bottles in the van.", "value", "96"),
        ("Therefore, the train covers 300 km.", "value", "300 km"),
        ("The difference between A and B, by the census, is 732,050. It was checked.", "value", "732,050"),
        ("\\boxed{42}", "value", "42"),
        ("#### 42", "value", "42"),
        ('{"reason": "x", "answer": 42}', "value", "42"),
        ("**Final answer:** $12.50", "value", "$12.50"),
        ("Final order: Anna, Ben, Carla", "order", "Anna, Ben, Carla"),
        ("So the order is Anna, then Ben, and then Carla.", "order", "Anna, then Ben, and then Carla"),
        ("The answer is:\n1. Anna\n2. Ben\n3. Carla", "order", "Anna\n2. Ben\n3. Carla"),
        ('{"order": ["Anna", "Ben", "Carla"]}', "order", "Anna, Ben, Carla"),
        ("The answer is Stall North.", "choice", "Stall North"),
        ("The final answer is:\n```\nHarbinger\n```", "choice", "Harbinger"),
        ("The final answer is **Mist Trail** because it is rated best.", "choice", "Mist Trail"),
        ("12 x 8 = 96. The van carries 96 bottles.", "value", "96"),
        ("I arrive at 96 bottles.", "value", "96"),
        ("They finish as Ben, Anna, Carla and Dov.", "order", "Ben, Anna, Carla and Dov"),
        ("The answer is 12 Steps Down.", "choice", "12 Steps Down"),
    ],
)
def test_a_conclusion_is_found(text, kind, said):
    conclusion = find_conclusions(read(text))[-1]
    assert (conclusion.kind, conclusion.text) == (kind, said)


@pytest.mark.parametrize(
    "text",
    [
        "I will look at the table and then compute the total of 12 rows.",
        "The answer is correct.",
        "What is the total of 12 and 8?",
        "Please ensure the number of reviews is at least 50.",
        "The average rating is above 4.5.",
        "The total is 1 + 59 over 60.",
        "So this is an 8-bit value.",
        "Please ask Ben, Anna and Carla.",
        "The steps to the answer are:\n1. Identify the show that began in 2015.\n2. Find out who was in it.",
        "\\[ \\text{Total} = 1 + \\left(\\frac{59}{60}\\right) \\]",
        "- Price of a lamp: $12.50\n- Lamps sold: 14\n\nThese are the facts.",
        "",
    ],
)
def test_a_text_without_a_conclusion_has_none(text):
    assert find_conclusions(read(text)) == ()


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("How many kilometres does it drive?", "unit", "kilometres"),
        ("Give the answer in kg.", "unit", "kilograms"),
        ("How long does it take, in minutes?", "unit", "minutes"),
        ("How many bottles are there?", "unit", "bottles"),
        ("Give a whole number.", "rounding", "whole number"),
        ("Round it to the nearest ten.", "rounding", "nearest ten"),
        ("Give it to two decimal places.", "rounding", "2 decimals"),
        ("Please report the exact difference.", "rounding", "exact"),
        ("List them from first to last.", "order", "first to last"),
        ("List them from the lightest to the heaviest.", "order", "lightest to heaviest"),
        ("Sort the names alphabetically.", "order", "alphabetical order"),
        ("Which stall has the highest price?", "goal", "highest"),
        ("Who came last?", "goal", "who last"),
        ("Give a comma-separated list.", "layout", "commas"),
    ],
)
def test_a_requirement_is_found(text, kind, topic):
    assert (kind, topic) in {(one.kind, one.topic) for one in find_requirements(read(text))}


def test_a_unit_in_a_fact_is_no_requirement():
    found = find_requirements(read("A van drives 120 kilometres in 2 hours. It is red."))
    assert not [one for one in found if one.kind == "unit"]


def test_facts_are_quantities_relations_and_conclusions():
    text = "I looked around. Tea costs 3 dollars. We saw that Ben came before Anna. What is next? So the answer is Ben."
    assert [fact.text for fact in find_facts(read(text))] == [
        "Tea costs 3 dollars.",
        "We saw that Ben came before Anna.",
        "So the answer is Ben.",
    ]
