"""Answers are judged as documented, by checkers that share no code with the campaign's."""

from __future__ import annotations

import pytest

from tests.verification.checking import check
from tests.verification.material import Task

LAST = "96 pens"


@pytest.mark.parametrize(
    ("checker", "gold", "output", "failure"),
    [
        ("exact", "yes", "Yes.", None),
        ("exact", "yes", "Answer: no\nResult = yes", None),
        ("exact", "yes", "Answer: yes\nResult = no", "wrong"),
        ("exact", "yes", " ", "no_answer"),
        ("numeric", LAST, "12 boxes of 8 make 96", None),
        ("numeric", LAST, "1,096", "wrong"),
        ("numeric", LAST, "from 2024-96", None),
        ("numeric", LAST, "-96", "wrong"),
        ("numeric", LAST, "9.6e1", None),
        ("numeric", LAST, "192/2 pens", None),
        ("numeric", LAST, "none", "no_answer"),
        ("numeric", "1.6 hours", "96 minutes", "wrong"),
        ("numeric", "1.6 hours", "1.6 minutes", "wrong"),
        ("numeric", "1.6 hours", "8/5 h", None),
        ("numeric", "€12", "12 dollars", "wrong"),
        ("numeric", "€12", "12 euros", None),
        ("sequence", "a, b, c", "The order is A, B, C.", None),
        ("sequence", "a, b, c", "Answer: a; b; c", "wrong"),
        ("sequence", "a, b, c", "order: c, b, a. Sure, ok.", "wrong"),
        ("choice", "B", "(b)", None),
        ("choice", "B", "A) no\nB) yes", None),
        ("choice", "B", "Answer: C", "wrong"),
        ("choice", "B", "I am not sure", "no_answer"),
        ("tests.verification.test_checking:says_pens", LAST, "pens", None),
        ("tests.verification.test_checking:says_pens", LAST, "boxes", "wrong"),
    ],
)
def test_an_answer_is_judged_as_documented(checker: str, gold: str, output: str, failure: str | None) -> None:
    assert check(Task("t", "How many?", gold, checker), output).failure == failure


def test_a_checker_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="no checker 'fuzzy'"):
        check(Task("t", "How many?", LAST, "fuzzy"), "96")


def says_pens(task: Task, output: str) -> bool:
    """A user's own checker."""
    return output in task.answer
