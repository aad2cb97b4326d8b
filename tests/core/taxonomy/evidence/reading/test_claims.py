from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.turns import LONGEST_TURN, Turn


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 crates x 8 bottles = 96 bottles", [((12, 8), 96)]),
        ("3 + 4 = 7, then 7 * 2 = 14", [((3, 4), 7), ((7, 2), 14)]),
        ("2 × (3 + 4) = 2 × 7 = 14", [((2, 7), 14)]),
        ("4200 / 35 = 120 minutes = 2 hours", [((4200, 35), 120), ((120,), 2)]),
        ("\\(737,015 - 4,965 = 732,050\\)", [((737015, 4965), 732050)]),
        ("Multiplying 12 by 8 gives 96.", [((), 96)]),
        ("That leaves 5 km.", [((), 5)]),
        ("There are 12 crates of 8 bottles.", []),
        ("x = 5", []),
    ],
)
def test_derived_values_are_found_with_their_operands(text, expected):
    found = Turn((text,)).derivations

    assert [(tuple(item.value for item in step.operands), step.result.value) for step in found] == expected


@pytest.mark.parametrize(
    ("text", "strength", "values"),
    [
        ("12 x 8 = 96.\nAnswer: 96 bottles", "marked", [96]),
        ("**Final answer:** 96", "marked", [96]),
        ("The result is 96 bottles because 12 x 8 = 96.", "marked", [96, 12, 8, 96]),
        ("12 x 8 = 96, i.e. \\boxed{96}", "marked", [96]),
        ('{"answer": 96, "working": "12 * 8"}', "marked", [96]),
        ("#### 96", "marked", [96]),
        ("Answer:\n\n96 bottles", "marked", [96]),
        ("12 x 8 = 96. So there are 96 bottles.", "drawn", [96]),
        ("I did it. There are 96 bottles.", "closing", [96]),
        ("There are 96 bottles.\nTERMINATE", "closing", [96]),
        ("The solver's answer is 100. So it is 96.", "drawn", [96]),
    ],
)
def test_the_conclusion_is_what_is_marked_else_drawn_else_said_last(text, strength, values):
    drawn = Turn((text,)).conclusion

    assert drawn is not None
    assert drawn.strength == strength
    assert [item.value for item in drawn.quantities] == values


@pytest.mark.parametrize(
    "text", ["The answer is not 100.", "The previous answer was 100.", "The solver's result: 100."]
)
def test_what_is_rejected_or_somebody_elses_is_no_marked_conclusion(text):
    drawn = Turn((text,)).conclusion

    assert drawn is not None
    assert drawn.strength == "closing"


@pytest.mark.parametrize(
    "text",
    ["Answer: Anna, Ben, Cara", "Final order:\n1. Anna\n2. Ben\n3. Cara", "The order is Anna > Ben > Cara.",
     "I looked at it.\nAnna\nBen\nCara", '{"answer": ["Anna", "Ben", "Cara"]}', "Answer: Anna, then Ben, and Cara"],
)  # fmt: skip
def test_a_listed_order_is_read_in_any_form(text):
    assert Turn((text,)).listed == ("anna", "ben", "cara")


def test_messages_are_read_together_and_tool_calls_left_out():
    turn = Turn(('look_up({"item": "crates"})', "12 x 8 = 96", '{"name": "calc", "arguments": {"a": 1}}', "Answer: 96"))

    assert turn.text == "12 x 8 = 96\n\nAnswer: 96"


def test_prose_in_brackets_is_no_tool_call():
    assert Turn(("f(x) = 3x, so f(2) = 6 (exactly)",)).text


def test_a_turn_without_words_is_empty():
    assert Turn(()).empty
    assert Turn(("", " \n--")).empty
    assert Turn(("tool(1)",)).empty
    assert Turn(("",)).conclusion is None


def test_of_a_long_turn_the_end_is_read():
    turn = Turn(("word " * LONGEST_TURN + "\nAnswer: 96",))

    assert turn.cut
    assert turn.listed == ()
    assert turn.conclusion is not None
    assert [item.value for item in turn.conclusion.quantities] == [96]


def test_a_conclusion_in_the_middle_of_a_line_leaves_its_lead_to_the_reasoning():
    turn = Turn(("Birch is the cheapest, so the answer is Birch.",))

    assert [part.text for part in turn.reasoning] == ["Birch is the cheapest, so the answer is "]
