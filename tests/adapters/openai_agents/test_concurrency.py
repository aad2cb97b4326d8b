"""Runs at the same time, and what stays attached or not."""

from __future__ import annotations

import asyncio
import copy
import threading

import pytest
from agents import Agent, FunctionTool, Runner, function_tool, set_trace_processors, trace
from agents.run import AgentRunner, get_default_agent_runner, set_default_agent_runner
from agents.tracing import TracingProcessor, get_trace_provider

import aegis_core as aegis
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_core.plugins import default_plugins
from aegis_core.run import Run, RunInfo
from aegis_openai_agents.models import TappedModel
from aegis_openai_agents.workflow import Workflow
from tests.adapters.openai_agents.models import QUIET, Says, checked, hands_to, uses

pytestmark = pytest.mark.framework


async def slowly(shown):
    await asyncio.sleep(0.01)
    return f"about {shown[-1]}"


@function_tool
def stock(place: str) -> str:
    """Looks it up."""
    return f"40 crates are in {place}"


def attached(agent):
    adapter = default_plugins().adapter("openai-agents")
    return adapter.attach(agent, Run(RunInfo("r"), normalise=adapter.normalise))


def said(run):
    return [(step.agent, step.branch, step.text) for step in run.trajectory.steps if step.kind == "message"]


@pytest.mark.case("openai-agents-20")
@pytest.mark.case("openai-agents-2246")
def test_one_agent_run_twice_at_once_in_a_workflow_is_kept_apart_by_branches():
    translator, picker = Agent("Translator", model=Says(slowly)), Agent("Picker", model=Says("the second"))
    team = Workflow(translator, picker)

    async def play():
        with checked(team) as run:
            runs = (Runner.run(translator, text, run_config=QUIET) for text in ("one", "two"))
            found = await asyncio.gather(*runs)
            await Runner.run(picker, " / ".join(result.final_output for result in found), run_config=QUIET)
        return run

    run = asyncio.run(play())

    assert said(run) == [
        ("Translator", "", "about one"), ("Translator", "2", "about two"), ("Picker", "", "the second"),
    ]  # fmt: skip
    assert not run.tape.overlapping
    assert run.trajectory.task == "one"
    assert run.trajectory.final_output == "the second"
    assert run.trajectory.steps[2].parents == (0, 1)


@pytest.mark.case("openai-agents-20")
def test_one_agent_called_twice_at_once_in_one_block_is_warned_of():
    agent = Agent("Solo", model=Says(slowly))

    async def play():
        with checked(agent) as run:
            await asyncio.gather(*(Runner.run(agent, text, run_config=QUIET) for text in ("one", "two")))
        return run

    with pytest.warns(RecorderWarning, match="2 calls"):
        run = asyncio.run(play())

    assert sorted(text for _, _, text in said(run)) == ["about one", "about two"]


@pytest.mark.case("openai-agents-26")
def test_one_agent_cannot_be_attached_twice_and_says_what_to_do():
    agent = Agent("Solo", model=Says("42"))

    with attached(agent), pytest.raises(AdapterError, match="clone"):
        attached(agent)


@pytest.mark.case("openai-agents-20")
def test_two_teams_that_share_an_agent_and_a_tool_are_recorded_apart():
    model = Says(lambda shown: uses("stock", f"c-{shown[0]}", place=shown[0]) if len(shown) < 3 else f"{shown[0]}: 40")
    shared = Agent("Clerk", tools=[stock], model=model)
    teams = [Agent("Triage", handoffs=[shared], model=Says(hands_to("Clerk", f"h{n}"))) for n in range(2)]
    invoker = stock.on_invoke_tool

    async def one(number):
        with aegis.record(teams[number]) as run:
            await asyncio.sleep(0.005 * number)
            await Runner.run(teams[number], f"task {number}", run_config=QUIET)
            await asyncio.sleep(0.02 * (1 - number))
        return run

    async def play():
        return await asyncio.gather(one(0), one(1))

    for number, run in enumerate(asyncio.run(play())):
        assert said(run) == [("Clerk", "", f"task {number}: 40")]
        assert [step.kind for step in run.trajectory.steps] == ["handoff", "tool_call", "tool_result", "message"]
    assert stock.on_invoke_tool is invoker
    assert shared.model is model


@pytest.mark.case("openai-agents-26")
def test_taps_are_put_back_by_identity_when_an_exception_leaves_the_block():
    agent = Agent("Clerk", tools=[stock], model=Says(ConnectionError("down")))
    model, invoker, runner = agent.model, stock.on_invoke_tool, get_default_agent_runner()

    def fail():
        assert isinstance(agent.model, TappedModel)
        assert get_default_agent_runner() is not runner
        asyncio.run(Runner.run(agent, "Go", run_config=QUIET))

    with pytest.raises(ConnectionError), aegis.record(agent):
        fail()

    assert agent.model is model
    assert stock.on_invoke_tool is invoker
    assert get_default_agent_runner() is runner


def test_taps_are_of_the_class_of_what_they_stand_for():
    agent = Agent("Clerk", tools=[stock], model=Says("42", name="gpt-x"))
    invoker = type(stock.on_invoke_tool)

    with attached(agent):
        assert isinstance(agent.model, Says)
        assert agent.model.model == "gpt-x"
        assert isinstance(stock.on_invoke_tool, invoker)
        copied = copy.deepcopy(agent.model)

    assert isinstance(copied, Says)
    assert type(agent.model) is Says


def test_what_is_written_into_a_model_meanwhile_is_written_into_the_model_itself():
    model = Says("first", "second", name="gpt-x")
    model.mark = "x"
    agent = Agent("Solo", model=model)

    with attached(agent):
        agent.model.answers = ["changed"]
        agent.model.model = "gpt-y"
        del agent.model.mark
        result = asyncio.run(Runner.run(agent, "Go", run_config=QUIET))

    assert result.final_output == "changed"
    assert (agent.model is model, model.model, hasattr(model, "mark")) == (True, "gpt-y", False)


def test_copies_of_an_agent_made_meanwhile_work_by_themselves_afterwards():
    model = Says("42", name="gpt-x")
    agent = Agent("Solo", model=model)

    with attached(agent):
        clone, deep, copied = agent.clone(name="Clone"), copy.deepcopy(agent), copy.copy(agent.model)
    clone.model.answers = ["cloned"]

    assert (type(deep.model), type(copied)) == (Says, Says)
    assert (deep.model is model, copied is model) == (False, False)
    assert model.answers == ["cloned"]
    assert asyncio.run(Runner.run(clone, "Go", run_config=QUIET)).final_output == "cloned"
    assert asyncio.run(Runner.run(deep, "Go", run_config=QUIET)).final_output == "42"


def test_a_runner_of_somebody_else_is_used_and_left_in_place():
    class Counting(AgentRunner):
        runs = 0

        async def run(self, *args, **more):
            Counting.runs += 1
            return await super().run(*args, **more)

    before = get_default_agent_runner()
    own = Counting()
    agent = Agent("Solo", model=Says("42"))
    try:
        set_default_agent_runner(own)
        with checked(agent) as run:
            asyncio.run(Runner.run(agent, "Go", run_config=QUIET))
        assert get_default_agent_runner() is own
        with attached(agent):
            set_default_agent_runner(own)
        assert get_default_agent_runner() is own
    finally:
        set_default_agent_runner(before)
    assert Counting.runs == 1
    assert run.trajectory.final_output == "42"


def test_agents_that_do_not_belong_to_the_run_are_left_alone():
    agent, other = Agent("Solo", model=Says("42")), Agent("Other", model=Says("7"))

    async def play():
        with checked(agent) as run:
            await Runner.run(other, "Go", run_config=QUIET)
            await Runner.run(agent, "Go", run_config=QUIET)
        return run

    assert said(asyncio.run(play())) == [("Solo", "", "42")]


def test_a_run_in_another_thread_is_recorded():
    agent = Agent("Solo", model=Says("42"))

    with checked(agent) as run:
        thread = threading.Thread(target=lambda: asyncio.run(Runner.run(agent, "Go", run_config=QUIET)))
        thread.start()
        thread.join()

    assert said(run) == [("Solo", "", "42")]


def test_a_copy_of_a_tapped_tool_works_as_a_tool_of_its_own():
    agent = Agent("Clerk", tools=[stock], model=Says("42"))

    with attached(agent):
        assert stock.__wrapped__("27") == "40 crates are in 27"
        copied = copy.copy(stock)
    user = Agent("User", tools=[copied], model=Says(uses("stock", place="9"), "Done."))

    with aegis.record(user) as run:
        asyncio.run(Runner.run(user, "Go", run_config=QUIET))

    assert [step.text for step in run.trajectory.steps if step.kind == "tool_result"] == ["40 crates are in 9"]


def test_a_tool_that_is_called_with_a_narrower_context_is_recorded():
    from agents import RunContextWrapper

    async def invoke(context: RunContextWrapper, arguments: str) -> str:
        assert type(context) is RunContextWrapper
        return "40"

    schema = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}
    tool = FunctionTool(name="count", description="", params_json_schema=schema, on_invoke_tool=invoke)
    agent = Agent("Clerk", tools=[tool], model=Says(uses("count"), "Done."))

    with checked(agent) as run:
        asyncio.run(Runner.run(agent, "Go", run_config=QUIET))

    assert [step.text for step in run.trajectory.steps if step.kind == "tool_result"] == ["40"]
    assert tool.on_invoke_tool is invoke


class Spans(TracingProcessor):
    def __init__(self):
        self.traces, self.spans = [], []

    def on_trace_start(self, trace):
        self.traces.append(trace.name)

    def on_trace_end(self, trace):
        pass

    def on_span_start(self, span):
        pass

    def on_span_end(self, span):
        self.spans.append((span.span_data.type, getattr(span.span_data, "name", None)))

    def shutdown(self):
        pass

    def force_flush(self):
        pass


@pytest.mark.case("openai-agents-28")
def test_the_sdks_own_tracing_goes_on_as_without_recording():
    provider = get_trace_provider()
    before = list(provider._multi_processor._processors)
    found = []
    try:
        for watched in (False, True):
            spans = Spans()
            set_trace_processors([spans])
            agent = Agent("Clerk", tools=[stock], model=Says(uses("stock", place="27"), "Done."))

            async def play(agent=agent):
                with trace("Own workflow"):
                    await Runner.run(agent, "Go")

            if watched:
                with aegis.record(agent):
                    asyncio.run(play())
            else:
                asyncio.run(play())
            found.append((spans.traces, spans.spans))
    finally:
        set_trace_processors(before)

    assert found[0] == found[1]
    assert found[1][0] == ["Own workflow"]
    assert ("function", "stock") in found[1][1]


def test_a_clone_has_the_model_itself_and_is_not_recorded():
    model = Says("42")
    agent = Agent("Solo", model=model)
    with checked(agent) as run:
        other = agent.clone(name="Other")
        assert other.model is model
        assert "clone" not in vars(other)
        asyncio.run(Runner.run(agent, "Go", run_config=QUIET))
        asyncio.run(Runner.run(other, "Go", run_config=QUIET))

    assert said(run) == [("Solo", "", "42")]
    assert "clone" not in vars(agent)


def test_runs_of_others_pass_by_untouched_meanwhile():
    class Seeing(AgentRunner):
        async def run(self, starting_agent, input, **more):  # noqa: A002  the SDK's own name
            seen.append((starting_agent, input, more))
            return await super().run(starting_agent, input, **more)

    seen, before, own = [], get_default_agent_runner(), Seeing()
    recorded, other = Agent("Solo", model=Says("42")), Agent("Other", model=Says("43"))
    try:
        set_default_agent_runner(own)
        with checked(recorded) as run:
            result = asyncio.run(Runner.run(other, "Go", run_config=QUIET))
            asyncio.run(Runner.run(recorded, "Go", run_config=QUIET))
        assert get_default_agent_runner() is own
    finally:
        set_default_agent_runner(before)

    agent, given, more = seen[0]
    assert (agent, given) == (other, "Go")
    assert more["run_config"] is QUIET
    assert more.get("hooks") is None
    assert type(other.model) is Says
    assert result.final_output == "43"
    assert said(run) == [("Solo", "", "42")]


def test_blocks_side_by_side_leave_the_runner_as_it_was_whichever_ends_first():
    before = get_default_agent_runner()
    first, second = Agent("First", model=Says("1")), Agent("Second", model=Says("2"))
    one, other = attached(first), attached(second)

    one.detach()
    assert get_default_agent_runner() is not before
    other.detach()

    assert get_default_agent_runner() is before
