"""How a run ends: with an answer, an exception, or a limit."""

from __future__ import annotations

from aegis_core.run import Run, RunInfo
from aegis_core.trajectory import Agent, Usage


class TooManyRounds(Exception):
    """As a framework might raise it."""


def test_a_framework_s_own_step_limit_that_ends_the_run_is_a_limit() -> None:
    run = Run(RunInfo(run_id="r"))
    error = TooManyRounds("50 rounds")
    run.stopped_by(error)
    run.failed(error)
    assert run.limit_reached == "50 rounds"


def test_a_step_limit_without_words_is_named_by_its_class() -> None:
    run = Run(RunInfo(run_id="r"))
    error = TooManyRounds()
    run.stopped_by(error)
    run.failed(error)
    assert run.limit_reached == "TooManyRounds"


def test_a_step_limit_that_the_system_gets_over_is_none() -> None:
    run = Run(RunInfo(run_id="r"))
    error = TooManyRounds("50 rounds")
    run.stopped_by(error)
    run.failed(error, "Solver")
    assert run.limit_reached == ""
    run.failed(ValueError("something else"))
    assert run.limit_reached == ""


def test_a_limit_that_ends_a_run_without_an_exception_is_told_in_words() -> None:
    run = Run(RunInfo(run_id="r"))
    run.stopped_by("more than 50 rounds")
    assert run.limit_reached == "more than 50 rounds"
    run.stopped_by("")
    assert run.limit_reached


def failing(error: BaseException, **more: BaseException) -> Run:
    """A run whose Solver raised `ValueError("no")`, and which ended with another exception."""
    run = Run(RunInfo(run_id="r"))
    run.failed(error.__cause__ or more["cause"], "Solver")
    run.failed(error, **more)
    return run


def test_the_agent_is_known_whose_exception_a_framework_made_its_own_from() -> None:
    error, cause = RuntimeError("run failed"), ValueError("no")
    told = failing(error, cause=cause)
    error.__cause__ = KeyError("between")
    error.__cause__.__cause__ = cause
    cause.__cause__ = error  # a ring
    run = Run(RunInfo(run_id="r"))
    run.failed(cause, "Solver")
    run.failed(error)
    for ended in (told, run):
        assert ended.error is not None
        assert (ended.error.type, ended.error.agent) == ("RuntimeError", "Solver")


def test_an_exception_made_from_one_that_is_told_is_no_second_step() -> None:
    run = Run(RunInfo(run_id="r"))
    cause, error = ValueError("no"), RuntimeError("again")
    run.failed(cause, "Solver")
    run.failed(error, "Solver", cause=cause)
    assert [step.text for step in run.trajectory().steps] == ["ValueError: no"]


def test_what_a_human_says_after_the_task_is_a_message_of_the_user() -> None:
    run = Run(RunInfo(run_id="r", task="count the boxes", agents=(Agent(path="Counter"),)))
    run.told("and the crates", to=("Counter",))
    (step,) = run.trajectory().steps
    assert (step.agent, step.kind, step.text, step.addressed_to) == ("user", "message", "and the crates", ("Counter",))
    assert run.trajectory().agent("user").kind == "user"


def test_what_a_turn_spent_that_ended_by_an_exception_stands_with_its_error() -> None:
    run = Run(RunInfo(run_id="r", task="t"))
    turn = run.begin_turn("a", ())
    run.failed(ValueError("no"), "a", moment=turn.moment, model="m", usage=Usage(input_tokens=3, output_tokens=2))
    (step,) = run.trajectory().steps
    assert (step.kind, step.model, step.usage) == ("error", "m", Usage(input_tokens=3, output_tokens=2))
