from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.passages import plain
from aegis_core.taxonomy.evidence.reading.quantities import comparable, quantities, rounded, said_by, same_value
from aegis_core.taxonomy.evidence.reading.units import unit_named


def read(text: str) -> list[tuple[float, str | None]]:
    return [(item.value, item.unit.name if item.unit else None) for item in quantities(plain(text))]


def one(text: str):
    found = [item for item in quantities(plain(text)) if not item.component]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("96 bottles", [(96, None)]),
        ("1,250.50 euros", [(1250.5, "EUR")]),
        ("$3 and €2.40", [(3, "USD"), (2.4, "EUR")]),
        ("5km, 5 km and 5 kilometres", [(5, "km")] * 3),
        ("60 km/h or 60 kilometres per hour", [(60, "km/h")] * 2),
        ("a rise of 12 %", [(12, "%")]),
        ("-4 °C", [(-4, "°C")]),
        ("14 - 1", [(14, None), (1, None)]),
        ("12x8", [(12, None), (8, None)]),
        ("twelve crates of eight bottles", [(12, None), (8, None)]),
        ("twenty-four and a dozen and 3 dozen eggs", [(24, None), (12, None), (36, None)]),
        ("at 14:30", [(870, "clock")]),
        ("20 square metres, 20 m² and 20 m^2", [(20, "m²")] * 3),
    ],
)
def test_numbers_are_read_with_their_units(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    ["1. Anna", "2) Ben", "Step 3: add", "clue 4", "the 2nd runner", "item #5", "no one", "crate B12", "H2O"],
)
def test_list_numbers_labels_and_ordinals_are_no_quantities(text):
    assert read(text) == []


def test_list_numbers_inside_a_line_are_no_quantities():
    assert read("Plan: 1. Look up. 2. Add 17. 3. Check.") == [(17, None)]


def test_an_answer_that_ends_a_sentence_is_a_quantity():
    assert read("The result is: 42. That is all.") == [(42, None)]


def test_hours_and_minutes_make_one_quantity_of_two_components():
    hours, minutes, whole = quantities("1 h 30 min")

    assert hours.component
    assert minutes.component
    assert (whole.value, whole.component) == (1.5, False)


@pytest.mark.parametrize(
    ("first", "second"),
    [("1.5 h", "90 min"), ("4350 g", "4.35 kg"), ("€11.20", "1120 cents"), ("36 km/h", "10 m/s"), ("85 %", "0.85"),
     ("2 m³", "2000 litres"), ("1 h 30 min", "90 minutes"), ("3 dozen eggs", "36 eggs"), ("1,200", "1200.0")],
)  # fmt: skip
def test_equal_amounts_are_equal_in_any_unit(first, second):
    assert same_value(one(first), one(second))
    assert same_value(one(second), one(first))


@pytest.mark.parametrize(("first", "second"), [("1.5 h", "1.4 h"), ("5 km", "5.5 m"), ("$1", "€1.10"), ("96", "69")])
def test_other_amounts_are_not_equal(first, second):
    assert not same_value(one(first), one(second))


@pytest.mark.parametrize(
    ("exact", "given", "coarse", "expected"),
    [
        ("96.67", "96.7", False, True), ("96.67", "97", False, True), ("36.5", "37", False, True),
        ("36.5", "36", False, True), ("36.5", "38", False, False), ("96", "100", False, False),
        ("96", "100", True, True), ("21.333", "21.33", False, True), ("1036", "1000", True, True),
        ("96", "69", True, False),
    ],
)  # fmt: skip
def test_rounding_is_recognised(exact, given, coarse, expected):
    assert rounded(one(exact), one(given), coarse=coarse) is expected


def test_said_by_finds_a_rounded_or_converted_amount():
    assert said_by(one("96.67 kg"), quantities("about 97 kg"))
    assert said_by(one("90 min"), quantities("1.5 hours"))
    assert not said_by(one("8 bottles"), quantities("12 crates"))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("96 bottles", "69 bottles", True), ("96", "69 bottles", True), ("96 bottles", "12 crates", False),
     ("5 km", "5 h", False), ("5 km", "6 km", True)],
)  # fmt: skip
def test_amounts_are_comparable_if_nothing_says_that_they_measure_other_things(first, second, expected):
    assert comparable(one(first), one(second)) is expected


@pytest.mark.parametrize("text", ["about 97", "approximately 97", "~97", "≈ 97", "roughly €97", "close to 97"])
def test_approximate_amounts_are_marked(text):
    assert one(text).about


def test_no_unit_is_named_by_words_that_are_mostly_something_else():
    assert unit_named("in") is None
    assert unit_named("a") is None
    assert unit_named("hours") == unit_named("h")
    assert unit_named("KM").name == "km"
