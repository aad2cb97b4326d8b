"""How a run is started and ends: ways, sessions, limits, guardrails, and what of the user's own is kept."""

from __future__ import annotations

import asyncio

import pytest
from agents import (
    Agent,
    AgentHooks,
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    ModelBehaviorError,
    ModelProvider,
    ModelSettings,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunHooks,
    Runner,
    SQLiteSession,
    function_tool,
    input_guardrail,
    output_guardrail,
)
from pydantic import BaseModel

import aegis_core as aegis
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_core.plugins import default_plugins
from aegis_openai_agents.workflow import Workflow
from tests.adapters.openai_agents.models import QUIET, Says, checked, hands_to, uses

pytestmark = pytest.mark.framework


def recorded(agent, start):
    """Records `start(agent)`; gives the recording, the result and the exception."""

    async def play():
        result, error = None, None
        with checked(agent) as run:
            try:
                result = await start(agent)
            except Exception as raised:
                error = raised
        return run, result, error

    return asyncio.run(play())


def told(run):
    return [(step.agent, step.kind, step.text) for step in run.trajectory.steps]


@function_tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@pytest.fixture
def loop():
    """An event loop for `run_sync`, which leaves its own open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield loop
    asyncio.set_event_loop(None)
    loop.close()


@pytest.mark.case("openai-agents-11")
def test_a_synchronous_run_is_recorded(loop):
    agent = Agent("Solo", model=Says("42"))

    with checked(agent) as run:
        result = Runner.run_sync(agent, "How many?", run_config=QUIET)

    assert result.final_output == run.trajectory.final_output == "42"
    assert told(run) == [("Solo", "message", "42")]


@pytest.mark.case("openai-agents-13")
@pytest.mark.case("openai-agents-719")
def test_what_was_done_before_the_limit_is_kept_and_the_run_has_no_end():
    number = iter(range(100))
    agent = Agent("Clerk", tools=[add], model=Says(lambda _: [uses("add", f"c{next(number)}", a=1, b=1)]))

    recording = aegis.record(agent)
    with pytest.raises(MaxTurnsExceeded), recording:
        asyncio.run(Runner.run(agent, "Go", max_turns=2, run_config=QUIET))

    assert recording.run.limit_reached.startswith("Max turns (2) exceeded")
    assert recording.trajectory.error.type == "MaxTurnsExceeded"
    assert [step.kind for step in recording.trajectory.steps] == ["tool_call", "tool_result"] * 2 + ["error"]


def test_a_failure_that_the_users_code_goes_on_from_is_not_the_end():
    agent = Agent("Solo", model=Says(ConnectionError("down"), "42"))
    session = SQLiteSession("again")

    async def start(agent):
        with pytest.raises(ConnectionError):
            await Runner.run(agent, "How many?", session=session, run_config=QUIET)
        return await Runner.run(agent, "Again?", session=session, run_config=QUIET)

    run, _, error = recorded(agent, start)
    session.close()

    assert error is None
    assert [(step.kind, step.turn) for step in run.trajectory.steps] == [("error", 1), ("message", 2)]
    assert (run.trajectory.error, run.trajectory.final_output) == (None, "42")


@pytest.mark.case("openai-agents-12")
@pytest.mark.case("openai-agents-991")
def test_a_tripwire_of_the_input_is_an_error_of_the_agent_that_it_guards():
    @input_guardrail(run_in_parallel=False)
    async def refuse(context, agent, given):
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    agent = Agent("Solo", input_guardrails=[refuse], model=Says("42"))

    run, _, error = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    assert isinstance(error, InputGuardrailTripwireTriggered)
    (step,) = run.trajectory.steps
    assert (step.agent, step.kind) == ("Solo", "error")
    assert "InputGuardrailTripwireTriggered" in step.text
    assert agent.model.shown == []
    assert run.tape.entries[0].request[0].text == "How many?"


@pytest.mark.case("openai-agents-12")
@pytest.mark.case("openai-agents-889")
def test_a_tripwire_beside_the_model_call_is_recorded_once():
    @input_guardrail
    async def refuse(context, agent, given):
        await asyncio.sleep(0.01)
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    async def slow(_):
        await asyncio.sleep(0.1)
        return "42"

    agent = Agent("Solo", input_guardrails=[refuse], model=Says(slow))

    run, _, error = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    assert isinstance(error, InputGuardrailTripwireTriggered)
    assert [(step.agent, step.kind) for step in run.trajectory.steps] == [("Solo", "error")]


@pytest.mark.case("openai-agents-12")
def test_a_tripwire_of_the_output_stands_behind_what_was_said():
    @output_guardrail
    async def refuse(context, agent, output):
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    agent = Agent("Solo", output_guardrails=[refuse], model=Says("42"))

    run, _, error = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    assert isinstance(error, OutputGuardrailTripwireTriggered)
    assert [step.kind for step in run.trajectory.steps] == ["message", "error"]
    assert run.trajectory.steps[0].text == "42"


@pytest.mark.case("openai-agents-25")
def test_an_agent_that_a_guardrail_asks_is_recorded_inside_the_guarded_one():
    judge = Agent("Judge", model=Says("All right."))

    @input_guardrail
    async def check(context, agent, given):
        result = await Runner.run(judge, given, run_config=QUIET)
        return GuardrailFunctionOutput(output_info=result.final_output, tripwire_triggered=False)

    agent = Agent("Solo", input_guardrails=[check], model=Says("42"))

    run, _, _ = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    assert told(run) == [("Solo/Judge", "message", "All right."), ("Solo", "message", "42")]
    assert run.trajectory.final_output == "42"


class Sum(BaseModel):
    total: int


@pytest.mark.case("openai-agents-8")
def test_output_of_another_type_than_asked_for_is_an_error_behind_what_was_said():
    agent = Agent("Adder", output_type=Sum, model=Says("five"))

    run, _, error = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    assert isinstance(error, ModelBehaviorError)
    assert [(step.kind, step.agent) for step in run.trajectory.steps] == [("message", "Adder"), ("error", "Adder")]


@pytest.mark.case("openai-agents-14")
def test_a_session_makes_a_second_call_part_of_the_run():
    agent = Agent("Solo", model=Says("Hall 27 holds 40.", "In all 80."))
    session = SQLiteSession("one")

    async def start(agent):
        await Runner.run(agent, "How many in hall 27?", session=session, run_config=QUIET)
        return await Runner.run(agent, "And in all?", session=session, run_config=QUIET)

    run, _, _ = recorded(agent, start)
    session.close()

    assert [(step.turn, step.text) for step in run.trajectory.steps] == [(1, "Hall 27 holds 40."), (2, "In all 80.")]
    assert run.run.separate_calls == 1
    assert (run.trajectory.task, run.trajectory.final_output) == ("How many in hall 27?", "In all 80.")
    assert "Hall 27 holds 40." in agent.model.shown[1]


@pytest.mark.case("openai-agents-15")
@pytest.mark.case("openai-agents-741")
def test_a_history_handed_in_goes_on_with_the_agent_that_spoke_last():
    billing = Agent("Billing", model=Says("Which month?", "May is paid."))
    triage = Agent("Triage", handoffs=[billing], model=Says(hands_to("Billing")))

    async def start(agent):
        first = await Runner.run(agent, "Is it paid?", run_config=QUIET)
        more = [*first.to_input_list(), {"role": "user", "content": "May"}]
        return await Runner.run(first.last_agent, more, run_config=QUIET)

    run, _, _ = recorded(triage, start)

    assert [(step.agent, step.turn) for step in run.trajectory.steps] == [("Triage", 1), ("Billing", 1), ("Billing", 2)]
    assert run.run.separate_calls == 1
    assert run.trajectory.final_output == "May is paid."


def test_calls_that_have_nothing_to_do_with_each_other_are_warned_of():
    agent = Agent("Solo", model=Says("one", "two"))

    async def play():
        with aegis.record(agent):
            await Runner.run(agent, "First?", run_config=QUIET)
            await Runner.run(agent, "Second?", run_config=QUIET)

    with pytest.warns(RecorderWarning, match="2 calls"):
        asyncio.run(play())


@pytest.mark.case("openai-agents-17")
@pytest.mark.case("openai-agents-482")
def test_instructions_that_are_made_for_each_call_are_recorded_as_shown():
    def instructions(context, agent):
        return f"You serve {context.context}."

    agent = Agent("Solo", instructions=instructions, model=Says("42"))
    run, _, _ = recorded(agent, lambda agent: Runner.run(agent, "How many?", context="hall 27", run_config=QUIET))

    assert run.tape.entries[0].request[0].text == "You serve hall 27."
    assert run.trajectory.agents[0].role == ""


class Notes(RunHooks):
    def __init__(self):
        self.seen = []

    async def on_agent_start(self, context, agent):
        self.seen.append(("start", agent.name))

    async def on_agent_end(self, context, agent, output):
        self.seen.append(("end", agent.name, output))

    async def on_llm_start(self, context, agent, system_prompt, input_items):
        self.seen.append(("asks", agent.name))

    async def on_llm_end(self, context, agent, response):
        self.seen.append(("answers", agent.name))

    async def on_handoff(self, context, from_agent, to_agent):
        self.seen.append(("over", from_agent.name, to_agent.name))

    async def on_tool_start(self, context, agent, tool):
        self.seen.append(("tool", tool.name))

    async def on_tool_end(self, context, agent, tool, result):
        self.seen.append(("used", tool.name, str(result)))


class OwnNotes(AgentHooks):
    def __init__(self, seen):
        self.seen = seen

    async def on_start(self, context, agent):
        self.seen.append(("own start", agent.name))

    async def on_handoff(self, context, agent, source):
        self.seen.append(("own over", agent.name, source.name))


def _team(seen):
    writer = Agent("Writer", model=Says("Done."), hooks=OwnNotes(seen))
    clerk = Says(uses("add", a=1, b=1), hands_to("Writer", "c2"))
    return Agent("Clerk", tools=[add], handoffs=[writer], model=clerk, hooks=OwnNotes(seen))


@pytest.mark.case("openai-agents-18")
@pytest.mark.case("openai-agents-1612")
@pytest.mark.case("openai-agents-1909")
def test_the_users_own_hooks_hear_the_same_as_without_recording():
    plain, hooks = Notes(), Notes()
    asyncio.run(Runner.run(_team(plain.seen), "Go", hooks=plain, run_config=QUIET))

    run, _, _ = recorded(_team(hooks.seen), lambda agent: Runner.run(agent, "Go", hooks=hooks, run_config=QUIET))

    assert hooks.seen == plain.seen
    assert ("answers", "Clerk") in hooks.seen
    assert ("asks", "Writer") in hooks.seen
    assert [step.kind for step in run.trajectory.steps] == ["tool_call", "tool_result", "handoff", "message"]


@pytest.mark.case("openai-agents-18")
def test_a_hook_with_other_parameter_names_fails_as_without_recording():
    class Wrong(RunHooks):
        async def on_handoff(self, context, source, target):
            raise AssertionError

    with pytest.raises(TypeError) as plain:
        asyncio.run(Runner.run(_team([]), "Go", hooks=Wrong(), run_config=QUIET))
    _, _, error = recorded(_team([]), lambda agent: Runner.run(agent, "Go", hooks=Wrong(), run_config=QUIET))

    assert (type(error), str(error)) == (plain.type, str(plain.value))


@pytest.mark.case("openai-agents-18")
def test_hooks_of_the_wrong_kind_are_refused_by_the_sdk_itself():
    _, _, error = recorded(_team([]), lambda agent: Runner.run(agent, "Go", hooks=OwnNotes([]), run_config=QUIET))

    assert isinstance(error, TypeError)
    assert "AgentHooks" in str(error) or "OwnNotes" in str(error)


class Shelf(ModelProvider):
    def __init__(self, models):
        self.models = models
        self.asked = []

    def get_model(self, model_name):
        self.asked.append(model_name)
        return self.models[model_name]


@pytest.mark.case("openai-agents-19")
@pytest.mark.case("openai-agents-663")
def test_a_model_given_by_name_is_found_by_the_runs_own_provider_when_it_is_called():
    shelf = Shelf({"big": Says(uses("help", input="x"), "Done."), "small": Says("Helped.")})
    helper = Agent("Helper", model="small")
    lead = Agent("Lead", model="big", tools=[helper.as_tool("help", "Helps.")])
    config = RunConfig(model_provider=shelf, tracing_disabled=True)

    run, result, _ = recorded(lead, lambda agent: Runner.run(agent, "Go", run_config=config))

    assert result.final_output == "Done."
    assert ("Lead/Helper", "message", "Helped.") in told(run)
    assert shelf.asked == ["big", "small", "big"]
    assert config.model_provider is shelf
    assert lead.model == "big"


@pytest.mark.case("openai-agents-19")
def test_a_model_of_the_run_configuration_is_recorded_for_whom_it_answers():
    model = Says(hands_to("Writer"), "Done.")
    writer = Agent("Writer", model=Says("never"))
    clerk = Agent("Clerk", handoffs=[writer], model=Says("never"))
    config = RunConfig(model=model, tracing_disabled=True)

    run, _, _ = recorded(clerk, lambda agent: Runner.run(agent, "Go", run_config=config))

    assert [(step.agent, step.kind) for step in run.trajectory.steps] == [("Clerk", "handoff"), ("Writer", "message")]
    assert config.model is model


def test_models_get_the_settings_that_they_would_get_without_recording():
    def agent():
        return Agent("Solo", model=Says("42"), model_settings=ModelSettings(temperature=0.3))

    plain, watched = agent(), agent()
    asyncio.run(Runner.run(plain, "How many?", run_config=QUIET))
    recorded(watched, lambda agent: Runner.run(agent, "How many?", run_config=QUIET))

    without_key = [settings.to_json_dict() | {"extra_args": None} for settings in plain.model.settings]
    assert [settings.to_json_dict() | {"extra_args": None} for settings in watched.model.settings] == without_key


def test_a_filter_of_the_models_input_is_recorded_as_what_the_model_was_shown():
    def shorten(data):
        data.model_data.instructions = "Be short."
        return data.model_data

    agent = Agent("Solo", instructions="Be long.", model=Says("42"))
    config = RunConfig(call_model_input_filter=shorten, tracing_disabled=True)
    run, _, _ = recorded(agent, lambda agent: Runner.run(agent, "How many?", run_config=config))

    assert run.tape.entries[0].request[0].text == "Be short."


@pytest.mark.case("openai-agents-29")
@pytest.mark.case("openai-agents-636")
def test_a_run_that_waits_for_approval_goes_on_in_the_same_turn():
    @function_tool(needs_approval=True)
    def pay(amount: int) -> str:
        return f"Paid {amount}."

    agent = Agent("Clerk", tools=[pay], model=Says(uses("pay", amount=5), "It is paid."))

    async def start(agent):
        first = await Runner.run(agent, "Pay 5.", run_config=QUIET)
        state = first.to_state()
        state.approve(first.interruptions[0])
        return await Runner.run(agent, state, run_config=QUIET)

    run, result, _ = recorded(agent, start)

    assert result.final_output == "It is paid."
    assert told(run) == [
        ("Clerk", "tool_call", "pay(amount=5)"),
        ("Clerk", "tool_result", "Paid 5."),
        ("Clerk", "message", "It is paid."),
    ]
    assert {step.turn for step in run.trajectory.steps} == {1}
    assert run.run.separate_calls == 1


def test_the_answer_is_where_the_user_says_that_it_is():
    agent = Agent("Adder", output_type=Sum, model=Says('{"total": 5}'))
    told_where = aegis.System(agent, output=lambda result: str(result.final_output.total))
    told_wrong = aegis.System(agent, output=lambda result: result.nothing)

    run, _, _ = recorded(told_where, lambda _: Runner.run(agent, "How many?", run_config=QUIET))
    assert run.trajectory.final_output == "5"
    with pytest.warns(RecorderWarning, match="`output` raised AttributeError"):
        recorded(told_wrong, lambda _: Runner.run(agent, "How many?", run_config=QUIET))


def test_the_adapter_is_chosen_by_the_object_and_says_what_it_takes():
    adapter = default_plugins().adapter_for(Agent("Solo", model=Says("42")))
    assert adapter.name == "openai-agents"
    assert default_plugins().adapter_for(Workflow(Agent("Solo"))).name == "openai-agents"
    assert not adapter.can_handle(Workflow())
    with pytest.raises(AdapterError, match="Workflow"):
        adapter.start(Workflow(Agent("Solo")), "Go")
    with pytest.raises(AdapterError, match=r"agents\.Agent"):
        adapter.attach("Solo", None)


@pytest.mark.case("openai-agents-27")
def test_a_users_own_class_of_the_same_name_is_not_taken():
    own = type("Agent", (), {"__module__": "agents.agent"})

    with pytest.raises(AdapterError):
        default_plugins().adapter_for(own())
