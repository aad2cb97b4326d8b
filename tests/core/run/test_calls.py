"""Calls inside a turn: what is watched only, and tools in which other agents act."""

from __future__ import annotations

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.adapter import Part
from aegis_core.errors import RunLimitReached
from aegis_core.run import Limits, Replay, Run, RunInfo
from aegis_core.trace.agents import ValueCodec
from tests.core.run.systems import recorded, rerun

asked: list[str] = []


@aegis.agent("Expert")
def expert(question: str) -> str:
    asked.append(question)
    return f"opinion on {question}"


@aegis.tool
def consult(question: str) -> str:
    return expert(question)


@aegis.agent("Boss")
def boss(task: str) -> str:
    return f"decided: {consult(task)}"


@aegis.trace
def ask(task: str) -> str:
    return boss(task)


def test_a_call_that_is_only_watched_is_on_the_tape_and_counts() -> None:
    run = Run(RunInfo(run_id="r"), limits=Limits(calls=1))
    turn = run.begin_turn("a", (Part(id="in", text="hi"),))
    run.record_call(turn, "model", (Part(id="p", text="prompt"),), {"text": "answer"})
    entry = run.tape().entries[-1]
    assert (entry.key.kind, entry.key.call, entry.payload) == ("model", 1, {"text": "answer"})
    assert run.live_model_calls == 1
    with pytest.raises(RunLimitReached):
        run.record_call(turn, "model", (), None)


def test_a_tool_is_served_with_the_turns_of_the_agents_inside_it() -> None:
    clean, tape, result = recorded(CallablesAdapter(), ask, "it")
    asked.clear()
    run, again = rerun(CallablesAdapter(), ask, "it", tape)
    assert (again, asked) == (result, [])
    assert [(step.agent, step.kind, step.text) for step in run.trajectory().steps] == [
        (step.agent, step.kind, step.text) for step in clean.steps
    ]
    assert [entry.key for entry in run.tape().entries] == [entry.key for entry in tape.entries]


def test_a_target_inside_a_tool_is_reached_though_the_tool_is_on_the_tape() -> None:
    _, tape, _ = recorded(CallablesAdapter(), ask, "it")
    replay = Replay(tape, ())
    tool = next(entry for entry in tape.entries if entry.key.kind == "tool")
    assert [str(moment) for moment in tool.inner_turns] == ["Expert turn 1"]
    assert replay.inside(tool) == tuple(entry for entry in tape.entries if entry.key.moment.agent == "Expert")


def test_what_was_sent_may_be_seen_only_while_the_call_is_made() -> None:
    state, shown = (Part(id=text, text=text) for text in ("state", "shown"))
    tapes = []
    for request in (None, lambda: [shown]):
        run = Run(RunInfo(run_id="r"))
        turn = run.begin_turn("a", [state])
        run.call(turn, "model", [state], lambda _: "x", ValueCodec(), request=request)
        with pytest.raises(ValueError, match="no"):
            run.call(turn, "model", [state], failing, ValueCodec(), request=request)
        tapes.append([entry for entry in run.tape().entries if entry.key.kind == "model"])
    assert [[part.text for part in entry.request] for entry in tapes[1]] == [["shown"], ["shown"]]
    assert [entry.request_hash for entry in tapes[0]] == [entry.request_hash for entry in tapes[1]]


def failing(_: object) -> str:
    raise ValueError("no")


def test_a_call_that_is_watched_hashes_like_one_that_is_made() -> None:
    run = Run(RunInfo(run_id="r"))
    turn, part = run.begin_turn("a", ()), Part(id="p", text="prompt")
    run.record_call(turn, "model", [part], "x", extra={"tools": ["stock"]})
    run.call(turn, "model", [part], lambda _: "x", ValueCodec(), extra={"tools": ["stock"]})
    watched, made = (entry for entry in run.tape().entries if entry.key.kind == "model")
    assert watched.request_hash == made.request_hash


def test_calls_stand_on_the_tape_by_their_order_inside_the_turn() -> None:
    run = Run(RunInfo(run_id="r"))
    turn = run.begin_turn("a", (), order=(1,))
    for number in (2, 1):
        run.call(turn, "model", [Part(id="p", text=str(number))], lambda _: "x", ValueCodec(), order=(1, number))
    run.end_turn(turn, ())
    assert [[part.text for part in entry.request] for entry in run.tape().entries] == [[], ["1"], ["2"], []]


def test_a_delivery_names_the_steps_that_it_became() -> None:
    run = Run(RunInfo(run_id="r"))
    first = run.end_turn(run.begin_turn("a", ()), [Part(id="1", text="one"), Part(id="2", text="two")])
    run.end_turn(run.begin_turn("b", (), parents=first.steps[1:]), [Part(id="3", text="three")])
    assert first.steps == (0, 1)
    assert run.trajectory().steps[2].parents == (1,)
