"""Calls inside a turn: what is watched only, and tools in which other agents act."""

from __future__ import annotations

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.adapter import Part
from aegis_core.errors import RunLimitReached
from aegis_core.run import Limits, Replay, Run, RunInfo
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
