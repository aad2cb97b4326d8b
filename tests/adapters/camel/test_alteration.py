"""What can be altered beside the texts of plain messages: tools, streams, data."""

import asyncio
import json

import pytest
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_camel.adapter import CamelAdapter
from aegis_camel.ensemble import Ensemble
from aegis_core.adapter import Site
from aegis_core.run.canonical import canonical
from tests.adapters.camel.teams import MARK, Answer, Log, acted, agent, asks, pair, result, target, workforce


def look_up(place: str) -> str:
    """Look something up.

    Args:
        place (str): Where.
    """
    return f"{place} holds 40 crates of bottles."


def clerk(log: Log, used: list[str], **more):
    def tool(place: str) -> str:
        used.append(place)
        return look_up(place)

    tool.__name__, tool.__doc__ = "look_up", look_up.__doc__
    return agent(log, "Clerk", [asks("look_up", place="hall 27"), "Found."], tools=[FunctionTool(tool)], **more)


def test_altered_arguments_of_a_tool_are_what_it_is_called_with():
    log, used = Log(), []
    run = acted(clerk(log, used), lambda app: app.step("How many?"), target("Agent", "response_corruption", "belief"))
    assert used == [f"hall 27 {MARK}"]
    assert run.trajectory().steps[0].content[0].data["args"] == {"place": f"hall 27 {MARK}"}


@pytest.mark.parametrize("stream", [False, True])
def test_an_altered_result_of_a_tool_is_what_the_model_is_shown(stream):
    log, used = Log(), []
    app = clerk(log, used, stream=stream)
    run = acted(app, lambda app: list(app.step("How many?")), target("Agent", "environment", "call"))
    assert used == ["hall 27"]
    assert MARK in log.last("Clerk")
    assert MARK in run.trajectory().steps[1].text


def test_tools_are_served_in_a_step_of_a_coroutine_too():
    used: list[str] = []
    one = clerk(Log(), used)
    with aegis.record(one) as clean:
        asyncio.run(one.astep("How many?"))
    log = Log()
    run = acted(clerk(log, used), lambda app: asyncio.run(app.astep("How many?")), served=clean.tape)
    assert used == ["hall 27"]
    assert not log
    assert [step.text for step in run.trajectory().steps] == [step.text for step in clean.trajectory.steps]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_a_stream_that_is_altered_is_altered_as_a_whole(asynchronous, accumulate, scope):
    log = Log()
    writer = agent(log, "Writer", "Hall 27 holds 40 crates.", stream=True)
    writer.stream_accumulate = accumulate

    async def listen() -> list:
        return [chunk async for chunk in await writer.astep("How many?")]

    chunks: list = []
    run = acted(
        writer,
        lambda app: chunks.extend(asyncio.run(listen()) if asynchronous else list(app.step("How many?"))),
        target("Agent", "response_corruption", scope),
    )
    told = [chunk.msgs[0].content for chunk in chunks if chunk.msgs]
    whole = told[-1] if accumulate else "".join(told)
    assert whole == f"Hall 27 holds 40 crates. {MARK}"
    assert run.trajectory().steps[0].text == whole
    remembered = str(writer.chat_history[-1]["content"])
    assert (MARK in remembered) is (scope == "belief")


def test_an_answer_that_was_parsed_is_parsed_again_when_it_is_altered():
    writer = agent(Log(), "Writer", '{"answer": "Forty crates, as counted.", "crates": 40}')
    responses = []
    acted(
        writer,
        lambda app: responses.append(app.step("How many?", response_format=Answer)),
        target("Agent", "response_corruption", "outgoing"),
    )
    (message,) = responses[0].msgs
    assert message.parsed == Answer(answer=f"Forty crates, as counted. {MARK}", crates=40)
    assert json.loads(message.content)["crates"] == 40
    assert MARK not in str(writer.chat_history[-1]["content"])


def test_an_object_that_others_hold_is_never_written_into():
    log = Log()
    society = pair(log, "Instruction", "Solution")
    told = society.init_chat("Give me an instruction.")
    acted(society, lambda app: app.step(told), target("Trader", "prompt_injection", "persistent"))
    assert told.content == "Give me an instruction."
    assert MARK in log.of("Trader")[0][-1]


def test_agents_with_one_memory_are_offered_nothing_that_would_stay_in_it():
    log = Log()
    one, other = agent(log, "One", "1"), agent(log, "Other", "2")
    other.memory = one.memory
    persistent = Site(strategy="prompt_injection", scope="persistent")
    apart = Ensemble(print, {"One": agent(log, "One", "1"), "Other": agent(log, "Other", "2")})
    assert persistent in CamelAdapter().capabilities(apart).sites
    together = Ensemble(lambda task: (one.step(task), other.step(task)), {"One": one, "Other": other})
    assert persistent not in CamelAdapter().capabilities(together).sites
    run = acted(together, lambda app: app("go"), target("One", "prompt_injection", "persistent"))
    assert not run.ledger().interventions[0].fired
    shared = workforce(log, {"Alice": result("ok")}, share_memory=True)
    assert persistent not in CamelAdapter().capabilities(shared).sites


def test_what_a_workforce_goes_on_by_can_not_be_altered():
    log = Log()
    crew = workforce(log, {"Alice": result("Hall 27 holds 40 crates.")}, tasks=["Gather the facts."])
    from tests.adapters.camel.teams import task

    run = acted(crew, lambda app: app.process_task(task()), target("Coordinator", "response_corruption", "outgoing"))
    assert run.ledger().interventions[0].reason == "refused: no part of this site may be edited"
    assert run.trajectory().final_output


def test_a_served_run_with_a_tool_makes_no_call_before_its_target_in_a_later_agent():
    def build(log: Log, used: list[str]) -> Ensemble:
        first, second = clerk(log, used), agent(log, "Writer", "Written.")

        def entry(task: str) -> str:
            return str(second.step(first.step(task).msgs[0].content).msgs[0].content)

        return Ensemble(entry, {"Clerk": first, "Writer": second})

    used: list[str] = []
    team = build(Log(), used)
    with aegis.record(team) as clean:
        team("How many?")
    tape = canonical(clean.trajectory, clean.tape, clean.run.ledger())[1]
    log = Log()
    run = acted(
        build(log, used), lambda app: app("How many?"), target("Writer", "prompt_injection", "ephemeral"), served=tape
    )
    assert used == ["hall 27"]
    assert [name for name, _ in log] == ["Writer"]
    assert not run.void
