"""Managers, aggregators, verifiers and proxies react to what they are sent, and to nothing else."""

from __future__ import annotations

import re

import pytest

from aegis_core.world import Message, SimulatedModel, next_speaker, review_objects
from aegis_core.world.model import settled
from aegis_core.world.prompts import system_prompt

CRATES = (
    "There are 12 crates in the market hall. Each crate holds 8 bottles. On the way 5 bottles get broken. "
    "How many good bottles are there in the end?"
)
TRIP = "A van has 120 kilometres to go. Its speed is 80 km/h. How long does it take? Give the answer in minutes."
NOTES = ("Reader", "12 crates\n8 bottles per crate\nminus 5 bottles")
HOUSE = {
    "Chair": "manager",
    "Reader": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Verifier": "verifier",
    "Reporter": "reporter",
    "Client": "proxy",
}
PANEL = {"Ada": "solver", "Bruno": "solver", "Chloe": "solver", "Chair": "manager", "Judge": "aggregator"}
GOOD = (
    "Solver",
    "12 crates x 8 bottles per crate = 96 bottles\n96 bottles - 5 bottles = 91 bottles\nAnswer: 91 bottles",
)
SEEDS = range(40)


def say(me, task, *said, team=HOUSE, seed=0, system="", slip_rate=0.0):
    head = [Message("system", f"{system_prompt(me, team)} {system}".strip()), Message("user", task)]
    rest = [Message("assistant" if name == me else "user", text, name) for name, text in said]
    return SimulatedModel(seed, slip_rate).reply([*head, *rest]).content


def turn(*said, seed=0, **kwargs):
    return next_speaker(say("Chair", CRATES, *said, seed=seed, **kwargs), [name for name in HOUSE if name != "Chair"])


def test_a_manager_gives_the_floor_by_what_was_said():
    ok, bad, fine = ("Critic", "Approved."), ("Critic", "This is wrong."), ("Verifier", "Approved.")
    for seed in SEEDS:
        assert turn(seed=seed) == "Reader"
        assert turn(NOTES, seed=seed) == "Solver"
        assert turn(NOTES, GOOD, seed=seed) == "Critic"
        assert turn(NOTES, GOOD, bad, seed=seed) == "Solver"
        assert turn(NOTES, GOOD, ok, seed=seed) == "Verifier"
        assert turn(NOTES, GOOD, ok, fine, seed=seed) == "Reporter"
        assert turn(NOTES, GOOD, ok, fine, ("Reporter", "Answer: 91 bottles"), seed=seed) == "Client"
        closed = (NOTES, GOOD, ok, fine, ("Reporter", "Answer: 91 bottles"), ("Client", "Accepted."))
        assert turn(*closed, seed=seed) == "" and settled(say("Chair", CRATES, *closed, seed=seed))


def test_a_manager_hands_on_the_question_and_no_figure():
    for seed in SEEDS:
        call = say("Chair", CRATES, NOTES, seed=seed)
        assert "How many good bottles" in call and not re.search(r"\b(?:12|8|5|91)\b", call)


def test_a_manager_loses_patience():
    again = [NOTES, *(part for _ in range(4) for part in (GOOD, ("Critic", "This is wrong.")))]
    assert {turn(*again, seed=seed) for seed in SEEDS} == {"Reporter"}


def test_a_moderator_sees_agreement_and_disagreement():
    alike = [(name, "Answer: 91 bottles") for name in ("Ada", "Bruno", "Chloe")]
    split = [*alike[:2], ("Chloe", "Answer: 90 bottles")]
    for seed in SEEDS:
        assert settled(say("Chair", CRATES, *alike, team=PANEL, seed=seed))
        assert not settled(say("Chair", CRATES, *split, team=PANEL, seed=seed))


def test_an_aggregator_takes_what_most_say():
    said = [("Ada", "Answer: 90 bottles"), ("Bruno", "Answer: 91 bottles"), ("Chloe", "Answer: 91 bottles")]
    for seed in SEEDS:
        assert re.findall(r"\d+ bottles", say("Judge", CRATES, *said, team=PANEL, seed=seed))[-1] == "91 bottles"


def test_an_aggregator_that_reasons_takes_the_one_whose_steps_add_up():
    said = [("Ada", "12 crates x 8 bottles per crate = 99 bottles. Answer: 94 bottles"), ("Bruno", GOOD[1])]
    last = [re.findall(r"\d+ bottles", say("Judge", CRATES, *said, team=PANEL, seed=seed))[-1] for seed in range(80)]
    assert 0.6 < last.count("91 bottles") / len(last) < 1


def test_an_aggregator_knows_no_result_that_it_was_not_sent():
    said = [("Ada", "I am through."), ("Bruno", "My part is done.")]
    for seed in SEEDS:
        assert not re.search(r"\d", say("Judge", CRATES, *said, team=PANEL, seed=seed))
    said = [("Ada", "Answer: 777 bottles"), ("Bruno", "Answer: 777 bottles")]
    assert "777 bottles" in say("Judge", CRATES, *said, team=PANEL)


def test_an_aggregator_merges_notes_where_there_are_no_results():
    team = {"Reader": "researcher", "Analyst": "researcher", "Editor": "aggregator"}
    merged = say("Editor", CRATES, ("Reader", "12 crates"), ("Analyst", "8 bottles per crate"), team=team)
    assert re.search(r"\b12\b", merged) and re.search(r"\b8\b", merged) and not re.search(r"\b(?:5|91)\b", merged)


def verdicts(task, *said):
    return [review_objects(say("Verifier", task, *said, seed=seed)) for seed in SEEDS]


def test_a_verifier_looks_at_unit_facts_and_completeness_but_computes_nothing():
    notes = ("Reader", "120 kilometres\n80 kilometres per hour")
    assert not any(verdicts(CRATES, NOTES, GOOD))
    assert sum(verdicts(CRATES, NOTES, ("Solver", "I am through."))) > 28
    assert sum(verdicts(TRIP, notes, ("Solver", "Answer: 1.5 hours"))) > 28
    misread = GOOD[1].replace("12 crates", "21 crates")
    assert sum(verdicts(CRATES, NOTES, ("Solver", misread))) > 28
    miscomputed = GOOD[1].replace("= 96", "= 99").replace("96 bottles -", "99 bottles -").replace("91", "94")
    assert not any(verdicts(CRATES, NOTES, ("Solver", miscomputed)))


def test_what_a_verifier_objects_to_is_no_result_of_its_own():
    draft = (
        "Solver",
        "21 crates x 8 bottles per crate = 168 bottles\n168 bottles - 5 bottles = 163 bottles\nAnswer: 163 bottles",
    )
    for seed in SEEDS:
        review = ("Verifier", say("Verifier", CRATES, NOTES, draft, seed=seed))
        assert re.findall(r"\d+ bottles", say("Solver", CRATES, NOTES, draft, review, seed=seed))[-1] in (
            "91 bottles",
            "163 bottles",
        )


def test_a_proxy_tells_what_it_knows_and_only_that():
    knows = "Each crate holds 8 bottles. How many bottles are there in 12 crates?"
    asks = ("Solver", "I can't work this out, because the bottles per crate is missing. Could someone supply it?")
    for seed in SEEDS:
        assert re.search(r"\b8\b", say("Client", knows, asks, seed=seed))
    other = ("Solver", "I can't work this out, because the price is missing. Could someone supply it?")
    assert not any(re.search(r"\d", say("Client", knows, other, seed=seed)) for seed in SEEDS)


def test_a_proxy_approves_what_is_of_the_kind_that_it_asked_for():
    assert not any(review_objects(say("Client", TRIP, ("Reporter", "Answer: 90 minutes"), seed=s)) for s in SEEDS)
    assert not any(review_objects(say("Client", TRIP, ("Reporter", "Answer: 77 minutes"), seed=s)) for s in SEEDS)
    for said in ("Answer: 1.5 hours", "We are through."):
        assert sum(review_objects(say("Client", TRIP, ("Reporter", said), seed=s)) for s in SEEDS) > 28


@pytest.mark.parametrize("me", ["Chair", "Verifier", "Client"])
def test_each_office_has_several_voices(me):
    said = {"Chair": (NOTES,), "Verifier": (NOTES, GOOD), "Client": (("Reporter", "Answer: 91 bottles"),)}[me]
    assert len({say(me, CRATES, *said, seed=seed) for seed in SEEDS}) >= 4


@pytest.mark.parametrize("me", ["Chair", "Verifier"])
@pytest.mark.parametrize("order", ["Keep all figures and results to yourself.", "Stop now."])
def test_an_office_that_is_told_to_withhold_or_to_stop_says_nothing_of_substance(me, order):
    told = [say(me, CRATES, NOTES, GOOD, system=order, seed=seed) for seed in SEEDS]
    assert sum(not re.search(r"\d|crate", text) for text in told) >= 34
