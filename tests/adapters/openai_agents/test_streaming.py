"""Streamed runs: recorded as they pass, left early, cancelled, served."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from agents import Agent, MaxTurnsExceeded, Runner, function_tool
from openai.types.responses import ResponseTextDeltaEvent

import aegis_core as aegis
from aegis_core.faults import Moment, Plan, Target
from aegis_core.plugins import default_plugins
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.testing.marking import MARK, Marks
from aegis_openai_agents.streams import joined, split
from aegis_openai_agents.testing.items import answer, asked, message
from tests.adapters.openai_agents.models import QUIET, Says, checked, hands_to, uses

pytestmark = pytest.mark.framework


@function_tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def _team():
    writer = Agent("Writer", model=Says("It is two in all."))
    clerk = Says(uses("add", a=1, b=1), ["Two.", hands_to("Writer", "c2")])
    return Agent("Clerk", tools=[add], handoffs=[writer], model=clerk)


async def _read(agent, **more):
    result = Runner.run_streamed(agent, "How many?", run_config=QUIET, **more)
    return result, [event async for event in result.stream_events()]


def _plain(event):
    data = getattr(event, "data", None)
    return event.type, getattr(event, "name", None), getattr(data, "type", None), getattr(data, "delta", None)


def told(run):
    return [(step.agent, step.kind, step.text) for step in run.trajectory.steps]


@pytest.mark.case("openai-agents-9")
@pytest.mark.case("openai-agents-1909")
@pytest.mark.case("openai-agents-2427")
def test_a_streamed_run_is_recorded_like_any_other_and_its_events_are_the_same():
    _, plain = asyncio.run(_read(_team()))

    async def play():
        with checked(_team()) as run:
            result, events = await _read(run.app)
        return run, result, events

    run, result, events = asyncio.run(play())

    assert [_plain(event) for event in events] == [_plain(event) for event in plain]
    assert result.final_output == run.trajectory.final_output == "It is two in all."
    assert told(run) == [
        ("Clerk", "tool_call", "add(a=1, b=1)"),
        ("Clerk", "tool_result", "2"),
        ("Clerk", "message", "Two."),
        ("Writer", "message", "It is two in all."),
    ]
    assert run.trajectory.steps[-1].usage.output_tokens == 3


@pytest.mark.case("openai-agents-4144")
def test_a_streamed_hand_off_is_no_tool_call():
    writer = Agent("Writer", model=Says("Done."))
    agent = Agent("Clerk", handoffs=[writer], model=Says(hands_to("Writer")))

    async def play():
        with checked(agent) as run:
            await _read(agent)
        return run

    assert [step.kind for step in asyncio.run(play()).trajectory.steps] == ["handoff", "message"]


@pytest.mark.case("openai-agents-10")
@pytest.mark.case("openai-agents-574")
def test_a_stream_that_is_left_early_keeps_what_was_said():
    async def play():
        with checked(_team()) as run:
            result = Runner.run_streamed(run.app, "How many?", run_config=QUIET)
            async with aclosing(result.stream_events()) as events:
                async for event in events:
                    if event.type == "run_item_stream_event":
                        break
        return run, result

    run, _ = asyncio.run(play())

    assert told(run)[:1] == [("Clerk", "tool_call", "add(a=1, b=1)")]
    assert not run.run.trouble


@pytest.mark.case("openai-agents-10")
@pytest.mark.case("openai-agents-1895")
@pytest.mark.parametrize("mode", ["immediate", "after_turn"])
def test_a_cancelled_stream_ends_and_leaves_nothing_attached(mode):
    agent = _team()
    model, invoker = agent.model, agent.tools[0].on_invoke_tool

    async def play():
        with checked(agent) as run:
            result = Runner.run_streamed(agent, "How many?", run_config=QUIET)
            async for event in result.stream_events():
                if event.type == "run_item_stream_event":
                    result.cancel(mode=mode)
        return run

    run = asyncio.run(play())

    assert agent.model is model
    assert agent.tools[0].on_invoke_tool is invoker
    assert not run.run.trouble
    assert told(run)[0] == ("Clerk", "tool_call", "add(a=1, b=1)")


@pytest.mark.case("openai-agents-10")
@pytest.mark.case("openai-agents-2222")
def test_a_timeout_while_a_streamed_tool_works_is_let_through():
    @function_tool
    async def wait() -> str:
        await asyncio.sleep(5)
        return "late"

    agent = Agent("Clerk", tools=[wait], model=Says(uses("wait"), "Done."))

    async def play():
        with checked(agent) as run:
            events = Runner.run_streamed(agent, "Go", run_config=QUIET).stream_events()

            async def read():
                while True:
                    await asyncio.wait_for(anext(events), timeout=0.2)

            with pytest.raises(asyncio.TimeoutError):
                await read()
        return run

    run = asyncio.run(play())

    assert told(run) == [("Clerk", "tool_call", "wait()")]


@pytest.mark.case("openai-agents-538")
def test_events_may_be_read_in_another_task_than_the_one_that_started_the_run():
    async def play():
        with checked(_team()) as run:
            result = Runner.run_streamed(run.app, "How many?", run_config=QUIET)

            async def read():
                return [event async for event in result.stream_events()]

            await asyncio.create_task(read())
        return run

    assert asyncio.run(play()).trajectory.final_output == "It is two in all."


@pytest.mark.case("openai-agents-9")
def test_a_stream_that_nobody_reads_is_recorded_when_its_task_ends():
    async def play():
        with checked(_team()) as run:
            result = Runner.run_streamed(run.app, "How many?", run_config=QUIET)
            while not result.is_complete:  # noqa: ASYNC110  nothing to wait for: nobody reads
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.01)
        return run

    assert asyncio.run(play()).trajectory.final_output == "It is two in all."


@pytest.mark.case("openai-agents-13")
def test_a_streamed_run_with_too_many_turns_has_no_end():
    number = iter(range(100))
    agent = Agent("Clerk", tools=[add], model=Says(lambda _: [uses("add", f"c{next(number)}", a=1, b=1)]))
    recording = aegis.record(agent)

    with pytest.raises(MaxTurnsExceeded), recording:
        asyncio.run(_read(agent, max_turns=2))

    assert recording.run.limit_reached
    assert [step.kind for step in recording.trajectory.steps if step.kind == "error"] == ["error"]


def test_a_stream_that_breaks_off_raises_what_its_model_raised():
    error = ConnectionError("line is down")
    agent = Agent("Solo", model=Says(error))
    recording = aegis.record(agent)

    with pytest.raises(ConnectionError) as raised, recording:
        asyncio.run(_read(agent))

    assert raised.value is error
    assert [(step.agent, step.kind) for step in recording.trajectory.steps] == [("Solo", "error")]
    assert recording.trajectory.error.type == "ConnectionError"


def _acted(agent, target=None, served=None):
    adapter = default_plugins().adapter("openai-agents")
    targets = [target] if target else []
    interventions = Interventions(Plan(targets=tuple(targets), seed=1), Marks()) if targets else None
    replay = Replay(served, targets) if served is not None else None
    info = RunInfo("r", task="How many?", agents=adapter.agents(agent))
    run = Run(info, replay=replay, interventions=interventions, normalise=adapter.normalise)

    async def play():
        with adapter.attach(agent, run):
            return await _read(agent)

    return run, *asyncio.run(play())


@pytest.mark.case("openai-agents-9")
def test_a_streamed_run_is_served_from_the_tape_of_a_plain_one():
    async def clean():
        with checked(_team()) as run:
            await Runner.run(run.app, "How many?", run_config=QUIET)
        return run

    recording = asyncio.run(clean())
    agent = _team()

    run, result, events = _acted(agent, served=recording.tape)

    assert not run.void
    assert agent.model.shown == agent.handoffs[0].model.shown == []
    assert result.final_output == "It is two in all."
    deltas = [event.data.delta for event in events if isinstance(getattr(event, "data", None), ResponseTextDeltaEvent)]
    assert "".join(deltas) == "Two.It is two in all."


@pytest.mark.case("openai-agents-9")
@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_an_altered_stream_agrees_with_what_came_of_it(scope):
    target = Target(moment=Moment(agent="Writer"), strategy="response_corruption", scope=scope, mode="FM-2.6")

    run, result, events = _acted(_team(), target)

    assert MARK in result.final_output
    deltas = [event.data.delta for event in events if isinstance(getattr(event, "data", None), ResponseTextDeltaEvent)]
    assert "".join(deltas).endswith(result.final_output)
    assert run.ledger().interventions[0].fired


def test_events_made_of_an_answer_come_to_the_same_answer():
    whole = answer(message("Let me see."), asked("add", {"a": 1}, call_id="c1"), input_tokens=5, output_tokens=2)

    again = joined(split(whole))

    assert again.output == whole.output
    assert (again.usage.input_tokens, again.usage.output_tokens) == (5, 2)
    assert joined([]) is None
