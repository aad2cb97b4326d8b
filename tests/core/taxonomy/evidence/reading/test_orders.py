from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.orders import broken, calibrated, listings, relations, reversed_order
from aegis_core.taxonomy.evidence.reading.passages import passages

ORDER = ("anna", "ben", "cara")


def claims(text: str) -> list[tuple[str, str, str]]:
    return [(item.kind, item.first, item.second) for item in relations(passages(text), ORDER)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna finished before Ben.", [("before", "anna", "ben")]),
        ("Ben came in right behind Anna.", [("after", "ben", "anna")]),
        ("Anna is taller than Cara.", [("taller than", "anna", "cara")]),
        ("Anna > Ben > Cara", [(">", "anna", "ben"), (">", "ben", "cara")]),
        ("Anna is first and Cara is last.", [("#0", "anna", ""), ("#2", "cara", "")]),
        ("Anna took place 1.", [("#0", "anna", "")]),
        ("Anna beat Ben, and Ben beat Cara.", [("before", "anna", "ben"), ("before", "ben", "cara")]),
        ("Anna did not finish before Ben.", []),
        ("If Anna finished before Ben, Cara won.", []),
        ("The solver put Anna before Ben.", []),
        ("The first clue is about Anna.", []),
        ("Anna and Ben ran.", []),
    ],
)
def test_claims_about_an_order_are_read_but_not_denials_guesses_and_others_words(text, expected):
    assert claims(text) == expected


def test_the_direction_of_a_relation_is_learnt_from_a_right_order():
    tall = relations(passages("Cara is taller than Ben. Ben is taller than Anna."), ORDER)
    signs = calibrated(tall, ORDER)

    assert signs == {"taller than": False}
    assert broken(tall, ORDER, signs) == []
    assert len(broken(tall, ("cara", "ben", "anna"), signs)) == 2


def test_a_relation_that_a_right_order_both_meets_and_breaks_says_nothing():
    mixed = relations(passages("Anna is nicer than Ben. Cara is nicer than Ben."), ORDER)

    assert calibrated(mixed, ORDER) == {}


@pytest.mark.parametrize("text", ["Anna, Ben", "Anna, Anna, Ben", "I went home, slept well, and got up", "12, 13"])
def test_not_every_row_of_words_is_a_list(text):
    assert listings(text) == []


def test_a_list_is_reversed_only_as_a_whole():
    assert reversed_order(ORDER, ("cara", "ben", "anna"))
    assert not reversed_order(ORDER, ("ben", "anna", "cara"))
