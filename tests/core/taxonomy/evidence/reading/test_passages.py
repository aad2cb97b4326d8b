from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_core.taxonomy.evidence.reading.passages import content_words, is_tool_call, names, passages, plain, stem


def test_sentences_bullets_and_rows_are_passages_of_their_own():
    text = "One is 3.5 m. Two!\n- three, e.g. this\n2. four\n\n## Five\n| a | b |"

    assert [part.text for part in passages(text)] == [
        "One is 3.5 m.", "Two!", "three, e.g. this", "four", "Five", "| a | b |",
    ]  # fmt: skip
    assert [part.bullet for part in passages(text)] == [False, False, True, True, True, False]


@given(st.text())
def test_a_passage_stands_where_it_says(text):
    for part in passages(text):
        assert text[part.start : part.end] == part.text
        assert "\n" not in part.text


@given(st.text())
def test_plain_text_keeps_every_character_in_its_place(text):
    assert len(plain(text)) == len(text)


def test_marks_are_blanked():
    assert plain("**12 * 8** \\times 2").split() == ["12", "×", "8", "×", "2"]


@pytest.mark.parametrize(
    ("word", "expected"), [("Crates", "crate"), ("boxes", "box"), ("berries", "berry"), ("glass", "glass")]
)
def test_singular_and_plural_fall_together(word, expected):
    assert stem(word) == expected


def test_content_words_leave_out_function_words():
    assert content_words("There are 12 crates of the best apples") == {"crate", "best", "apple"}


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("There Anna met Ben Miller.", "", {"Anna", "Ben Miller"}),
        ("Use the bar. The bar is old.", "", set()),
        ("Graz lies far away.", "", set()),
        ("Graz lies far away.", "We saw Graz.", {"Graz"}),
        ("Mia has 14 stamps.", "", {"Mia"}),
        ("So Option B, then.", "", {"Option B"}),
        ("I am here.", "", set()),
    ],
)
def test_names_are_told_from_openers_of_sentences(text, reference, expected):
    assert names(text, reference) == expected


@pytest.mark.parametrize(
    "text", ['calc({"a": 1})', "look_up(item='crate')", '{"name": "calc", "arguments": {}}', "f(g(1), 2)"]
)
def test_calls_are_recognised(text):
    assert is_tool_call(text)


@pytest.mark.parametrize(
    "text", ["", "There are 12 (twelve).", "f(x) = 6 (exactly)", '{"answer": 96}', "calc(1) gives 1"]
)
def test_other_texts_are_no_calls(text):
    assert not is_tool_call(text)
