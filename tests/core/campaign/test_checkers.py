"""The built-in checkers, and the path to a user's own."""

from __future__ import annotations

import sys
import types

import pytest

from aegis_core.campaign.checkers import check, checker
from aegis_core.campaign.tasks import Task
from aegis_core.errors import CampaignError
from aegis_core.faults import Outcome


def outcome(kind: str, answer: str, output: str | None) -> Outcome:
    return check(Task(task_id="t", text="a question", answer=answer, checker=kind), output)


@pytest.mark.parametrize("kind", ["exact", "numeric", "sequence", "choice"])
@pytest.mark.parametrize("output", [None, "", "  \n\t"])
def test_nothing_is_no_answer(kind: str, output: str | None) -> None:
    answer = {"numeric": "3", "choice": "B"}.get(kind, "x, y")
    assert outcome(kind, answer, output).failure == "no_answer"


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ("96", "96"),
        ("96", "The 12 crates hold 8 bottles each, so the answer is 96."),
        ("1234.5", "Answer: 1,234.50"),
        ("1234567", "1,234,567 bottles"),
        ("0.75", "It comes to 3/4."),
        ("3/4", "0.75"),
        ("1000", "1e3"),
        ("-5", "minus? No: -5"),
        ("-5", "\N{MINUS SIGN}5"),
        ("1.6 hours", "Answer: 1.6 hours"),
        ("1.6 hours", "1.6h"),
        ("1.6 hours", "1.6"),
        ("1.6 hours", "It takes 1.6 in total."),
        ("12.5 euros", "€12.50"),
        ("12.5 euros", "12.50 EUR"),
        ("15 %", "15 percent"),
        ("96 bottles", "Answer: 96 bottles."),
    ],
)
def test_numeric_accepts_equal_numbers(answer: str, output: str) -> None:
    assert outcome("numeric", answer, output) == Outcome(right=True)


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ("96", "97"),
        ("96", "96 or rather 95"),
        ("1.6 hours", "96 minutes"),
        ("96 minutes", "1.6 hours"),
        ("96 minutes", "96 hours"),
        ("5 euros", "500 cents"),
        ("5 euros", "5 cents"),
        ("0.333", "1/3"),
        ("1234", "1,23"),
    ],
)
def test_numeric_refuses_other_numbers_and_other_units(answer: str, output: str) -> None:
    assert outcome("numeric", answer, output).failure == "wrong"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("The walk takes 0.7 hours.", "0.7 hours"),
        ("In all \N{EURO SIGN}706.50.", "\N{EURO SIGN}706.50"),
        ("So it is 1,234.5 km", "1,234.5 km"),
        ("About 2/3 of it", "2/3 of"),
        ("It fell by\n-3 %", "-3 %"),
        # The last number counts; the working above it is no answer.
        ("That is 96 bottles. Are 12 crates right? Yes.", "12 crates"),
        ("12 crates x 8 = 96 bottles, so 12 crates are needed.", "12 crates"),
    ],
)
def test_numeric_says_what_came_as_it_was_written(output: str, said: str) -> None:
    assert outcome("numeric", "96 bottles", output).detail == f"expected 96 bottles, got {said}"


def test_numeric_without_a_number_is_no_answer() -> None:
    assert outcome("numeric", "96", "It could not be determined.").failure == "no_answer"


def test_numeric_says_what_was_expected_and_what_came() -> None:
    detail = outcome("numeric", "1.6 hours", "96 minutes").detail
    assert "1.6 hours" in detail and "96 minute" in detail


def test_a_gold_answer_in_the_wrong_form_is_an_error_that_names_the_task() -> None:
    with pytest.raises(CampaignError, match="'t'.*no number"):
        outcome("numeric", "many", "3")
    with pytest.raises(CampaignError, match="'t'.*no letter"):
        outcome("choice", "42", "B")


@pytest.mark.parametrize("output", ["Mira", " mira. ", "Answer: Mira", "I compared them.\nAnswer: **MIRA**"])
def test_exact_folds_case_space_and_outer_punctuation(output: str) -> None:
    assert outcome("exact", "Mira", output).right


@pytest.mark.parametrize("output", ["Miran", "Mira or Tom", "Answer: Tom", "Answer: Mira\nAnswer: Tom"])
def test_exact_refuses_anything_else(output: str) -> None:
    assert outcome("exact", "Mira", output).failure == "wrong"


@pytest.mark.parametrize(
    "output",
    [
        "Ana, Ben, Cleo",
        "Answer: Ana, Ben, Cleo.",
        "The order is ana,ben , cleo",
        "So, this holds.\nAnswer: Ana, Ben, Cleo",
    ],
)
def test_sequence_accepts_the_items_in_order(output: str) -> None:
    assert outcome("sequence", "Ana, Ben, Cleo", output).right


@pytest.mark.parametrize(
    "output",
    ["Ana, Cleo, Ben", "Ana, Ben", "Ana; Ben; Cleo", "Ana Ben Cleo", "Cleo, Ben, Ana", "Answer: Ana, Ben, Cleo, Dan"],
)
def test_sequence_refuses_another_order_other_items_or_another_form(output: str) -> None:
    assert outcome("sequence", "Ana, Ben, Cleo", output).failure == "wrong"


@pytest.mark.parametrize(
    "output", ["B", "(b)", "b.", "Answer: B", "The answer is option B", "A) is tempting. Answer: (B)"]
)
def test_choice_reads_the_letter(output: str) -> None:
    assert outcome("choice", "B", output).right


def test_choice_refuses_another_letter() -> None:
    assert outcome("choice", "B", "Answer: C").failure == "wrong"
    assert outcome("choice", "B", "none of them").failure == "no_answer"


def test_a_custom_checker_may_return_bool_or_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("my_checks")
    module.__dict__["short"] = lambda task, output: len(output) < 5
    module.__dict__["never"] = lambda task, output: Outcome(right=False, failure="no_end", detail=task.task_id)
    module.__dict__["odd"] = lambda task, output: "yes"
    monkeypatch.setitem(sys.modules, "my_checks", module)
    assert outcome("my_checks:short", "x", "abc").right
    assert outcome("my_checks:short", "x", "abcdef").failure == "wrong"
    assert outcome("my_checks:never", "x", "abc") == Outcome(right=False, failure="no_end", detail="t")
    with pytest.raises(CampaignError, match="returned a str"):
        outcome("my_checks:odd", "x", "abc")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("numerik", "built in: exact, numeric, sequence, choice"),
        ("no_such_module_here:f", "can't be imported"),
        ("math:no_such", "has no 'no_such'"),
        ("math:pi", "not a function"),
    ],
)
def test_an_unknown_checker_is_a_clear_error(name: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        checker(name)
