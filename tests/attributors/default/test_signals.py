"""Each signal: what raises it, against which step, and what does not raise it."""

from __future__ import annotations

import pytest

from aegis_default.attributor import DETECTORS, signs
from aegis_default.reading import Reading
from aegis_default.weights import SIGNALS
from tests.attributors.default.runs import error, run

PLAN = ("Planner", "Reader: find Mira; Finn.\nSolver works with it.")


def found(trajectory, signal):
    """(step, strength, mode) of every sign of this name."""
    named = [sign for at in signs(Reading.of(trajectory)).values() for sign in at if sign.signal == signal]
    assert all(sign.evidence for sign in named)
    return sorted((sign.step, sign.strength, sign.mode) for sign in named)


CASES = {
    "slip": (run(("Solver", "12 x 8 = 86 bottles"), ("Critic", "86 it is then, fine")), (0, 1.0, None)),
    "departure": (run(("Solver", "12 x 8 = 96. Answer: 86"), ("Critic", "86 it is, then")), (0, 1.0, "FM-2.6")),
    "operand": (run(("Solver", "12 x 9.5 = 114"), ("Critic", "114 it is, then")), (0, 1.0, None)),
    "contradiction": (run(("Reader", "Mira: 39 sacks"), ("Solver", "Mira: 93 sacks")), (1, 1.0, None)),
    "other-unit": (
        run(("Solver", "Answer: 600 cents"), task="What does it cost? Give the answer in euros."),
        (0, 1.0, "FM-1.1"),
    ),
    "empty-report": (
        run(("Reader", "My part of it is done now."), ("Solver", "The figure is missing, so I can't go on.")),
        (0, 1.0, "FM-2.4"),
    ),
    "undelivered": (run(PLAN, ("Reader", "I went through all of it."), ("Solver", "I add up")), (1, 1.0, "FM-2.4")),
    "broken-run": (run(("Solver", "I go on"), ("Critic", "And I, too"), error=error("oh", "Solver")), (0, 1.0, None)),
    "turnabout": (
        run(("Solver", "12 x 8 = 96. Answer: 96"), ("Reporter", "The final answer is 1096 bottles.")),
        (1, 1.0, "FM-2.5"),
    ),
    "loosened": (run(("Solver", "The answer is between 90 and 100.")), (0, 1.0, "FM-1.1")),
    "invention": (run(("Solver", "Let's assume that there are some crates.")), (0, 1.0, "FM-2.2")),
    "crash": (
        run(
            ("Coder", "```python\nf()\n```"),
            ("Critic", "Let us see what it does"),
            ("Terminal", "exitcode: 1\nNameError: name 'f' is not defined"),
        ),
        (0, 1.0, None),
    ),
    "disputed": (
        run(("Solver", "The answer is 86."), ("Critic", "86 is wrong, I think."), final_output="86"),
        (0, 1.0, None),
    ),
    "answer-origin": (
        run(("Solver", "I say: the answer is 96."), ("Reporter", "The answer is 96."), final_output="96"),
        (0, 1.0, None),
    ),
    "unsourced": (
        run(
            ("Expert", "It was painted by Carl Nebel and Jane Roe in Port Said in 1836"),
            ("Critic", "Carl Nebel and Jane Roe, in Port Said, 1836: I see"),
        ),
        (0, 1.0, None),
    ),
    "fruitless": (
        run(("Surfer", "I looked for the page of it"), ("Boss", "This did not provide the information.")),
        (0, 1.0, None),
    ),
    "early-end": (
        run(("Surfer", "I was unable to find the page"), ("Critic", "The task is complete, thanks to all of you.")),
        (1, 1.0, "FM-3.1"),
    ),
    "repeat": (
        run(("Surfer", "I scroll down one page in the browser"), ("Surfer", "I scroll down one page in the browser")),
        (1, 1.0, "FM-1.3"),
    ),
    "waved-through": (run(("Critic", "That looks good to me, go on with it.")), (0, 1.0, "FM-3.2")),
}


@pytest.mark.parametrize("signal", CASES)
def test_signal_is_raised_against_the_step_that_it_speaks_against(signal):
    trajectory, expected = CASES[signal]
    assert found(trajectory, signal) == [expected]


def test_every_signal_has_a_weight_and_a_case():
    assert set(SIGNALS) == set(CASES)
    assert all(weight > 0 for weight in SIGNALS.values())
    assert len(DETECTORS) == len(set(DETECTORS)) == len(SIGNALS)


GOOD = run(
    ("Planner", "Reader: find Mira; Finn.\nSolver adds up, Critic compares."),
    ("Reader", "Mira: 39 sacks\nFinn: 13 sacks"),
    ("Solver", "39 sacks + 13 sacks = 52 sacks\nAnswer: 52 sacks"),
    ("Critic", "39 + 13 = 52. That is correct."),
    ("Reporter", "Answer: 52 sacks"),
    task="Mira has 39 sacks, Finn has 13 sacks. How many is that together?",
    final_output="Answer: 52 sacks",
)


def test_good_run_raises_only_where_its_answer_comes_from():
    assert {sign.signal for at in signs(Reading.of(GOOD)).values() for sign in at} == {"answer-origin"}


@pytest.mark.parametrize(
    ("signal", "trajectory"),
    [
        ("departure", run(("Solver", "323 / 76 = 4.25 hours\n4.25 hours = 255 minutes\nAnswer: 255 minutes"))),
        ("departure", run(("Solver", "2448 / 17 = 144. The answer is 144.0"))),
        ("operand", run(("Solver", "12 x 8 = 86"), ("Critic", "That is wrong. 96 + 12 = 108"))),
        ("contradiction", run(("Solver", "The result is 5."), ("Solver", "The result is 6."))),
        ("other-unit", run(("Solver", "Answer: 6 euros"), task="What does it cost? Give the answer in euros.")),
        ("other-unit", run(("Solver", "Answer: 6 euros"), task="Is it open? Give the answer in one word.")),
        ("empty-report", run(("Reader", "My part of it is done now."), ("Solver", "Answer: 96"))),
        (
            "empty-report",
            run(("Reader", "Dan comes third."), ("Solver", "A clue is missing here."), task="Who is ahead of Dan?"),
        ),
        ("undelivered", run(PLAN, ("Reader", "Mira: 3\nFinn: 4"), ("Solver", "I add up"))),
        ("loosened", run(("Solver", "The answer is about 90."), task="Roughly, how many are there?")),
        ("crash", run(("Coder", "```python\nf()\n```"), ("Terminal", "exitcode: 0 (execution succeeded)"))),
        ("invention", run(("Solver", "A placeholder is a word."), task="What is a placeholder?")),
        ("repeat", run(("Surfer", "I scroll down one page now ok"), ("Boss", "I scroll down one page now ok"))),
        ("unsourced", run(("Expert", "See https://example.org: Carl Nebel"), ("Critic", "Carl Nebel, I see"))),
    ],
)
def test_signal_is_not_raised(signal, trajectory):
    assert found(trajectory, signal) == []


def test_departure_sees_lists_in_another_order_and_other_names():
    order = run(("Solver", "this leaves the order Cleo, Finn, Nils\nResult: Cleo, Nils, Finn"))
    name = run(("Solver", "Fifth is Iris. So my answer is Eve."))
    assert found(order, "departure") == found(name, "departure") == [(0, 1.0, "FM-2.6")]


def test_result_that_goes_on_into_the_working_is_no_conclusion():
    trajectory = run(("Solver", "12 x 8 = 96. 96 + 8 = 104. Answer: 96"), ("Critic", "96 it is"))
    assert [strength for _, strength, _ in found(trajectory, "departure")] == [0.7]


def test_wrong_figure_that_nobody_takes_over_counts_for_less():
    mended = run(("Solver", "12 x 8 = 86"), ("Critic", "86 is wrong, 12 x 8 = 96"), ("Solver", "Answer: 96"))
    assert [strength for _, strength, _ in found(mended, "slip")] == [0.3]


def test_later_crashes_count_for_less():
    code, crash = ("Coder", "```python\nf()\n```"), ("Terminal", "exitcode: 1\nNameError: f")
    assert [strength for _, strength, _ in found(run(code, crash, code, crash), "crash")] == [1.0, 0.6]


def test_crash_is_that_of_the_call_with_the_same_id():
    trajectory = run(("A", "f(1)", "tool_call"), ("B", "g(2)", "tool_call"), ("A", "ValueError: no", "tool_result"))
    steps = [
        step.model_copy(update={"call_id": name}) for step, name in zip(trajectory.steps, ("a", "b", "a"), strict=True)
    ]
    assert found(trajectory.model_copy(update={"steps": tuple(steps)}), "crash") == [(0, 1.0, None)]
