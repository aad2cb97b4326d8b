"""What of a turn is recorded beside its answer, what is swapped between turns, and who is shown an injection."""

import pytest
from camel.agents import ChatAgent
from camel.models import ModelManager
from camel.terminators import ResponseWordsTerminator
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_camel.adapter import CamelAdapter
from aegis_camel.ensemble import Ensemble
from aegis_camel.models import is_tapped
from aegis_camel.testing.scripted import completion
from tests.adapters.camel.teams import (
    MARK,
    Answer,
    Log,
    acted,
    agent,
    answering,
    asks,
    kinds,
    pair,
    result,
    target,
    workforce,
)
from tests.adapters.camel.teams import task as question
from tests.adapters.camel.test_agents import add, usage


def own(trajectory):
    return [(step.kind, step.text) for step in trajectory.steps if step.agent == "Agent"]


def test_an_answer_that_a_terminator_lets_go_on_is_a_thought_with_its_usage():
    log = Log()
    clerk = ChatAgent(
        "You are Clerk.", model=answering(log, "Clerk", ["Well, 40.", "STOP: 320."]),
        response_terminators=[ResponseWordsTerminator({"STOP": 1})],
    )  # fmt: skip
    with aegis.record(clerk) as run:
        response = clerk.step("How many?")
    assert own(run.trajectory) == [("thought", "Well, 40."), ("message", "STOP: 320.")]
    assert usage(run.trajectory) == response.info["usage"]["total_tokens"] == 20
    assert run.trajectory.final_output == "STOP: 320."


def test_what_was_said_before_an_exception_stands_and_so_does_what_it_took():
    clerk = ChatAgent(
        "You are Clerk.", model=answering(Log(), "Clerk", ["Well, 40.", asks("add", a=2, b=3), ValueError("down")]),
        response_terminators=[ResponseWordsTerminator({"STOP": 1})], tools=[FunctionTool(add)],
    )  # fmt: skip
    with aegis.record(clerk) as run, pytest.raises(ValueError, match="down"):
        clerk.step("How many?")
    assert [kind for kind, _ in own(run.trajectory)] == ["thought", "tool_call", "tool_result", "error"]
    assert usage(run.trajectory) == 20


def test_what_was_spent_on_an_answer_without_words_is_told_with_the_next_step():
    clerk = ChatAgent(
        "You are Clerk.", model=answering(Log(), "Clerk", ["", "STOP: 320."]),
        response_terminators=[ResponseWordsTerminator({"STOP": 1})],
    )  # fmt: skip
    with aegis.record(clerk) as run:
        clerk.step("How many?")
    assert own(run.trajectory) == [("message", "STOP: 320.")]
    assert usage(run.trajectory) == 20


def test_usage_of_an_answer_with_words_and_an_external_tool_is_told_once():
    said = completion("Let me see.", [{"id": "call_1", "name": "add", "arguments": {"a": 2, "b": 3}}])
    clerk = agent(Log(), "Clerk", said, external_tools=[FunctionTool(add)])
    with aegis.record(clerk) as run:
        clerk.step("What is 2 + 3?")
    assert usage(run.trajectory) == 10


@pytest.mark.parametrize("text", ['{"answer": "forty", "crates": 40}', '```json\n{"v": 3}\n```', "[1, 2]"])
def test_an_answer_that_is_data_is_the_final_output_word_by_word(text):
    clerk = agent(Log(), "Clerk", text)
    with aegis.record(clerk) as run:
        response = clerk.step("How many?", response_format=Answer if "crates" in text else None)
    assert run.trajectory.final_output == text == response.msgs[0].content == CamelAdapter().output(response)


def test_a_model_that_is_swapped_inside_of_a_block_is_tapped_and_stays():
    clerk = agent(Log(), "Clerk", "one")
    new = ModelManager(answering(Log(), "Clerk", "two"))
    with aegis.record(clerk) as run:
        clerk.step("First?")
        clerk.model_backend = new
        assert clerk.step("Second?").msgs[0].content == "two"
    assert [(step.text, step.model) for step in run.trajectory.steps if step.agent == "Agent"] == [
        ("one", "scripted"),
        ("two", "scripted"),
    ]
    assert usage(run.trajectory) == 20
    assert clerk.model_backend is new
    assert not is_tapped(clerk)
    assert "run" not in vars(new)


def test_a_tool_that_is_added_inside_of_a_block_is_tapped_and_stays():
    clerk = agent(Log(), "Clerk", [asks("add", a=2, b=3), "It is 5."])
    late = FunctionTool(add)
    with aegis.record(clerk) as run:
        clerk.add_tool(late)
        clerk.step("What is 2 + 3?")
    assert [entry.key.name for entry in run.tape.entries if entry.key.kind == "tool"] == ["add"]
    assert clerk.tool_dict["add"] is late


def test_an_agent_that_is_quoted_to_itself_is_quoted_as_it_spoke_and_others_are_quoted_as_they_did():
    log = Log()
    writer = agent(log, "Writer", ["Hall 27 holds 40 crates.", "Yes."])
    critic = agent(log, "Critic", lambda texts: f"You say: {texts[-1]} Is that so?")

    def entry(text):
        draft = writer.step(text).msgs[0].content
        review = critic.step(draft).msgs[0].content
        return writer.step(f"Your draft:\n{draft}\n\nThe review:\n{review}").msgs[0].content

    team = Ensemble(entry, {"Writer": writer, "Critic": critic})
    acted(team, lambda app: app("How many?"), target("Writer", "response_corruption", "outgoing"))
    draft, review = log.last("Writer").split("\n\n")
    assert draft == "Your draft:\nHall 27 holds 40 crates."
    assert MARK in review, "what the critic said is the critic's"


def society(log):
    critic = {"model": answering(log, "critic", "1: it is good.")}
    made = pair(log, "Instruction", "Solution", with_critic_in_the_loop=True, critic_kwargs=critic)

    def play(app):
        assistant, _ = app.step(app.init_chat())
        app.step(assistant.msgs[0])

    return made, play


def crew(log):
    made = workforce(log, {"Alice": result("Hall 27 holds 40 crates."), "Bob": result("So there are 320 bottles.")})
    return made, lambda app: app.process_task(question())


@pytest.mark.filterwarnings("ignore:Chat history window size limit")  # the critic remembers little, as CAMEL makes it
@pytest.mark.parametrize("build", [society, crew])
def test_what_one_agent_is_told_for_good_is_shown_to_no_other(build):
    made, play = build(Log())
    with aegis.record(made) as run:
        play(made)
    moments = dict.fromkeys((step.agent, step.turn, step.branch) for step in run.trajectory.steps)
    for name, turn, branch in moments:
        log = Log()
        app, play = build(log)
        altered = acted(app, play, target(name, "prompt_injection", "persistent", turn=turn, branch=branch))
        assert altered.ledger().interventions[0].fired, (name, turn, branch)
        shown = {who for who, texts in log if any(MARK in text for text in texts)}
        assert shown == {name}, (name, turn, branch)
    assert kinds(run.trajectory)
