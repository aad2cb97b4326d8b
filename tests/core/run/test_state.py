"""How a run ends: with an answer, an exception, or a limit."""

from __future__ import annotations

from aegis_core.run import Run, RunInfo


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
