"""The attributor: its ranking, its confidence, its evidence, and when it abstains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_core.plugins import default_plugins
from aegis_default.attributor import Signals
from aegis_default.weights import rank_prior
from tests.attributors.default.runs import error, run
from tests.attributors.default.test_signals import CASES, GOOD

FAULTY = run(
    ("Reader", "Mira: 39 sacks\nFinn: 13 sacks"),
    ("Solver", "39 sacks + 13 sacks = 52 sacks\nAnswer: 25 sacks"),
    ("Critic", "I have looked at it for a while"),
    ("Reporter", "Answer: 25 sacks"),
    task="Mira has 39 sacks, Finn has 13 sacks. How many is that together?",
    final_output="Answer: 25 sacks",
)


def test_attributor_is_found_by_its_name():
    assert type(default_plugins().attributor("signals")) is Signals


def test_first_blame_names_agent_step_and_mode_and_quotes_what_it_rests_on():
    found = Signals().attribute(FAULTY)
    first = found.blames[0]
    assert (found.run_id, found.attributor, found.abstained) == ("r", "signals", "")
    assert (first.agent, first.step, first.mode) == ("Solver", 1, "FM-2.6")
    assert "25 sacks" in first.evidence and "39 sacks + 13 sacks = 52" in first.evidence


def test_good_run_is_blamed_with_low_confidence_and_without_a_mode():
    good, faulty = (Signals().attribute(one).blames[0] for one in (GOOD, FAULTY))
    assert good.mode is None and good.confidence < 0.3 < 0.5 < faulty.confidence


def test_without_any_sign_the_prior_is_named_as_what_it_is():
    (first, *_) = Signals().attribute(run(("A", "I went to the sea"), ("B", "And I to the hills"))).blames
    assert (first.agent, first.step, first.mode) == ("A", 0, None)
    assert first.evidence.startswith("nothing in the text speaks against it")


@pytest.mark.parametrize(
    ("trajectory", "reason"),
    [(run(), "the run has no steps"), (run(("Human", "Hello")), "no agent that could be blamed speaks in this run")],
)
def test_run_without_suspects_is_an_abstention(trajectory, reason):
    found = Signals().attribute(trajectory)
    assert (found.blames, found.abstained) == ((), reason)


def test_whose_turn_ended_the_run_with_an_exception_is_blamed_for_it_even_if_it_never_spoke():
    broken = run(
        ("Reader", "I went to the sea"), ("Solver", "ValueError: no such file", "error"),
        error=error("no such file", "Solver"),
    )  # fmt: skip
    first = Signals().attribute(broken).blames[0]
    assert (first.agent, first.step) == ("Solver", 1)
    assert first.evidence == 'broken-run: the run ended with ValueError in a turn of Solver: "no such file"'


def test_run_of_nothing_but_an_exception_is_blamed_on_whose_turn_it_ended():
    broken = run(("Solver", "ValueError: no", "error"), error=error("no", "Solver"))
    assert [blame.agent for blame in Signals().attribute(broken).blames] == ["Solver"]


def test_exception_that_names_nobody_is_of_the_turn_whose_error_step_tells_of_it():
    broken = run(("Reader", "I went to the sea"), ("Solver", "ValueError: no", "error"), error=error("no"))
    assert Signals().attribute(broken).blames[0].agent == "Solver"


def test_exception_that_the_agents_got_over_is_no_reason_to_blame_its_turn():
    mended = run(("Solver", "ValueError: no", "error"), ("Reader", "I went to the sea"), final_output="the sea")
    assert [blame.agent for blame in Signals().attribute(mended).blames] == ["Reader"]


def test_exception_of_a_tool_is_blamed_on_who_called_it():
    broken = run(
        ("Reader", "I went to the sea"), ("Solver", "divide(1, 0)", "tool_call"),
        ("Terminal", "ValueError: no", "error"), error=error("no", "Terminal"),
    )  # fmt: skip
    first = Signals().attribute(broken).blames[0]
    assert (first.agent, first.step) == ("Solver", 1)
    assert "in Terminal, which it called" in first.evidence


def test_what_the_user_says_after_the_task_is_nobodys_error():
    talk = run(("Solver", "12 x 8 = 96"), ("Human", "12 x 8 = 99, so the answer is 99"), ("Solver", "I see"))
    assert {blame.agent for blame in Signals().attribute(talk).blames} == {"Solver"}


@pytest.mark.parametrize("signal", CASES)
def test_blames_are_of_the_run_the_surest_first_each_agent_once(signal):
    trajectory, _ = CASES[signal]
    found = Signals().attribute(trajectory)
    confidences = [blame.confidence for blame in found.blames]
    assert 1 <= len(found.blames) <= 3
    assert confidences == sorted(confidences, reverse=True) and sum(confidences) < 1
    assert len({blame.agent for blame in found.blames}) == len(found.blames)
    assert all(trajectory.steps[blame.step].agent == blame.agent and blame.evidence for blame in found.blames)
    assert Signals().attribute(trajectory) == found


@given(st.lists(st.tuples(st.sampled_from(["A", "B", "Terminal", "Human"]), st.text(max_size=80)), max_size=8))
def test_any_run_is_answered(said):
    found = Signals().attribute(run(*said))
    assert bool(found.blames) != bool(found.abstained)


def test_earlier_work_is_likelier_until_it_makes_no_difference():
    assert rank_prior(0) == 0 > rank_prior(1) > rank_prior(5) > rank_prior(10) == rank_prior(99)
