"""One `ChatAgent`: synchronous, asynchronous, with tools, in pieces."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from camel.agents import ChatAgent
from camel.messages import BaseMessage
from camel.toolkits import FunctionTool
from openai import RateLimitError

import aegis_core as aegis
from aegis_camel.ensemble import Ensemble
from aegis_camel.testing.scripted import ScriptedModel, completion
from aegis_camel.texts.pieces import joined, pieces
from tests.adapters.camel.teams import Answer, Log, agent, answering, asks, kinds, said


def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a (int): The first.
        b (int): The second.
    """
    return a + b


def broken(a: int) -> int:
    """Fail.

    Args:
        a (int): Not looked at.
    """
    raise ValueError(f"no {a}")


@pytest.mark.case("camel-1")
def test_one_step_is_one_message_to_the_caller():
    clerk = agent(Log(), "Clerk", "40 crates.")
    with aegis.record(clerk) as run:
        clerk.step("How many?")
    (step,) = run.trajectory.steps
    assert (step.agent, step.kind, step.text, step.turn) == ("Agent", "message", "40 crates.", 1)
    assert (step.usage.input_tokens, step.usage.output_tokens) == (7, 3)
    assert (run.trajectory.task, run.trajectory.final_output) == ("How many?", "40 crates.")


def usage(trajectory) -> int:
    return sum(step.usage.input_tokens + step.usage.output_tokens for step in trajectory.steps if step.usage)


def with_tool(log: Log, *, stream: bool = False) -> ChatAgent:
    return agent(log, "Clerk", [asks("add", a=2, b=3), "It is 5."], tools=[FunctionTool(add)], stream=stream)


_WITH_TOOL = [("Agent", "tool_call"), ("Agent", "tool_result"), ("Agent", "message")]


@pytest.mark.case("camel-2")
def test_a_tool_call_and_its_result_stand_before_the_message_in_one_turn():
    clerk = with_tool(Log())
    with aegis.record(clerk) as run:
        clerk.step("What is 2 + 3?")
    call, result, message = run.trajectory.steps
    assert kinds(run.trajectory) == _WITH_TOOL
    assert (call.text, result.text, message.text) == ("add(a=2, b=3)", "5", "It is 5.")
    assert call.call_id == result.call_id == "call_1"
    assert {step.turn for step in run.trajectory.steps} == {1}
    assert usage(run.trajectory) == 20


@pytest.mark.case("camel-3")
def test_a_step_of_a_coroutine_is_recorded_alike_though_tools_run_in_other_threads():
    here, threads = with_tool(Log()), []

    def noting(a: int, b: int) -> int:
        threads.append(threading.current_thread())
        return add(a, b)

    noting.__name__, noting.__doc__ = "add", add.__doc__
    there = agent(Log(), "Clerk", [asks("add", a=2, b=3), "It is 5."], tools=[FunctionTool(noting)])
    with aegis.record(here) as one:
        here.step("What is 2 + 3?")
    with aegis.record(there) as other:
        asyncio.run(there.astep("What is 2 + 3?"))
    assert threads[0] is not threading.main_thread()
    forms = [[step.model_dump(exclude={"start", "end"}) for step in run.trajectory.steps] for run in (one, other)]
    assert forms[0] == forms[1]


def test_asynchronous_tools_are_tapped():
    async def fetch(place: str) -> str:
        """Look something up.

        Args:
            place (str): Where.
        """
        return f"at {place}"

    clerk = agent(Log(), "Clerk", [asks("fetch", place="hall 27"), "There."], tools=[FunctionTool(fetch)])
    with aegis.record(clerk) as run:
        asyncio.run(clerk.astep("Where?"))
    assert [entry.key.kind for entry in run.tape.entries].count("tool") == 1
    assert run.trajectory.steps[1].text == "at hall 27"


@pytest.mark.case("camel-4")
def test_a_tool_that_raises_is_a_result_with_an_error_and_the_run_goes_on():
    clerk = agent(Log(), "Clerk", [asks("broken", a=1), "It failed."], tools=[FunctionTool(broken)])
    with aegis.record(clerk) as run:
        clerk.step("Try it.")
    result = run.trajectory.steps[1]
    assert kinds(run.trajectory) == _WITH_TOOL
    assert "no 1" in result.text
    assert result.content[0].data == {"is_error": True}
    assert run.trajectory.error is None


def test_a_tool_that_there_is_not_is_a_result_with_an_error():
    clerk = agent(Log(), "Clerk", [asks("nothing", a=1), "Well."], tools=[FunctionTool(add)])
    with aegis.record(clerk) as run:
        clerk.step("Try it.")
    assert run.trajectory.steps[1].content[0].data == {"is_error": True}


@pytest.mark.case("camel-5")
def test_a_call_of_an_external_tool_has_no_result_and_no_empty_message_is_invented():
    clerk = agent(Log(), "Clerk", asks("add", a=2, b=3), external_tools=[FunctionTool(add)])
    with aegis.record(clerk) as run:
        response = clerk.step("What is 2 + 3?")
    assert response.info["external_tool_call_requests"]
    assert kinds(run.trajectory) == [("Agent", "tool_call")]


def test_words_beside_a_tool_call_are_a_thought():
    first = completion("Let me see.", [{"id": "call_1", "name": "add", "arguments": {"a": 2, "b": 3}}])
    clerk = agent(Log(), "Clerk", [first, "It is 5."], tools=[FunctionTool(add)])
    with aegis.record(clerk) as run:
        clerk.step("What is 2 + 3?")
    assert kinds(run.trajectory)[0] == ("Agent", "thought")


@pytest.mark.case("camel-6")
def test_a_stream_is_one_message_with_its_full_text_and_usage_once():
    log = Log()
    clerk = agent(log, "Clerk", "There are 40 crates in it.", stream=True)
    with aegis.record(clerk) as run:
        chunks = [chunk.msgs[0].content for chunk in clerk.step("How many?")]
    assert "".join(chunks) == "There are 40 crates in it."
    assert said(run.trajectory) == [("Agent", "There are 40 crates in it.")]
    assert usage(run.trajectory) == 10
    assert run.trajectory.final_output == "There are 40 crates in it."


@pytest.mark.case("camel-6")
def test_an_asynchronous_stream_is_one_message_too():
    clerk = agent(Log(), "Clerk", "There are 40 crates in it.", stream=True)

    async def play() -> list[str]:
        return [chunk.msgs[0].content async for chunk in await clerk.astep("How many?")]

    with aegis.record(clerk) as run:
        chunks = asyncio.run(play())
    assert "".join(chunks) == "There are 40 crates in it."
    assert said(run.trajectory) == [("Agent", "There are 40 crates in it.")]
    assert usage(run.trajectory) == 10


@pytest.mark.case("camel-6")
def test_a_stream_that_nobody_reads_gives_no_step():
    clerk = agent(Log(), "Clerk", "There are 40 crates in it.", stream=True)
    with aegis.record(clerk) as run:
        clerk.step("How many?")
    assert not run.trajectory.steps


def test_a_stream_with_tools_is_recorded_as_one_without_pieces():
    clerk = with_tool(Log(), stream=True)
    with aegis.record(clerk) as run:
        list(clerk.step("What is 2 + 3?"))
    assert kinds(run.trajectory) == _WITH_TOOL
    assert run.trajectory.final_output == "It is 5."


def test_a_stream_that_is_awaited_is_recorded():
    clerk = agent(Log(), "Clerk", "There are 40 crates in it.", stream=True)

    async def play() -> None:
        await (await clerk.astep("How many?"))

    with aegis.record(clerk) as run:
        asyncio.run(play())
    assert said(run.trajectory) == [("Agent", "There are 40 crates in it.")]


@pytest.mark.case("camel-N3")
def test_usage_that_comes_in_several_chunks_is_that_of_the_last_and_none_counts_as_nothing():
    whole = completion("Forty crates.", usage=None)
    running = [{"prompt_tokens": 7, "completion_tokens": number, "total_tokens": 7 + number} for number in (1, 3)]
    chunks = list(pieces(whole))
    told = [
        *(chunk.model_copy(update={"usage": _usage(data)}) for chunk, data in zip(chunks, running, strict=False)),
        *chunks[2:],
    ]
    assert joined(told).usage.completion_tokens == 3
    odd = _usage(running[0]).model_copy(update={"completion_tokens": None, "prompt_tokens": None})
    assert joined([chunks[0].model_copy(update={"usage": odd})]).usage.prompt_tokens == 0

    def run(*_):
        yield from told

    model = ScriptedModel(lambda *_: whole, stream=True)
    model._stream = run
    clerk = ChatAgent("You are Clerk.", model=model, stream_accumulate=False)
    with aegis.record(clerk) as recording:
        list(clerk.step("How many?"))
    (step,) = recording.trajectory.steps
    assert step.text == "Forty crates."
    assert (step.usage.input_tokens, step.usage.output_tokens) == (7, 3)


def _usage(data):
    from camel.types import CompletionUsage

    return CompletionUsage.model_validate(data)


class Closed(ScriptedModel):
    """A model that can't even begin."""

    def _run(self, messages, response_format=None, tools=None):
        raise ValueError("out of order")


def test_what_a_stream_raises_at_its_beginning_is_an_error_though_camel_makes_a_message_of_it():
    clerk = ChatAgent("You are Clerk.", model=Closed(lambda *_: None, stream=True), stream_accumulate=False)
    with aegis.record(clerk) as run:
        chunks = list(clerk.step("How many?"))
    assert chunks[-1].info["error"] == "out of order"
    assert kinds(run.trajectory) == [("Agent", "error")]
    assert run.trajectory.steps[0].text == "ValueError: out of order"


def test_what_a_stream_raises_in_the_middle_passes_and_is_an_error():
    clerk = agent(Log(), "Clerk", ValueError("out of order"), stream=True)
    with pytest.raises(ValueError, match="out of order"), aegis.record(clerk) as run:
        list(clerk.step("How many?"))
    assert kinds(run.trajectory) == [("Agent", "error")]


def test_what_an_agent_is_asked_to_answer_with_is_recorded_as_data_and_stays_parsed():
    clerk = agent(Log(), "Clerk", '{"answer": "forty", "crates": 40}')
    with aegis.record(clerk) as run:
        response = clerk.step("How many?", response_format=Answer)
    assert response.msgs[0].parsed == Answer(answer="forty", crates=40)
    (step,) = run.trajectory.steps
    assert step.content[0].data == {"answer": "forty", "crates": 40}
    assert "answer: forty" in step.text


def test_a_step_with_a_time_limit_runs_in_a_thread_and_is_recorded():
    clerk = agent(Log(), "Clerk", [asks("add", a=2, b=3), "It is 5."], tools=[FunctionTool(add)], step_timeout=20)
    with aegis.record(clerk) as run:
        clerk.step("What is 2 + 3?")
    assert kinds(run.trajectory) == _WITH_TOOL


def test_one_agent_that_is_stepped_twice_at_once_keeps_its_turns_apart_on_branches():
    log = Log()
    clerk = agent(log, "Clerk", lambda texts: f"Answer to {texts[-1]}")

    async def one(question: str) -> None:
        with aegis.branch(question):
            await clerk.astep(question)

    async def entry(_: str) -> None:
        await asyncio.gather(one("q1"), one("q2"))

    with aegis.record(Ensemble(entry, {"Clerk": clerk})) as run:
        asyncio.run(run.app("go"))
    assert [(step.branch, step.turn) for step in run.trajectory.steps] == [("q1", 1), ("q2", 1)]
    assert not run.tape.overlapping


def test_a_call_that_is_tried_again_inside_a_step_is_one_turn_that_tells_of_its_attempts():
    answer = SimpleNamespace(request=None, status_code=429, headers={})
    limited = RateLimitError("slow down", response=answer, body=None)
    clerk = agent(Log(), "Clerk", [limited, "40 crates."], retry_delay=0)
    with aegis.record(clerk) as run:
        clerk.step("How many?")
    (step,) = run.trajectory.steps
    assert (step.kind, step.content[0].data) == ("message", {"attempts": 2})


def test_an_exception_is_recorded_once_and_the_message_stays_in_the_memory_as_without_aegis():
    clerk = agent(Log(), "Clerk", ValueError("out of order"))
    with pytest.raises(ValueError, match="out of order"), aegis.record(clerk) as run:
        clerk.step("How many?")
    assert kinds(run.trajectory) == [("Agent", "error")]
    assert run.trajectory.error.type == "ValueError"
    assert [message["role"] for message in clerk.chat_history] == ["system", "user"]


def test_several_steps_of_one_agent_are_one_conversation():
    clerk = agent(Log(), "Clerk", ["one", "two"])
    with aegis.record(clerk) as run:
        clerk.step("First?")
        clerk.step("Second?")
    assert [step.turn for step in run.trajectory.steps if step.agent == "Agent"] == [1, 2]
    assert (run.trajectory.task, run.trajectory.final_output) == ("First?", "two")


@pytest.mark.case("camel-N13")
def test_what_was_sent_counts_not_what_was_configured():
    from camel.memories import ChatHistoryMemory, ScoreBasedContextCreator

    model = answering(Log(), "Clerk", "ok")
    memory = ChatHistoryMemory(ScoreBasedContextCreator(model.token_counter, 4096))
    clerk = ChatAgent("You are Clerk.", model=model, memory=memory)
    memory.clear()  # a memory that drops the system message (camel-ai/camel#2875)
    with aegis.record(clerk) as run:
        clerk.step("How many?")
    (sent,) = [entry for entry in run.tape.entries if entry.key.kind == "model"]
    assert [part.role for part in sent.request] == ["user"]


def test_messages_of_camel_are_taken_as_they_are():
    clerk = agent(Log(), "Clerk", "ok")
    with aegis.record(clerk) as run:
        clerk.step(BaseMessage.make_user_message("User", "How many?"))
    assert run.trajectory.task == "How many?"


def test_agents_that_share_a_model_object_are_told_apart():
    log = Log()
    model = answering(log, "both", "ok then")
    agents = {name: ChatAgent(f"You are {name}.", model=model) for name in ("Ann", "Bob")}

    def entry(task: str) -> None:
        for member in agents.values():
            member.step(task)

    with aegis.record(Ensemble(entry, agents)) as run:
        run.app("go")
    assert said(run.trajectory) == [("Ann", "ok then"), ("Bob", "ok then")]


def test_an_agent_that_is_a_tool_of_another_acts_inside_its_turn():
    log = Log()
    expert = agent(log, "Expert", "Ask for 40.")

    def consult(question: str) -> str:
        """Ask the expert.

        Args:
            question (str): What to ask.
        """
        return str(expert.step(question).msgs[0].content)

    clerk = agent(log, "Clerk", [asks("consult", question="How many?"), "40 crates."], tools=[FunctionTool(consult)])

    def entry(task: str) -> str:
        return str(clerk.step(task).msgs[0].content)

    with aegis.record(Ensemble(entry, {"Clerk": clerk, "Expert": expert})) as run:
        run.app("go")
    assert kinds(run.trajectory) == [
        ("Clerk", "tool_call"),
        ("Expert", "message"),
        ("Clerk", "tool_result"),
        ("Clerk", "message"),
    ]


def test_a_clone_acts_as_the_agent_that_it_is_a_clone_of():
    log = Log()
    clerk = agent(log, "Clerk", [asks("add", a=1, b=1), "2"], tools=[FunctionTool(add)])

    def entry(task: str) -> None:
        clerk.clone().step(task)

    with aegis.record(Ensemble(entry, {"Clerk": clerk})) as run:
        run.app("go")
    assert kinds(run.trajectory) == [("Clerk", kind) for _, kind in _WITH_TOOL]
    copy = clerk.clone()
    assert "step" not in vars(copy)
    assert type(copy.tool_dict["add"]) is FunctionTool
