"""Altering runs: how far each alteration reaches, and whom it leaves alone."""

from __future__ import annotations

import asyncio
import json

import pytest
from agents import Agent, Runner, function_tool, handoff
from pydantic import BaseModel

import aegis_core as aegis
from aegis_core.faults import Moment, Plan, Target
from aegis_core.plugins import default_plugins
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.testing.marking import MARK, Marks, Redirects
from tests.adapters.openai_agents.models import QUIET, Says, hands_to, uses

pytestmark = pytest.mark.framework

TASK = "How many crates are in hall 27?"


def acted(agent, target, *, served=None, injector=None, start=None):
    """Runs an agent with one alteration; gives the run and the result."""
    adapter = default_plugins().adapter("openai-agents")
    interventions = Interventions(Plan(targets=(target,), seed=1), injector or Marks())
    replay = Replay(served, [target]) if served is not None else None
    info = RunInfo("r", task=TASK, agents=adapter.agents(agent))
    run = Run(info, replay=replay, interventions=interventions, normalise=adapter.normalise)

    async def play():
        with adapter.attach(agent, run):
            return await (start or (lambda agent: Runner.run(agent, TASK, run_config=QUIET)))(agent)

    result = asyncio.run(play())
    (entry,) = run.ledger().interventions
    assert entry.fired, entry.reason
    return run, result


def at(agent, strategy, scope, turn=1, branch=""):
    return Target(moment=Moment(agent=agent, turn=turn, branch=branch), strategy=strategy, scope=scope, mode="FM-2.6")


def dumped(value):
    return [json.dumps(value, ensure_ascii=False)]


def marked(texts):
    return any(MARK in text for text in texts)


@function_tool
def stock(place: str) -> str:
    """Looks it up."""
    return f"40 crates are in {place}"


def pair():
    writer = Agent("Writer", instructions="You write.", model=Says(["A draft of it.", hands_to("Critic")], "The end."))
    critic = Agent("Critic", handoffs=[writer], model=Says(["It is too short.", hands_to("Writer", "c2")]))
    writer.handoffs.append(critic)
    return writer, critic


def test_who_is_told_something_for_good_sees_it_again_and_nobody_else_does():
    writer, critic = pair()

    run, result = acted(writer, at("Writer", "prompt_injection", "persistent"))

    assert [marked(shown) for shown in writer.model.shown] == [True, True]
    assert not marked(critic.model.shown[0])
    assert not marked(dumped(result.to_input_list()))
    assert MARK not in run.trajectory().model_dump_json()


def test_who_is_told_something_for_one_call_does_not_see_it_again():
    writer, critic = pair()

    _, result = acted(writer, at("Writer", "prompt_injection", "ephemeral"))

    assert [marked(shown) for shown in writer.model.shown] == [True, False]
    assert not marked(critic.model.shown[0])
    assert not marked(dumped(result.to_input_list()))


def test_what_was_told_for_good_is_there_in_all_calls_of_the_turn():
    agent = Agent("Clerk", tools=[stock], model=Says(uses("stock", place="27"), "40."))

    acted(agent, at("Clerk", "prompt_injection", "persistent"))

    assert [marked(shown) for shown in agent.model.shown] == [True, True]


@pytest.mark.parametrize(("scope", "author_sees"), [("outgoing", False), ("belief", True)])
def test_an_altered_message_reaches_the_others_and_its_author_as_far_as_the_scope_says(scope, author_sees):
    writer, critic = pair()

    run, result = acted(writer, at("Writer", "response_corruption", scope))

    assert marked(critic.model.shown[0])
    assert marked(writer.model.shown[1]) == author_sees
    assert ("A draft of it." in writer.model.shown[1]) != author_sees
    assert marked(dumped(result.to_input_list()))
    assert MARK in run.trajectory().steps[0].text


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_an_altered_answer_is_the_answer_of_the_run(scope):
    agent = Agent("Solo", model=Says("42"))

    run, result = acted(agent, at("Solo", "response_corruption", scope))

    assert MARK in result.final_output
    assert run.trajectory().final_output == result.final_output


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_an_altered_answer_of_a_nested_agent_is_the_result_of_the_tool(scope):
    helper = Agent("Helper", model=Says("It is two."))
    lead = Agent("Lead", tools=[helper.as_tool("help", "Helps.")], model=Says(uses("help", input="x"), "Fine."))

    acted(lead, at("Lead/Helper", "response_corruption", scope))

    assert marked(lead.model.shown[1])


def test_a_tools_result_is_altered_for_the_model_and_the_tool_was_called_as_ever():
    agent = Agent("Clerk", tools=[stock], model=Says(uses("stock", place="27"), "40."))

    run, _ = acted(agent, at("Clerk", "environment", "call"))

    assert [marked(shown) for shown in agent.model.shown] == [False, True]
    result = next(step for step in run.trajectory().steps if step.kind == "tool_result")
    assert MARK in result.text


class Sum(BaseModel):
    total: int
    words: str


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_structured_output_is_altered_in_its_texts_and_stays_valid(scope):
    agent = Agent("Adder", output_type=Sum, model=Says(json.dumps({"total": 5, "words": "five"})))

    run, result = acted(agent, at("Adder", "response_corruption", scope))

    assert result.final_output.total == 5
    assert MARK in result.final_output.words
    assert run.trajectory().steps[0].content[0].data == {"total": 5, "words": result.final_output.words}


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_what_is_handed_over_with_a_hand_off_can_be_altered(scope):
    taken = []

    class Reason(BaseModel):
        why: str

    async def on_handoff(context, given: Reason):
        taken.append(given.why)

    over = handoff(Agent("Writer", model=Says("Done.")), on_handoff=on_handoff, input_type=Reason)
    agent = Agent("Clerk", handoffs=[over], model=Says(hands_to("Writer", why="too long")))

    run, _ = acted(agent, at("Clerk", "response_corruption", scope))

    assert marked(taken)
    assert run.trajectory().steps[0].content[0].data["args"] == {"why": taken[0]}


def test_a_hand_off_is_sent_to_another_agent():
    others = [Agent(name, model=Says(f"{name} here.")) for name in ("Billing", "Refunds")]
    triage = Agent("Triage", handoffs=others, model=Says(hands_to("Billing")))

    run, result = acted(triage, at("Triage", "response_corruption", "outgoing"), injector=Redirects("Refunds"))

    assert result.last_agent.name == "Refunds"
    assert run.trajectory().steps[0].addressed_to == ("Refunds",)
    assert not run.void


def test_a_hand_off_that_cannot_be_sent_there_proves_nothing():
    class Reason(BaseModel):
        why: str

    async def on_handoff(context, given: Reason):
        return None

    plain = Agent("Billing", model=Says("Billing here."))
    strict = handoff(Agent("Refunds", model=Says("no")), on_handoff=on_handoff, input_type=Reason)
    triage = Agent("Triage", handoffs=[plain, strict], model=Says(hands_to("Billing")))

    assert not default_plugins().adapter("openai-agents").capabilities(triage).redirect
    run, result = acted(triage, at("Triage", "response_corruption", "outgoing"), injector=Redirects("Refunds"))

    assert result.last_agent is plain
    assert "can't hand over" in run.void


@pytest.mark.case("openai-agents-N12")
def test_one_of_two_parallel_turns_of_an_agent_is_altered_and_the_other_is_not():
    helper = Agent("Helper", model=Says(lambda shown: f"about {shown[-1]}"))
    asks = [uses("help", "c1", input="first"), uses("help", "c2", input="second")]
    lead = Agent("Lead", tools=[helper.as_tool("help", "Helps.")], model=Says(asks, "Done."))

    run, _ = acted(lead, at("Lead/Helper", "response_corruption", "outgoing", branch="2"))

    said = {step.branch: step.text for step in run.trajectory().steps if step.agent == "Lead/Helper"}
    assert said["1"] == "about first"
    assert MARK in said["2"]


def test_what_a_session_keeps_is_the_altered_output_and_never_the_injection():
    from agents import SQLiteSession

    writer, critic = pair()
    for strategy, scope, kept in (("prompt_injection", "persistent", False), ("response_corruption", "outgoing", True)):
        writer, critic = pair()
        session = SQLiteSession(scope)

        async def start(agent, session=session):
            await Runner.run(agent, TASK, session=session, run_config=QUIET)
            return await session.get_items()

        _, items = acted(writer, at("Writer", strategy, scope), start=start)
        session.close()

        assert marked(dumped(items)) == kept
    del critic


def test_a_served_run_goes_live_behind_the_target_alone():
    async def clean():
        with aegis.record(pair()[0]) as run:
            await Runner.run(run.app, TASK, run_config=QUIET)
        return run.tape

    tape = asyncio.run(clean())
    writer, critic = pair()
    critic.model.answers = [["Read it.", hands_to("Writer", "c2")]]

    run, _ = acted(writer, at("Writer", "response_corruption", "outgoing"), served=tape)

    assert not run.void
    assert len(critic.model.shown) == 1
    assert marked(critic.model.shown[0])
    assert len(writer.model.shown) == 1
