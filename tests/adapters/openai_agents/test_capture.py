"""What is recorded of runs: who said what, with which tools, to whom."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import pytest
from agents import Agent, ModelResponse, Runner, Usage, UserError, function_tool, handoff
from agents.extensions.handoff_filters import remove_all_tools
from openai.types.responses import ResponseReasoningItem
from openai.types.responses.response_reasoning_item import Summary
from pydantic import BaseModel

import aegis_core as aegis
from aegis_openai_agents.testing.items import message
from tests.adapters.openai_agents.models import QUIET, Says, checked, hands_to, uses

pytestmark = pytest.mark.framework


def recorded(agent, task="How many?", **more):
    async def play():
        with checked(agent) as run:
            result = await Runner.run(agent, task, run_config=QUIET, **more)
        return run, result

    return asyncio.run(play())


def told(run):
    return [(step.agent, step.kind, step.text) for step in run.trajectory.steps]


@function_tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@pytest.mark.case("openai-agents-1")
def test_a_single_agent_is_one_turn_with_one_message():
    agent = Agent("Solo", instructions="You count.", model=Says("42", name="gpt-x"))

    run, result = recorded(agent)

    assert result.final_output == "42"
    assert told(run) == [("Solo", "message", "42")]
    (step,) = run.trajectory.steps
    assert (step.model, step.usage.input_tokens, step.usage.output_tokens) == ("gpt-x", 7, 3)
    assert (run.trajectory.task, run.trajectory.final_output) == ("How many?", "42")
    (described,) = run.trajectory.agents
    assert (described.path, described.role) == ("Solo", "You count.")
    entry = run.tape.entries[0]
    assert [(part.role, part.text) for part in entry.request] == [("system", "You count."), ("user", "How many?")]


@pytest.mark.case("openai-agents-2")
def test_triage_hands_over_to_the_agent_that_answers():
    billing = Agent("Billing", model=Says("Paid."))
    other = Agent("Refunds", model=Says("no"))
    triage = Agent("Triage", handoffs=[billing, other], model=Says(hands_to("Billing")))

    run, result = recorded(triage)

    assert result.last_agent is billing
    assert told(run) == [("Triage", "handoff", "transfer_to_billing()"), ("Billing", "message", "Paid.")]
    handed, answered = run.trajectory.steps
    assert handed.addressed_to == ("Billing",)
    assert handed.call_id
    assert run.trajectory.final_output == "Paid."
    assert [agent.path for agent in run.trajectory.agents] == ["Triage", "Billing", "Refunds"]
    assert run.trajectory.agents[0].kind == "manager"
    assert answered.turn == 1


@pytest.mark.case("openai-agents-3")
def test_a_chain_of_hand_offs_that_comes_back_counts_turns():
    writer = Agent("Writer", model=Says(["Draft.", hands_to("Critic")], "Final."))
    critic = Agent("Critic", handoffs=[writer], model=Says(["Too short.", hands_to("Writer", "call_2")]))
    writer.handoffs.append(critic)

    run, _ = recorded(writer)

    assert told(run) == [
        ("Writer", "message", "Draft."), ("Critic", "message", "Too short."), ("Writer", "message", "Final."),
    ]  # fmt: skip
    first, second, third = run.trajectory.steps
    assert [first.turn, second.turn, third.turn] == [1, 1, 2]
    assert first.addressed_to == ("Critic",)
    assert second.addressed_to == ("Writer",)
    assert 0 in second.parents
    assert 1 in third.parents
    assert "Critic" in first.visible_to


@pytest.mark.case("openai-agents-4")
def test_a_function_tool_is_a_call_and_its_result_inside_the_turn():
    agent = Agent("Clerk", tools=[add], model=Says(["Let me see.", uses("add", a=2, b=3)], "5 it is."))

    run, _ = recorded(agent)

    assert told(run) == [
        ("Clerk", "thought", "Let me see."),
        ("Clerk", "tool_call", "add(a=2, b=3)"),
        ("Clerk", "tool_result", "5"),
        ("Clerk", "message", "5 it is."),
    ]
    assert {step.turn for step in run.trajectory.steps} == {1}
    call, result = run.trajectory.steps[1:3]
    assert call.call_id == result.call_id
    assert call.content[0].data == {"name": "add", "args": {"a": 2, "b": 3}}
    assert run.trajectory.agents[0].tools == ("add",)


@pytest.mark.case("openai-agents-5")
def test_parallel_tools_stand_in_the_order_in_which_they_were_asked_for():
    @function_tool
    async def wait(name: str, seconds: float) -> str:
        await asyncio.sleep(seconds)
        return f"{name} done"

    asks = [uses("wait", "c1", name="slow", seconds=0.05), uses("wait", "c2", name="quick", seconds=0.0)]
    run, _ = recorded(Agent("Clerk", tools=[wait], model=Says(asks, "Both.")))

    kinds = [(step.kind, step.text) for step in run.trajectory.steps]
    assert [kind for kind, _ in kinds] == ["tool_call", "tool_call", "tool_result", "tool_result", "message"]
    assert [text for kind, text in kinds if kind == "tool_result"] == ["slow done", "quick done"]


@pytest.mark.case("openai-agents-6")
@pytest.mark.case("openai-agents-945")
def test_a_tool_that_raises_tells_its_true_exception_and_the_run_goes_on():
    @function_tool(failure_error_function=lambda context, error: "Sorry, try later.")
    def broken(place: str) -> str:
        raise KeyError(place)

    agent = Agent("Clerk", tools=[broken], model=Says(uses("broken", place="hall"), "No idea."))
    run, result = recorded(agent)

    assert result.final_output == "No idea."
    told_error = next(step for step in run.trajectory.steps if step.kind == "tool_result")
    assert told_error.text == "Sorry, try later."
    assert told_error.content[0].data == {"status": "error", "error": "KeyError: 'hall'"}
    assert run.trajectory.error is None


@pytest.mark.case("openai-agents-6")
def test_a_tool_error_without_failure_function_ends_the_run_with_one_error_step():
    @function_tool(failure_error_function=None)
    def broken() -> str:
        raise KeyError("hall")

    agent = Agent("Clerk", tools=[broken], model=Says(uses("broken")))
    with pytest.raises(UserError) as plain:
        asyncio.run(Runner.run(agent, "Go", run_config=QUIET))

    async def play():
        with checked(agent) as run:
            try:
                await Runner.run(agent, "Go", run_config=QUIET)
            except Exception as error:
                return run, error
            return run, None

    run, error = asyncio.run(play())

    assert (type(error), str(error)) == (plain.type, str(plain.value))
    errors = [step for step in run.trajectory.steps if step.kind == "error"]
    assert [(step.agent, type(error).__name__ in step.text) for step in errors] == [("Clerk", True)]


@pytest.mark.case("openai-agents-7")
@pytest.mark.case("openai-agents-2036")
@pytest.mark.case("openai-agents-1533")
def test_an_agent_as_tool_is_a_nested_path_with_its_own_tools():
    coder = Agent("Coder", tools=[add], model=Says(uses("add", "c9", a=1, b=1), "It is 2."))
    lead = Agent(
        "Lead",
        tools=[coder.as_tool("code", "Codes.")],
        model=Says(uses("code", input="1 + 1?"), "Coder says 2."),
    )

    run, _ = recorded(lead)

    assert told(run) == [
        ("Lead", "tool_call", 'code(input="1 + 1?")'),
        ("Lead/Coder", "tool_call", "add(a=1, b=1)"),
        ("Lead/Coder", "tool_result", "2"),
        ("Lead/Coder", "message", "It is 2."),
        ("Lead", "tool_result", "It is 2."),
        ("Lead", "message", "Coder says 2."),
    ]
    assert [agent.path for agent in run.trajectory.agents] == ["Lead", "Lead/Coder"]
    spoken = run.trajectory.steps[3]
    assert "Lead" in spoken.visible_to
    assert 3 in run.trajectory.steps[5].parents


@pytest.mark.case("openai-agents-N12")
@pytest.mark.case("openai-agents-123")
def test_one_agent_used_twice_at_once_is_kept_apart_by_branches():
    async def think(shown):
        await asyncio.sleep(0.03 if "first" in shown[-1] else 0)
        return f"about {shown[-1]}"

    helper = Agent("Helper", model=Says(think))
    asks = [uses("help", "c1", input="first"), uses("help", "c2", input="second")]
    lead = Agent("Lead", tools=[helper.as_tool("help", "Helps.")], model=Says(asks, "Done."))

    run, _ = recorded(lead)

    inner = [step for step in run.trajectory.steps if step.agent == "Lead/Helper"]
    assert [(step.branch, step.turn, step.text) for step in inner] == [
        ("1", 1, "about first"), ("2", 1, "about second"),
    ]  # fmt: skip
    assert not run.tape.overlapping
    assert not any(step.parents for step in inner)


class Sum(BaseModel):
    total: int
    words: str


@pytest.mark.case("openai-agents-8")
def test_structured_output_is_one_step_with_its_data():
    agent = Agent("Adder", output_type=Sum, model=Says(json.dumps({"total": 5, "words": "five"})))

    run, result = recorded(agent)

    assert result.final_output == Sum(total=5, words="five")
    (step,) = run.trajectory.steps
    assert step.content[0].data == {"total": 5, "words": "five"}
    assert step.text == "total: 5\nwords: five"
    assert json.loads(run.trajectory.final_output) == {"total": 5, "words": "five"}


@pytest.mark.case("openai-agents-16")
@pytest.mark.case("openai-agents-632")
def test_a_result_that_is_the_answer_is_recorded_as_what_the_agent_said():
    agent = Agent("Clerk", tools=[add], tool_use_behavior="stop_on_first_tool", model=Says(uses("add", a=2, b=3)))

    run, result = recorded(agent)

    assert result.final_output in (5, "5")
    assert told(run) == [
        ("Clerk", "tool_call", "add(a=2, b=3)"), ("Clerk", "tool_result", "5"), ("Clerk", "message", "5"),
    ]  # fmt: skip
    assert run.trajectory.final_output == "5"


@pytest.mark.case("openai-agents-21")
@pytest.mark.case("openai-agents-1244")
def test_an_input_filter_decides_what_the_next_agent_is_shown():
    clerk = Says(["Counted.", uses("add", a=1, b=1)], ["Handing over.", hands_to("Writer", "c2")])
    writer = Agent("Writer", model=Says("Done."))
    agent = Agent("Clerk", tools=[add], handoffs=[handoff(writer, input_filter=remove_all_tools)], model=clerk)

    run, _ = recorded(agent)

    shown = next(entry for entry in run.tape.entries if entry.key.moment.agent == "Writer")
    assert [part.kind for part in shown.request] == ["message"] * 3
    assert writer.model.shown == [[part.text for part in shown.request]]


@dataclass
class Reason:
    why: str


@pytest.mark.case("openai-agents-22")
def test_what_is_handed_over_with_a_hand_off_is_in_its_step():
    taken = []

    async def on_handoff(context, given: Reason):
        taken.append(given.why)

    writer = Agent("Writer", model=Says("Done."))
    over = handoff(writer, on_handoff=on_handoff, input_type=Reason)
    run, _ = recorded(Agent("Clerk", handoffs=[over], model=Says(hands_to("Writer", why="too long"))))

    step = run.trajectory.steps[0]
    assert (step.kind, step.text, step.addressed_to) == (
        "handoff", 'transfer_to_writer(why="too long")', ("Writer",),
    )  # fmt: skip
    assert step.content[0].data == {"name": "transfer_to_writer", "args": {"why": "too long"}}
    assert taken == ["too long"]


@pytest.mark.case("openai-agents-499")
def test_of_several_hand_offs_at_once_the_first_counts():
    others = [Agent(name, model=Says(f"{name} here.")) for name in ("One", "Two")]
    triage = Agent("Triage", handoffs=others, model=Says([hands_to("One", "c1"), hands_to("Two", "c2")]))

    run, result = recorded(triage)

    assert result.last_agent.name == "One"
    (over,) = [step for step in run.trajectory.steps if step.kind == "handoff"]
    assert over.addressed_to == ("One",)
    assert ("Triage", "tool_call", "transfer_to_two()") in told(run)
    assert told(run)[-1] == ("One", "message", "One here.")


@pytest.mark.case("openai-agents-3237")
def test_tools_and_a_hand_off_in_one_answer_are_both_recorded():
    writer = Agent("Writer", model=Says("Done."))
    both = [uses("add", "c1", a=1, b=1), hands_to("Writer", "c2")]
    run, _ = recorded(Agent("Clerk", tools=[add], handoffs=[writer], model=Says(both)))

    kinds = [(step.agent, step.kind) for step in run.trajectory.steps]
    assert set(kinds[:3]) == {("Clerk", "tool_call"), ("Clerk", "tool_result"), ("Clerk", "handoff")}
    assert kinds[3] == ("Writer", "message")


@pytest.mark.case("openai-agents-4118")
@pytest.mark.filterwarnings("ignore")
def test_agents_whose_hand_offs_have_one_name_are_told_apart_as_the_sdk_does():
    agents = [Agent("Billing Agent", model=Says("first")), Agent("billing agent", model=Says("second"))]
    triage = Agent("Triage", handoffs=agents, model=Says(hands_to("billing_agent")))

    run, result = recorded(triage)

    handed, answered = run.trajectory.steps
    assert answered.agent == result.last_agent.name
    assert handed.addressed_to == (answered.agent,)


def test_two_agents_with_one_name_are_two_agents():
    agents = [Agent("Helper", model=Says("first")), Agent("Helper", model=Says("second"))]
    overs = [handoff(agent, tool_name_override=f"to_{index}") for index, agent in enumerate(agents)]
    run, _ = recorded(Agent("Triage", handoffs=overs, model=Says(uses("to_1"))))

    assert [agent.path for agent in run.trajectory.agents] == ["Triage", "Helper", "Helper 2"]
    assert told(run)[-1] == ("Helper 2", "message", "second")


@pytest.mark.case("openai-agents-23")
def test_summaries_of_reasoning_are_thoughts():
    thought = ResponseReasoningItem(
        id="r1", summary=[Summary(text="Hm, halls.", type="summary_text")], type="reasoning"
    )
    run, _ = recorded(Agent("Solo", model=Says([thought, "42"])))

    assert told(run) == [("Solo", "thought", "Hm, halls."), ("Solo", "message", "42")]


def test_usage_that_a_model_does_not_tell_is_none():
    response = ModelResponse(output=[message("42")], usage=Usage(), response_id=None)
    run, _ = recorded(Agent("Solo", model=Says(response)))

    assert run.trajectory.steps[0].usage is None


def test_usage_of_all_calls_of_a_turn_is_in_its_steps_once():
    answers = ([uses("add", "c1", a=1, b=2), uses("add", "c2", a=3, b=4)], [uses("add", "c3", a=5, b=6)], "42")
    run, result = recorded(Agent("Solo", tools=[add], model=Says(*answers, name="gpt-x")))

    told = [step.usage for step in run.trajectory.steps if step.usage is not None]
    spent = result.context_wrapper.usage
    assert sum(usage.input_tokens for usage in told) == spent.input_tokens == 21
    assert sum(usage.output_tokens for usage in told) == spent.output_tokens == 9
    assert {step.model for step in run.trajectory.steps if step.usage is not None} == {"gpt-x"}


def test_usage_of_an_answer_with_tools_and_a_hand_off_is_told_once():
    second = Agent("Second", model=Says("42"))
    first = Agent("First", tools=[add], handoffs=[second])
    first.model = Says(["Both.", uses("add", "c1", a=1, b=2), hands_to("Second", "c2")])
    run, result = recorded(first)

    told = [step.usage.input_tokens for step in run.trajectory.steps if step.usage is not None]
    assert sum(told) == result.context_wrapper.usage.input_tokens == 14


@pytest.mark.case("openai-agents-627")
def test_an_agent_that_a_callback_runs_is_recorded_inside_the_one_that_called():
    checker = Agent("Checker", model=Says("Looks fine."))
    writer = Agent("Writer", model=Says("Done."))

    async def on_handoff(context):
        await Runner.run(checker, "Check it.", run_config=QUIET)

    run, _ = recorded(Agent("Clerk", handoffs=[handoff(writer, on_handoff=on_handoff)], model=Says(hands_to("Writer"))))

    assert ("Clerk/Checker", "message", "Looks fine.") in told(run)
    assert run.trajectory.final_output == "Done."


@pytest.mark.case("openai-agents-24")
def test_an_agent_that_a_tool_makes_and_runs_is_recorded_inside():
    @function_tool
    async def research(topic: str) -> str:
        inner = Agent("Researcher", model=Says(f"All about {topic}."))
        return (await Runner.run(inner, topic, run_config=QUIET)).final_output

    run, _ = recorded(Agent("Lead", tools=[research], model=Says(uses("research", topic="halls"), "Good.")))

    assert told(run) == [
        ("Lead", "tool_call", 'research(topic="halls")'),
        ("Lead/Researcher", "message", "All about halls."),
        ("Lead", "tool_result", "All about halls."),
        ("Lead", "message", "Good."),
    ]
    assert run.trajectory.task == "How many?"
    assert run.run.separate_calls == 1


@pytest.mark.case("openai-agents-2065")
def test_an_agent_as_tool_that_streams_is_recorded_like_any_other():
    seen = []
    coder = Agent("Coder", model=Says("It is 2."))
    tool = coder.as_tool("code", "Codes.", on_stream=lambda event: seen.append(event["event"].type))
    lead = Agent("Lead", tools=[tool], model=Says(uses("code", input="1 + 1?"), "Coder says 2."))

    run, _ = recorded(lead)

    assert told(run)[1] == ("Lead/Coder", "message", "It is 2.")
    assert coder.model.streams == 1
    assert "run_item_stream_event" in seen


@pytest.mark.case("openai-agents-24")
def test_an_agent_that_a_synchronous_tool_runs_in_its_thread_is_recorded_inside():
    inner = Agent("Researcher", model=Says("All about halls."))

    @function_tool
    def research(topic: str) -> str:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return Runner.run_sync(inner, topic, run_config=QUIET).final_output
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    run, _ = recorded(Agent("Lead", tools=[research], model=Says(uses("research", topic="halls"), "Good.")))

    assert ("Lead/Researcher", "message", "All about halls.") in told(run)
    assert run.run.separate_calls == 1


@pytest.mark.case("openai-agents-24")
def test_agents_that_a_tool_runs_side_by_side_are_kept_apart():
    inner = Agent("Researcher", model=Says(lambda shown: f"about {shown[-1]}"))

    @function_tool
    async def research() -> str:
        runs = (Runner.run(inner, topic, run_config=QUIET) for topic in ("halls", "crates"))
        return " and ".join(result.final_output for result in await asyncio.gather(*runs))

    run, _ = recorded(Agent("Lead", tools=[research], model=Says(uses("research"), "Good.")))

    inside = [(step.branch, step.text) for step in run.trajectory.steps if step.agent == "Lead/Researcher"]
    assert inside == [("", "about halls"), ("2", "about crates")]
    assert not run.tape.overlapping


def test_a_model_that_a_tool_calls_by_itself_ends_no_turn():
    model = Says(uses("ask"), "by the way", "Done.")

    @function_tool
    async def ask() -> str:
        response = await agent.model.get_response(None, "Hm?", None, [], None, [], None)
        return response.output[0].content[0].text

    agent = Agent("Solo", tools=[ask], model=model)

    run, _ = recorded(agent)

    assert told(run) == [
        ("Solo", "tool_call", "ask()"),
        ("Solo", "tool_result", "by the way"),
        ("Solo", "message", "Done."),
    ]


@pytest.mark.case("openai-agents-2171")
def test_a_history_that_is_nested_in_one_text_is_recorded_as_the_next_agent_was_shown_it():
    writer = Agent("Writer", model=Says("Done."))
    clerk = Agent(
        "Clerk", handoffs=[handoff(writer, nest_handoff_history=True)], model=Says(["A.", hands_to("Writer")])
    )

    run, _ = recorded(clerk)

    shown = next(entry for entry in run.tape.entries if entry.key.moment.agent == "Writer")
    assert [part.text for part in shown.request] == writer.model.shown[0]
    assert "How many?" in writer.model.shown[0][0]
    assert writer.model.shown[0][0] != "How many?"


def test_a_model_that_the_users_code_exchanges_meanwhile_is_recorded_and_stays():
    second = Says("by the second")

    @function_tool
    def exchange() -> str:
        agent.model = second
        return "exchanged"

    agent = Agent("Solo", tools=[exchange], model=Says(uses("exchange")))

    with aegis.record(agent) as run:
        result = asyncio.run(Runner.run(agent, "How many?", run_config=QUIET))

    assert result.final_output == "by the second"
    assert told(run)[-1] == ("Solo", "message", "by the second")
    assert agent.model is second
