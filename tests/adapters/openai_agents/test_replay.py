"""Serving runs from a tape: tools with agents inside, results of all kinds, and runs that leave the tape."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent, Runner, ToolOutputText, function_tool
from pydantic import BaseModel

from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.faults import Moment, Target
from aegis_core.plugins import default_plugins
from aegis_core.run import Limits, Replay, Run, RunInfo
from aegis_openai_agents.responses import Reading, ResponseCodec
from aegis_openai_agents.results import ResultCodec
from aegis_openai_agents.testing.items import answer, asked, message
from tests.adapters.openai_agents.models import QUIET, Says, checked, uses

pytestmark = pytest.mark.framework

ADAPTER = default_plugins().adapter("openai-agents")


def recorded(agent, task="Go"):
    async def play():
        with checked(agent) as run:
            await Runner.run(agent, task, run_config=QUIET)
        return run

    return asyncio.run(play())


def served(agent, tape, *targets, task="Go", limits=None):
    info = RunInfo("r", agents=ADAPTER.agents(agent))
    replay = Replay(tape, targets) if tape is not None else None
    run = Run(info, replay=replay, normalise=ADAPTER.normalise, limits=limits)

    async def play():
        with ADAPTER.attach(agent, run):
            return await Runner.run(agent, task, run_config=QUIET)

    return run, asyncio.run(play())


def steps(run):
    trajectory = run.trajectory() if callable(run.trajectory) else run.trajectory
    return [(step.agent, step.branch, step.turn, step.kind, step.text) for step in trajectory.steps]


used = []


@function_tool
def stock(place: str) -> str:
    """Looks it up."""
    used.append(place)
    if place == "nowhere":
        raise KeyError(place)
    return f"40 crates are in {place}"


def team(question="27"):
    helper = Agent("Helper", tools=[stock], model=Says(uses("stock", "c9", place=question), "40 of them."))
    lead = Says(
        uses("help", "c1", input="count"), [uses("stock", "c2", place="28"), uses("stock", "c3", place="29")], "Done."
    )
    return Agent("Lead", tools=[helper.as_tool("help", "Helps."), stock], model=lead), helper


@pytest.mark.parametrize("question", ["27", "nowhere"])
def test_a_run_with_nested_agents_and_tools_is_served_whole(question):
    clean = recorded(team(question)[0])
    used.clear()
    lead, helper = team(question)

    run, result = served(lead, clean.tape)

    assert not run.void
    assert steps(run) == steps(clean)
    assert lead.model.shown == helper.model.shown == used == []
    assert result.final_output == "Done."
    assert [step.content for step in run.trajectory().steps] == [step.content for step in clean.trajectory.steps]


def test_a_target_inside_a_tool_has_what_is_before_it_served_and_the_rest_live():
    clean = recorded(team()[0])
    used.clear()
    lead, helper = team()
    lead.model.answers, helper.model.answers = lead.model.answers[1:], ["40 of them."]
    target = Target(moment=Moment(agent="Lead/Helper"), strategy="response_corruption", scope="outgoing", mode="FM-2.6")

    from aegis_core.faults import Plan
    from aegis_core.run import Interventions
    from aegis_core.testing.marking import MARK, Marks

    run = Run(
        RunInfo("r", agents=ADAPTER.agents(lead)),
        replay=Replay(clean.tape, [target]),
        interventions=Interventions(Plan(targets=(target,), seed=1), Marks()),
        normalise=ADAPTER.normalise,
    )

    async def play():
        with ADAPTER.attach(lead, run):
            return await Runner.run(lead, "Go", run_config=QUIET)

    asyncio.run(play())

    assert not run.void
    assert helper.model.shown == []
    assert used == ["28", "29"]
    assert any(MARK in text for text in lead.model.shown[0])


def test_a_drift_inside_a_nested_agent_ends_the_run_though_the_sdk_makes_a_text_of_errors():
    clean = recorded(team()[0])
    lead, helper = team()
    helper.instructions = "Something else."

    target = Target(moment=Moment(agent="Lead/Helper"), strategy="response_corruption", scope="outgoing", mode="FM-2.6")

    with pytest.raises(ReplayDrift):
        served(lead, clean.tape, target)

    assert helper.model.shown == []


def test_a_limit_inside_a_nested_agent_ends_the_run():
    lead, _ = team()

    with pytest.raises(RunLimitReached):
        served(lead, None, limits=Limits(turns=1))


def test_another_task_is_a_drift():
    clean = recorded(team()[0])
    target = Target(moment=Moment(agent="Lead"), strategy="response_corruption", scope="outgoing", mode="FM-2.6")

    with pytest.raises(ReplayDrift):
        served(team()[0], clean.tape, target, task="Something else")


class Point(BaseModel):
    x: int


@pytest.mark.parametrize("result", ["text", 5, None, [1, {"a": "b"}], ToolOutputText(text="told")])
def test_results_of_tools_come_back_equal(result):
    codec = ResultCodec()

    assert codec.decode(codec.encode(result)) == result


def test_a_result_without_a_plain_form_comes_back_as_the_text_that_the_model_is_shown():
    codec = ResultCodec()

    assert codec.decode(codec.encode(Point(x=1))) == str(Point(x=1)) == "x=1"
    assert codec.parts(Point(x=1))[0].text == "x=1"
    assert codec.write(ToolOutputText(text="told"), {"result": "other"}) == ToolOutputText(text="other")


def test_answers_of_models_come_back_equal():
    whole = answer(message("Let me see."), asked("stock", {"place": "27"}, call_id="c1"), input_tokens=5)
    codec = ResponseCodec(Reading())

    again = codec.decode(codec.encode(whole))

    assert again == whole
    assert again.output[0] is not whole.output[0]


def test_random_ids_and_times_in_texts_and_authors_do_not_count():
    def request(text, author=""):
        return {"parts": [["user", author, "message", text, None]], "extra": None}

    first = request("At 2026-11-30T20:50:19Z: call_0123456789abcdef0123", "Writer")
    second = request("At 2026-12-01T08:00:00Z: call_fedcba98765432100000")

    assert ADAPTER.normalise(first) == ADAPTER.normalise(second)
    assert ADAPTER.normalise(request("hall 27")) != ADAPTER.normalise(request("hall 28"))
