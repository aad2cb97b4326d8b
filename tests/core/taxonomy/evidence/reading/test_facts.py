from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.facts import Known, fresh_figures, is_cut, missing, statements
from aegis_core.taxonomy.evidence.reading.quantities import quantities
from aegis_core.taxonomy.evidence.reading.turns import Turn

CLEAN = (
    "The lease runs for 5 years and costs 900 EUR a month. The landlord is Mrs Orlova. The office hands out the keys."
)


def lost(clean: str, faulty: str) -> list[str]:
    return [one.text.strip() for one in missing(Turn([clean]), Turn([faulty]))]


def test_clauses_are_statements_beside_the_passage_that_holds_them():
    told = [one.text.strip() for one in statements(Turn(["The lease runs for 5 years and costs 900 EUR."]))]

    assert told == ["The lease runs for 5 years and costs 900 EUR.", "The lease runs for 5 years", "costs 900 EUR."]


@pytest.mark.parametrize(
    "text",
    ["Please send 3 crates.", "Here is what I found:", "Shall I go on with 5 of them?", "I read the letter twice."],
)
def test_what_asks_announces_or_tells_of_ones_own_doing_states_nothing(text):
    assert statements(Turn([text])) == []


def test_ones_own_doing_states_the_amounts_that_came_of_it():
    assert statements(Turn(["I counted 12 crates."]))


def test_a_sentence_cut_out_is_missing():
    assert lost(CLEAN, "The landlord is Mrs Orlova. The office hands out the keys.") == [
        "The lease runs for 5 years and costs 900 EUR a month.", "The lease runs for 5 years", "costs 900 EUR a month.",
    ]  # fmt: skip
    assert lost(CLEAN, CLEAN.replace(" The office hands out the keys.", "")) == ["The office hands out the keys."]


@pytest.mark.parametrize(
    "faulty",
    [
        CLEAN.replace("900", "950"),
        "5-year lease, €900/month; landlord: Mrs Orlova; keys: office.",
        "Lease: five years, 900 EUR a month. Mrs Orlova lets it, and the office hands out keys.",
        '{"years": 5, "eur_per_month": 900, "landlord": "Orlova", "keys": "office"}',
    ],
    ids=["other figure", "short", "number words", "JSON"],
)
def test_what_is_replaced_or_said_otherwise_is_not_missing(faulty):
    assert lost(CLEAN, faulty) == []


def test_names_and_figures_are_missing_from_a_turn_that_gives_none():
    assert set(lost(CLEAN, "I have looked at the contract.")) >= {
        "The lease runs for 5 years and costs 900 EUR a month.", "The landlord is Mrs Orlova.",
    }  # fmt: skip


def test_another_name_stands_in_place_of_the_missing_one():
    assert lost("The landlord is Mrs Orlova.", "I found that the owner is Mr Petrov.") == []


def test_a_cut_leaves_words_in_their_order_and_adds_none():
    whole = Turn(["one two three four five six"])

    assert is_cut(whole, Turn(["two four six"]))
    assert not is_cut(whole, Turn(["four two"]))
    assert not is_cut(whole, Turn(["two seven"]))
    assert not is_cut(whole, Turn(["two"]))
    assert not is_cut(whole, whole)


def test_figures_are_fresh_if_nobody_gave_them_even_rounded():
    others = Turn(["53.73 % of 1.5 km"])

    assert [item.value for item in fresh_figures(Turn(["54 % of 1500 m in 7 days"]), others)] == [7]


def test_a_known_amount_is_known_in_another_unit():
    known = Known(["The trip is 1.5 km."])

    assert known.figure(quantities("1500 m")[0])
    assert not known.figure(quantities("1600 m")[0])
