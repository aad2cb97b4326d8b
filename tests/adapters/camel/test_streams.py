"""Streams: what is recorded of one that is left, that uses tools, or that is of a kind of its own."""

import asyncio
import contextlib
from contextlib import aclosing

import pytest
from camel.agents import ChatAgent
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_camel.adapter import CamelAdapter
from aegis_camel.testing.scripted import ScriptedModel, completion
from aegis_camel.texts.pieces import pieces
from aegis_core.errors import RecorderWarning
from tests.adapters.camel.teams import Log, agent, kinds, said
from tests.adapters.camel.test_agents import add, usage

_CALL = {"id": "call_1", "name": "add", "arguments": {"a": 2, "b": 3}}


def writer(stream_accumulate: bool = False, **more) -> ChatAgent:
    made = agent(Log(), "Writer", ["There are 40 crates in it.", "No more."], stream=True, **more)
    made.stream_accumulate = stream_accumulate
    return made


@pytest.mark.parametrize("accumulate", [False, True])
def test_of_a_stream_that_is_left_the_words_that_were_given_stand(accumulate):
    one = writer(accumulate)
    with aegis.record(one) as run:
        for chunk in one.step("How many?"):
            first = chunk.msgs[0].content
            break
        last = [chunk.msgs[0].content for chunk in one.step("And then?")]
    answer = last[-1] if accumulate else "".join(last)
    assert said(run.trajectory) == [("Agent", first), ("user", "And then?"), ("Agent", answer)]
    assert "There are 40 crates in it.".startswith(first)
    assert not run.run.trouble


def test_of_a_stream_that_is_left_the_usage_stands_if_it_was_told():
    one = writer()
    with aegis.record(one) as run:
        for chunk in one.step("How many?"):
            if chunk.info["usage"]["total_tokens"]:
                break
    assert said(run.trajectory) == [("Agent", "There are 40 crates in it.")]
    assert usage(run.trajectory) == 10
    assert [entry.key.kind for entry in run.tape.entries] == ["input", "model", "output"]


def test_an_asynchronous_stream_that_is_left_stands_too_whoever_closes_it():
    async def play(one, *, closes: bool) -> str:
        said = ""
        chunks = aiter(await one.astep("How many?"))
        async with aclosing(chunks) if closes else contextlib.nullcontext():  # or left to the loop, which cancels it
            async for chunk in chunks:
                said = chunk.msgs[0].content
                break
        return said

    for closes in (True, False):
        one = writer()
        with aegis.record(one) as run:
            first = asyncio.run(play(one, closes=closes))
        assert said(run.trajectory) == [("Agent", first)] == [(step.agent, step.text) for step in run.trajectory.steps]


def test_a_stream_that_is_open_when_the_run_ends_stands_with_what_was_given_and_goes_on_unrecorded():
    one = writer()
    with aegis.record(one) as run:
        chunks = iter(one.step("How many?"))
        first = next(chunks).msgs[0].content
    before = run.trajectory
    assert (said(before), before.final_output) == ([("Agent", first)], first)
    rest = [chunk.msgs[0].content for chunk in chunks]
    assert first + "".join(rest) == "There are 40 crates in it."
    assert run.trajectory == before
    assert not run.run.trouble


@pytest.mark.parametrize("accumulate", [False, True])
def test_the_answer_of_a_stream_with_tools_is_what_was_said_after_them(accumulate):
    answers = [completion("Let me see.", [_CALL]), "It is 5."]
    one = agent(Log(), "Clerk", answers, stream=True, tools=[FunctionTool(add)])
    one.stream_accumulate = accumulate
    with aegis.record(one) as run:
        response = one.step("What is 2 + 3?")
        list(response)
    assert [step.kind for step in run.trajectory.steps] == ["thought", "tool_call", "tool_result", "message"]
    assert run.trajectory.final_output == "It is 5." == CamelAdapter().output(response)
    assert usage(run.trajectory) == 20


def test_of_a_stream_that_is_left_while_a_tool_was_called_nothing_is_told_twice():
    answers = [completion("Let me see.", [_CALL]), "It is 5."]
    one = agent(Log(), "Clerk", answers, stream=True, tools=[FunctionTool(add)])
    with aegis.record(one) as run:
        for chunk in one.step("What is 2 + 3?"):
            if "5" in chunk.msgs[0].content or chunk.info["tool_calls"]:
                break
    told = [step.text for step in run.trajectory.steps]
    assert told.count("Let me see.") == 1
    assert not run.run.trouble


class Odd(ScriptedModel):
    """Its answers come in another form."""

    def __init__(self, form, **more) -> None:
        super().__init__(lambda *_: completion("Forty crates."), **more)
        self.form = form

    def _run(self, messages, response_format=None, tools=None):
        return self.form(pieces(completion("Forty crates.")))

    async def _arun(self, messages, response_format=None, tools=None):
        return self._run(messages)


def outcome(play):
    try:
        return play()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", [lambda chunks: iter(list(chunks)), list, lambda _: None, lambda _: {"choices": []}])
def test_an_answer_that_camel_can_not_take_raises_what_it_raises_plain(form, stream, asynchronous):
    def play(app):
        async def listen():
            response = await app.astep("How many?")
            return [chunk.msgs[0].content async for chunk in response] if stream else response.msgs[0].content

        if asynchronous:
            return outcome(lambda: asyncio.run(listen()))
        if stream:
            return outcome(lambda: [chunk.msgs[0].content for chunk in app.step("How many?")])
        return outcome(lambda: app.step("How many?").msgs[0].content)

    plain, recorded = (
        ChatAgent("You are Clerk.", model=Odd(form, stream=stream), stream_accumulate=False) for _ in range(2)
    )
    with pytest.warns(RecorderWarning, match="not with a ChatCompletion"), aegis.record(recorded) as run:
        found = play(recorded)
    assert found == play(plain)
    assert kinds(run.trajectory) == [("Agent", "error")]


@pytest.mark.parametrize("kept", [lambda chunks: chunks, lambda chunks: (chunk for chunk in chunks)])
def test_a_generator_is_a_stream_as_it_is_plain(kept):
    plain, recorded = (
        ChatAgent("You are Clerk.", model=Odd(kept, stream=True), stream_accumulate=False) for _ in range(2)
    )
    with aegis.record(recorded) as run:
        found = [chunk.msgs[0].content for chunk in recorded.step("How many?")]
    assert found == [chunk.msgs[0].content for chunk in plain.step("How many?")]
    assert said(run.trajectory) == [("Agent", "Forty crates.")]
