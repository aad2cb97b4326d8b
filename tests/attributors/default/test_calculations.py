"""Which calculations are read out of a text, and whether they hold."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_default.calculations import calculations
from aegis_default.quantities import numbers, prose, quantities


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 crates x 8 bottles = 96 bottles", 96),
        ("So 39 × 13 = 507 euros.", 507),
        ("2 + 3 * 4 = 14", 14),
        ("$1,200 - $200 = $1,000", 1000),
        ("10 / 4 = 2.5", Fraction(5, 2)),
        ("- 7 hours x 55 panels per hour = 385 panels", 385),
        ("1250 panels / 125 panels per hour = 10 hours", 10),
    ],
)
def test_calculation_in_prose_is_read_and_holds(text, value):
    (found,) = calculations(prose(text))
    assert (found.value, found.stated, found.holds) == (value, value, True)


@pytest.mark.parametrize("text", ["12 x 8 = 86", "10 - 4 = 14", "5 + 5 + 5 = 10 apples", "7 / 2 = 3.6"])
def test_wrong_result_does_not_hold(text):
    (found,) = calculations(text)
    assert not found.holds


@pytest.mark.parametrize("text", ["2448 / 19 = 128.84", "10 / 3 = 3.33", "10 / 3 = 3", "2 / 3 = 0.66", "2 / 3 = 0.67"])
def test_rounded_and_cut_results_hold(text):
    (found,) = calculations(text)
    assert found.holds


@pytest.mark.parametrize(
    "text",
    [
        "(2 + 3) * 4 = 20",
        "2x + 3 = 7",
        "y + 3 = 7",
        "2^3 + 1 = 9",
        "20% x 50 = 10",
        "5 hours - 30 minutes = 4.5 hours",
        "4 + 4 = 8 * 2",
        "4 / 0 = 4",
        "the years 2014-2023",
        "1.2.3 + 4 = 5",
        "3 + 4 = 7.5.1",
    ],
)
def test_what_cannot_be_checked_is_left_out(text):
    assert not list(calculations(text))


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=6), st.sampled_from("+-"))
def test_sums_of_integers_hold_exactly_when_they_are_true(operands, sign):
    value = operands[0] + sum(operands[1:]) * (1 if sign == "+" else -1)
    text = f" {sign} ".join(map(str, operands))
    assert [one.holds for one in calculations(f"{text} = {value}")] == [True]
    assert [one.holds for one in calculations(f"{text} = {value + 1}")] == [False]


@given(st.text(alphabet="0123456789+-x*/=., ()%€\nab", max_size=60))
def test_any_text_can_be_read(text):
    for one in calculations(text):
        assert isinstance(one.holds, bool)


def test_numbers_of_lists_code_and_addresses_are_no_claims():
    text = "1. first 5 apples\n2) then 6\n```python\nx = 77\n```\nsee https://example.org/88 and ./data/99.csv"
    assert numbers(prose(text)) == {5, 6}


def test_quantity_has_the_word_after_it():
    found = quantities("It is 1,250.5 euros, 25% of 30 or -4 °C")
    assert [(float(one.value), one.unit) for one in found] == [(1250.5, "euros"), (25, "%"), (30, "or"), (-4, "°c")]
