"""What each step does in a run, what is concluded, and what was known by then."""

from __future__ import annotations

import pytest

from aegis_default.conclusions import conclusions
from aegis_default.reading import Reading
from tests.attributors.default.runs import run

TASK = "How many bottles are in 12 crates of 8?"


def test_parts_of_a_conversation_are_told_apart():
    reading = Reading.of(
        run(
            ("Human", TASK),
            ("Planner", f"You are given a task. {TASK} Solve it in three steps, please."),
            ("Planner", "Solver works it out, Critic looks at it, and then we are done here."),
            ("Solver", 'multiply(12, "8")', "tool_call"),
            ("Terminal", "96 is what comes out of it"),
            ("Solver", "There are 96 bottles in all of these crates."),
            ("Critic", "TERMINATE"),
        )
    )
    parts = ["result", "briefing", "direction", "act", "result", "work", "closing"]
    assert [entry.part for entry in reading.entries] == parts
    assert [entry.agent for entry in reading.suspects] == ["Planner", "Planner", "Solver", "Solver", "Critic"]


def test_task_that_is_quoted_later_is_no_briefing():
    reading = Reading.of(
        run(("Planner", "Let us go to work on this now"), ("Solver", f"{TASK} I say that there are 96."))
    )
    assert reading.entries[1].part == "work"


def test_tools_are_suspects_where_nobody_else_speaks():
    assert [e.agent for e in Reading.of(run(("Terminal", "it all went well here", "message"))).suspects] == ["Terminal"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Answer: 96 bottles", ["96 bottles"]),
        ("So my answer is 96 bottles.", ["96 bottles"]),
        ("Therefore, the only piece left is: **Red-White**.", ["Red-White"]),
        ("The answer in alphabetical order is:\n```Red, White```\n\nAnd so on", ["Red, White"]),
        ('The word in her article is not here, but the final answer is "fluffy".', ["fluffy"]),
        ("FINAL ANSWER: tricksy", ["tricksy"]),
        ("The result is 4.25 hours. It took long.", ["4.25 hours"]),
        ("The result is correct and all is verified. If All agree, we stop.", []),
        ("The answer is as follows:", []),
        ("```python\nresult = 5\nprint(result)\n```", []),
        ("I have no idea", []),
    ],
)
def test_conclusion_is_what_a_text_calls_its_answer(text, values):
    assert [one.text for one in conclusions(text)] == values


def test_answer_of_a_run_is_its_final_output_or_its_last_conclusion():
    said = (("Solver", "The answer is 96."), ("Critic", "I looked at it, and it is fine with me"))
    assert Reading.of(run(*said)).answer.text == "96"
    assert Reading.of(run(*said, final_output="Answer: 95 bottles")).answer.text == "95 bottles"
    assert Reading.of(run(*said, final_output="Al Gore")).answer.text == "Al Gore"


@pytest.mark.parametrize("output", ["No answer was reached.", "The question stays open.", "It can't be determined."])
def test_run_without_an_answer_is_open(output):
    reading = Reading.of(run(("Solver", "I tried what I could"), final_output=output))
    assert reading.is_open and reading.answer is None


def test_numbers_are_known_from_the_task_from_what_was_seen_and_from_sums():
    trajectory = run(
        ("Reader", "There are 31 sacks"), ("Solver", "2 x 31 = 60"), ("Critic", "Let me see what they say")
    )
    known = Reading.of(trajectory).known_to
    solver, critic = Reading.of(trajectory).entries[1:]
    assert known(solver) == {12, 8, 31}
    assert known(critic) == {12, 8, 31, 2, 60, 62}


def test_what_was_delivered_to_others_alone_is_not_known():
    trajectory = run(("Reader", "There are 31 sacks"), ("Solver", "I wonder how many there are"))
    hidden = trajectory.steps[0].model_copy(update={"visible_to": ("Reader",)})
    reading = Reading.of(trajectory.model_copy(update={"steps": (hidden, trajectory.steps[1])}))
    assert 31 not in reading.known_to(reading.entries[1])


def test_who_objects_to_a_number_does_not_rely_on_it():
    trajectory = run(("Solver", "It is 77"), ("Critic", "77 is wrong"), ("Editor", "We print 96"))
    reading = Reading.of(trajectory)
    assert not reading.is_relied_on(reading.entries[0], 77)
    assert not reading.is_relied_on(reading.entries[2], 96)
    used = Reading.of(run(("Solver", "It is 77"), ("Editor", "We print 77")))
    assert used.is_relied_on(used.entries[0], 77)
