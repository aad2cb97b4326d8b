"""An attribution in words: who, where, what was said there, and why."""

from __future__ import annotations

from aegis_core.attribution import Attribution, Blame
from aegis_core.report.attribution import attribution_text, finding
from aegis_core.taxonomy import MAST
from aegis_core.trajectory import Agent, Step, Trajectory

MODES = {mode.id: mode for mode in MAST}
RUN = Trajectory(
    run_id="r1",
    task="How many\nbottles are in 12 crates?",
    agents=(Agent(path="Solver"), Agent(path="Critic")),
    steps=(
        Step(index=0, agent="Solver", kind="message", text="12 crates hold\n90 bottles. " + "So. " * 100),
        Step(index=1, agent="Critic", kind="message", text=""),
    ),
)


def told(*blames: Blame, top: int = 5, **more: str) -> list[str]:
    answer = Attribution(run_id="r1", blames=blames, **more)
    return list(attribution_text(finding(RUN, "guess", answer, MODES), top))


def test_a_suspect_is_told_with_step_confidence_mode_words_and_evidence():
    blame = Blame(agent="Solver", step=0, mode="FM-2.6", confidence=0.625, evidence="12 x 8 is 96.\nNot 90.")

    lines = told(blame)
    assert lines[:5] == [
        "Run r1, judged by guess",
        "  task: How many bottles are in 12 crates?",
        "",
        "  1. Solver, step 0, confidence 0.62",
        f"     FM-2.6  {MODES['FM-2.6'].name}",
    ]
    assert lines[5].startswith("     said: 12 crates hold 90 bottles. So. So. So.")
    assert lines[-2:] == ["     why: 12 x 8 is 96.", "       Not 90."]
    assert max(map(len, lines)) <= 120
    assert lines[-3].endswith("…")


def test_suspects_keep_their_order_and_those_beyond_the_top_are_counted():
    lines = told(Blame(agent="Critic", confidence=0.9), Blame(agent="Solver", confidence=0.4), top=1)

    assert "  1. Critic, no step named, confidence 0.90" in lines
    assert not any("Solver, " in line for line in lines)
    assert lines[-1] == "  and 1 more (--top N tells N of them)"


def test_what_the_run_does_not_have_is_told_as_such():
    lines = told(Blame(agent="Solver", step=7), Blame(agent="Critic", step=1, mode="acme:unheard-of"))

    assert "     the run has no such step" in lines
    assert "  1. Nobody (not an agent of this run), step 7, confidence 1.00" in told(Blame(agent="Nobody", step=7))
    assert "     acme:unheard-of  (a mode that no installed taxonomy knows)" in lines
    assert "     said: (nothing)" in lines


def test_what_the_run_does_not_have_is_marked_in_the_record():
    blames = (Blame(agent="Nobody"), Blame(agent="solver", step=2), Blame(agent="the network", mode="env:timeout"))
    found = finding(RUN, "guess", Attribution(run_id="r1", blames=blames), MODES).suspects

    assert [(one.is_stranger, one.no_such_step) for one in found] == [(True, False), (False, True), (False, False)]


def test_an_abstention_is_told_with_its_reason_and_no_suspects():
    assert told(Blame(agent="Solver"), abstained="the run is in Dutch")[2:] == ["  no answer: the run is in Dutch"]
    assert told()[2:] == ["  blames nobody"]


def test_a_run_that_could_not_be_judged_says_why():
    found = finding(RUN, "guess", None, MODES, not_judged="ValueError: too long")

    assert list(attribution_text(found))[2:] == ["  could not be judged: ValueError: too long"]
    assert found.suspects == ()
