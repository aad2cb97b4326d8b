"""The attributor: its ranking, its confidence, its evidence, and when it abstains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_core.plugins import default_plugins
from aegis_default.attributor import Signals
from aegis_default.weights import rank_prior
from tests.attributors.default.runs import run
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
