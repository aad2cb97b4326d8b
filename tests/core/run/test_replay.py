"""A recorded run is served up to the target's moment, and only that far."""

from __future__ import annotations

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.errors import ReplayDrift, ReplayError, RunLimitReached
from aegis_core.run import Limits, Run, RunInfo, Tape
from tests.core.run.systems import calls, echo, plan, recorded, relay, report, rerun, solve, target

ADAPTER = CallablesAdapter()


def test_a_whole_replay_makes_no_live_call_and_gives_the_same_run() -> None:
    clean, tape, result = recorded(ADAPTER, relay, "2+2")
    run, again = rerun(ADAPTER, relay, "2+2", tape)
    assert again == result
    assert calls == []
    assert [step.text for step in run.trajectory().steps] == [step.text for step in clean.steps]
    assert [entry.key for entry in run.tape().entries] == [entry.key for entry in tape.entries]
    assert run.live_model_calls == 0


def test_response_corruption_serves_the_targets_own_turn() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, result = rerun(ADAPTER, relay, "2+2", tape, target("Planner", "response_corruption", "outgoing"))
    assert calls == ["plan: <2+2> ALTERED", "<plan: <2+2> ALTERED>"]
    assert result == "report of result: <<plan: <2+2> ALTERED>>"
    assert run.ledger().interventions[0].fired
    assert run.ledger().interventions[0].call is None


def test_prompt_injection_makes_the_targets_own_turn_live() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, _ = rerun(ADAPTER, relay, "2+2", tape, target("Solver", "prompt_injection", "persistent"))
    assert calls == ["plan: <2+2> ALTERED", "<plan: <2+2> ALTERED>"]
    assert run.live_model_calls == 2


def test_belief_alters_the_last_model_call_of_the_turn() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, result = rerun(ADAPTER, relay, "2+2", tape, target("Solver", "response_corruption", "belief"))
    assert calls == []
    assert result == "report of result: <<plan: <2+2>>> ALTERED"
    (entry,) = run.ledger().interventions
    assert entry.changes[0].after == "<<plan: <2+2>>> ALTERED"
    assert entry.call == 2


def test_ephemeral_alters_one_model_call_alone() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    rerun(ADAPTER, relay, "2+2", tape, target("Solver", "prompt_injection", "ephemeral"))
    assert calls == ["plan: <2+2> ALTERED", "<plan: <2+2> ALTERED>"]


def test_the_trajectory_holds_what_was_delivered_and_no_trace_of_the_alteration() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, _ = rerun(ADAPTER, relay, "2+2", tape, target("Planner", "response_corruption", "outgoing"))
    steps = run.trajectory().steps
    assert steps[0].text == "plan: <2+2> ALTERED"
    assert set(steps[0].model_dump()) == set(steps[1].model_dump())


def test_another_input_before_the_target_is_a_drift() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayDrift, match="Planner turn 1 sees another input"):
        rerun(ADAPTER, relay, "3+3", tape, target("Solver", "response_corruption", "outgoing"))


def test_another_speaker_before_the_target_is_a_drift() -> None:
    @aegis.agent("Stranger")
    def stranger(question: str) -> str:
        return question

    @aegis.trace
    def other(question: str) -> str:
        return report(solve(plan(stranger(question))))

    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayDrift, match="Stranger turn 1 is not on the tape"):
        rerun(ADAPTER, other, "2+2", tape, target("Solver", "response_corruption", "outgoing"))


def test_another_request_before_the_target_is_a_drift() -> None:
    @aegis.agent("Planner")
    def impatient(question: str) -> str:
        return "plan: " + echo(question + "!")

    @aegis.trace
    def other(question: str) -> str:
        return report(solve(impatient(question)))

    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayDrift, match="Planner turn 1, model 1 sends another request"):
        rerun(ADAPTER, other, "2+2", tape, target("Solver", "response_corruption", "outgoing"))


def test_a_call_that_the_recorded_run_did_not_make_is_a_drift_before_the_target() -> None:
    @aegis.agent("Planner")
    def doubting(question: str) -> str:
        first = echo(question)
        echo("is that right?")
        return "plan: " + first

    @aegis.trace
    def other(question: str) -> str:
        return report(solve(doubting(question)))

    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayDrift, match="Planner turn 1, model 2 is not on the tape"):
        rerun(ADAPTER, other, "2+2", tape, target("Solver", "response_corruption", "outgoing"))
    assert calls == []


def test_a_tool_that_the_recorded_run_did_not_use_is_a_drift_before_the_target() -> None:
    @aegis.tool
    def search(words: str) -> str:
        calls.append(words)
        return words

    @aegis.agent("Planner")
    def searching(question: str) -> str:
        search(question)
        return "plan: " + echo(question)

    @aegis.trace
    def other(question: str) -> str:
        return report(solve(searching(question)))

    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayDrift, match="Planner turn 1, tool search 1 is not on the tape"):
        rerun(ADAPTER, other, "2+2", tape, target("Solver", "response_corruption", "outgoing"))
    assert calls == []


def test_a_call_more_after_the_target_is_a_consequence() -> None:
    @aegis.agent("Solver")
    def thorough(plan_text: str) -> str:
        draft = echo(plan_text)
        draft = echo(draft) if "ALTERED" in plan_text else draft
        return "result: " + echo(draft)

    @aegis.trace
    def other(question: str) -> str:
        return report(thorough(plan(question)))

    _, tape, _ = recorded(ADAPTER, other, "2+2")
    run, _ = rerun(ADAPTER, other, "2+2", tape, target("Planner", "response_corruption", "outgoing"))
    assert (run.void, len(calls)) == ("", 3)


def test_a_drift_that_the_system_swallows_still_voids_the_run() -> None:
    @aegis.trace
    def swallowing(question: str) -> str:
        try:
            return report(solve(plan(question)))
        except ReplayDrift:
            return "never mind"

    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, result = rerun(ADAPTER, swallowing, "3+3", tape, target("Solver", "response_corruption", "outgoing"))
    assert result == "never mind"
    assert "sees another input" in run.void


def test_differences_after_the_target_are_consequences() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    run, _ = rerun(ADAPTER, relay, "2+2", tape, target("Planner", "response_corruption", "outgoing"))
    assert run.void == ""


def test_a_target_that_is_not_on_the_tape_is_refused_with_the_turns_there_are() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    with pytest.raises(ReplayError, match="turns of that agent: Solver turn 1"):
        rerun(ADAPTER, relay, "2+2", tape, target("Solver", "response_corruption", "outgoing", turn=2))


def test_the_tape_survives_json() -> None:
    _, tape, result = recorded(ADAPTER, relay, "2+2")
    again = Tape.model_validate_json(tape.model_dump_json())
    assert again == tape
    _, served = rerun(ADAPTER, relay, "2+2", again)
    assert served == result


def test_turn_counts_go_on_after_a_pure_node_was_served() -> None:
    @aegis.trace
    def twice(question: str) -> str:
        return report(solve(report(plan(question))))

    _, tape, _ = recorded(ADAPTER, twice, "2+2")
    run, _ = rerun(ADAPTER, twice, "2+2", tape, target("Reporter", "response_corruption", "outgoing", turn=2))
    assert [(s.agent, s.turn) for s in run.trajectory().steps][-1] == ("Reporter", 2)
    assert run.trajectory().steps[-1].text.endswith("ALTERED")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(turns=2), "more than 2 turns"), (Limits(calls=1), "more than 1 calls"), (Limits(seconds=0), "0 s")],
)
def test_limits_end_a_run(limits: Limits, reason: str) -> None:
    ticks = iter(range(1000))
    run = Run(RunInfo(run_id="r"), limits=limits, clock=lambda: float(next(ticks)))
    with pytest.raises(RunLimitReached, match=reason), ADAPTER.attach(relay, run) as attachment:
        attachment.app("2+2")
    assert run.limit_reached
    assert run.error is None
