"""What is recorded of teams: who said what, to whom it was delivered, and who acted on it."""

from __future__ import annotations

import asyncio

import pytest
from metagpt.actions import UserRequirement
from metagpt.context import Context
from metagpt.environment import Environment
from metagpt.roles import Role
from metagpt.schema import Message

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from aegis_core.trajectory import Usage
from tests.adapters.metagpt.teams import (
    TASK,
    Improve,
    ListLLM,
    Pam,
    Review,
    Rex,
    Wanda,
    Write,
    chain,
    recorded,
    role,
    said,
    steps,
    team,
)

pytestmark = pytest.mark.framework


def part_of_user(parts) -> bool:
    return parts[0].author == "user"


@pytest.mark.case("metagpt-17")
def test_a_chain_of_roles_is_a_step_each_delivered_to_all_and_acted_on_by_one() -> None:
    app, _ = chain()

    run = recorded(app)

    assert said(run) == [("Wanda", "W1 said"), ("Rex", "R1 said"), ("Pam", "P1 said")]
    assert [step.visible_to for step in run.trajectory.steps] == [("Rex", "Pam"), ("Wanda", "Pam"), ("Wanda", "Rex")]
    assert [step.addressed_to for step in run.trajectory.steps] == [("Rex",), ("Pam",), ()]
    usage = [step.usage for step in run.trajectory.steps]
    assert (sum(u.input_tokens for u in usage), sum(u.output_tokens for u in usage)) == (21, 9)
    assert (run.trajectory.task, run.trajectory.final_output) == (TASK, "P1 said")


@pytest.mark.case("metagpt-17")
def test_the_requirement_is_the_task_goes_to_all_and_the_one_who_watches_it_reacts() -> None:
    app, models = chain()

    run = recorded(app)

    assert run.trajectory.task == TASK
    inputs = {entry.key.moment.agent: entry.request for entry in run.tape.entries if entry.key.kind == "input"}
    assert [part.text for part in inputs["Wanda"]] == [TASK]
    assert all(TASK in [part.text for part in parts] and part_of_user(parts) for parts in inputs.values())
    assert list(inputs) == ["Wanda", "Rex", "Pam"]
    assert TASK in models[0].seen[0]
    assert (run.trajectory.steps[0].agent, run.trajectory.steps[0].text) == ("Wanda", "W1 said")
    assert all(step.model == "gpt-4o" for step in run.trajectory.steps)


@pytest.mark.case("metagpt-18")
def test_actions_by_order_are_one_turn_with_a_call_each_and_one_publication() -> None:
    context = Context()
    model = ListLLM("first words", "second words")
    wanda = role(Wanda, model, [Write, Improve], [UserRequirement], context)
    wanda._set_react_mode("by_order")
    rex = role(Rex, ListLLM("R1 said"), [Review], [Improve], context)
    app = team(wanda, rex, context=context)

    run = recorded(app)

    assert said(run) == [("Wanda", "second words"), ("Rex", "R1 said")]
    assert [e.key.call for e in run.tape.entries if e.key.kind == "model" and e.key.moment.agent == "Wanda"] == [1, 2]
    assert "first words" in model.seen[1]
    assert [m.content for m in wanda.rc.memory.get()] == [TASK, "first words", "second words", "R1 said"]
    assert "first words" not in [m.content for m in rex.rc.memory.get()]


@pytest.mark.case("metagpt-19")
def test_thinking_and_acting_twice_are_four_calls_in_one_turn() -> None:
    context = Context()
    model = ListLLM("0", "first words", "1", "second words")
    wanda = role(Wanda, model, [Write, Improve], [UserRequirement], context)
    wanda._set_react_mode("react", max_react_loop=2)
    app = team(wanda, context=context)

    run = recorded(app)

    calls = [entry.key for entry in run.tape.entries if entry.key.kind == "model"]
    assert [(key.moment.turn, key.call) for key in calls] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert said(run) == [("Wanda", "second words")]


@pytest.mark.case("metagpt-20")
@pytest.mark.parametrize("slow", ["Rex", "Pam"])
def test_two_watchers_of_one_round_stand_in_the_order_in_which_they_were_hired(slow: str) -> None:
    context = Context()
    members = [role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context)]
    for cls in (Rex, Pam):
        model = ListLLM(f"{cls.__name__} said", delay=0.02 if cls.__name__ == slow else 0.0)
        members.append(role(cls, model, [Review], [Write], context))
    app = team(*members, context=context)

    run = recorded(app, n_round=2)  # Wanda in the first round, both watchers in the second

    assert list(app.env.roles.values()) == members
    assert said(run) == [("Wanda", "W1 said"), ("Rex", "Rex said"), ("Pam", "Pam said")]
    assert [step.parents for step in run.trajectory.steps] == [(), (0,), (0,)]
    assert not run.tape.overlapping


@pytest.mark.case("metagpt-21")
def test_what_is_sent_to_a_name_is_delivered_to_one_who_acts_on_it() -> None:
    app, models = chain(to="Pam")

    run = recorded(app)

    step = run.trajectory.steps[0]
    assert (step.addressed_to, step.visible_to) == (("Pam",), ("Pam",))
    assert [later.agent for later in run.trajectory.steps] == ["Wanda", "Pam"]
    assert not models[1].asked


@pytest.mark.case("metagpt-21")
def test_what_is_sent_to_a_class_is_delivered_but_nobody_acts_on_it() -> None:
    app, models = chain(to=Pam)

    run = recorded(app)

    step = run.trajectory.steps[0]
    assert (step.addressed_to, step.visible_to) == ((), ("Pam",))
    assert len(run.trajectory.steps) == 1
    assert not models[2].asked
    assert run.trajectory.error is None


@pytest.mark.case("metagpt-21")
@pytest.mark.case("metagpt-N8")
def test_what_is_sent_to_nobody_says_so() -> None:
    app, _ = chain(to="Edward")

    run = recorded(app)

    message, warning = run.trajectory.steps
    assert (message.addressed_to, message.visible_to) == ((), ())
    assert (warning.kind, warning.agent, warning.turn) == ("system", "Wanda", 1)
    assert warning.text == "this message has no recipients: Edward"
    published = Message(content="Hello?", cause_by=Write, send_to={"Edward"})
    assert app.env.publish_message(published) is True  # FoundationAgents/MetaGPT#2082


@pytest.mark.case("metagpt-N8")
def test_of_two_roles_with_one_profile_the_first_never_acts_and_this_is_said() -> None:
    context = Context()
    models = ListLLM("R1 said"), ListLLM("P1 said")
    app = team(
        role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context),
        role(Rex, models[0], [Review], [Write], context, profile="reviewer"),
        role(Pam, models[1], [Review], [Write], context, profile="reviewer"),
        context=context,
    )

    with pytest.warns(RecorderWarning, match="'Rex' will never act"):
        run = recorded(app)

    assert said(run) == [("Wanda", "W1 said"), ("Pam", "P1 said")]
    assert not models[0].asked
    assert set(run.trajectory.steps[0].visible_to) == {"Rex", "Pam"}
    assert run.trajectory.steps[0].addressed_to == ("Pam",)
    assert {agent.path for agent in run.trajectory.agents} == {"Wanda", "Rex", "Pam"}


@pytest.mark.case("metagpt-N10")
def test_what_a_role_does_not_watch_is_in_its_input_all_the_same() -> None:
    app, models = chain()

    run = recorded(app)

    (given,) = [e.request for e in run.tape.entries if e.key.kind == "input" and e.key.moment.agent == "Pam"]
    assert [(part.author, part.text) for part in given] == [("user", TASK), ("Wanda", "W1 said"), ("Rex", "R1 said")]
    assert "W1 said" in models[2].seen[0]
    assert run.trajectory.steps[2].parents == (0, 1)
    assert run.trajectory.steps[0].addressed_to == ("Rex",)  # Pam was told of it, and did not act on it


@pytest.mark.case("metagpt-N11")
def test_the_profile_of_an_author_is_no_role_of_the_model() -> None:
    app, _ = chain()

    run = recorded(app)

    roles = {part.role for entry in run.tape.entries for part in entry.request}
    assert roles <= {"system", "user", "assistant"}


def test_a_role_that_acts_again_is_told_only_what_is_new() -> None:
    context = Context()
    app = team(
        role(Wanda, ListLLM("W1 said", "W2 said"), [Write], [UserRequirement, Review], context),
        role(Rex, ListLLM("R1 said", "R2 said"), [Review], [Write], context),
        context=context,
    )

    run = recorded(app, n_round=3)

    (_, later) = [e.request for e in run.tape.entries if e.key.kind == "input" and e.key.moment.agent == "Wanda"]
    assert [(part.author, part.text) for part in later] == [("Rex", "R1 said")]
    assert [(step.agent, step.turn) for step in run.trajectory.steps] == [("Wanda", 1), ("Rex", 1), ("Wanda", 2)]


def test_a_team_that_goes_on_is_one_run() -> None:
    app, _ = chain()

    with aegis.record(app) as run:
        asyncio.run(app.run(n_round=1, idea=TASK))
        asyncio.run(app.run(n_round=5))

    assert [agent for agent, _ in said(run)] == ["Wanda", "Rex", "Pam"]
    assert run.run.separate_calls == 1


def test_a_requirement_that_was_published_before_the_block_is_the_task() -> None:
    app, _ = chain()
    app.run_project(TASK)

    with aegis.record(app) as run:
        asyncio.run(app.run(n_round=5))

    assert run.trajectory.task == TASK
    assert [agent for agent, _ in said(run)] == ["Wanda", "Rex", "Pam"]


def test_a_second_requirement_in_one_block_is_warned_of() -> None:
    app, _ = chain()

    async def twice() -> None:
        await app.run(n_round=5, idea=TASK)
        await app.run(n_round=5, idea="And hall 28?")

    with pytest.warns(RecorderWarning, match="2 calls"), aegis.record(app) as run:
        asyncio.run(twice())

    assert run.trajectory.task == TASK


def test_an_environment_that_is_run_by_hand_is_recorded_as_a_team_is() -> None:
    context = Context()
    environment = Environment(context=context)
    environment.add_roles(
        [
            role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context),
            role(Rex, ListLLM("R1 said"), [Review], [Write], context),
        ]
    )

    async def work() -> None:
        environment.publish_message(Message(role="Human", content=TASK, cause_by=UserRequirement))
        while not environment.is_idle:
            await environment.run(2)

    with aegis.record(environment) as run:
        asyncio.run(work())

    assert said(run) == [("Wanda", "W1 said"), ("Rex", "R1 said")]
    assert (run.trajectory.task, run.trajectory.final_output) == (TASK, "R1 said")
    assert run.trajectory.adapter == "metagpt"


def test_a_role_alone_is_recorded() -> None:
    context = Context()
    wanda = role(Wanda, ListLLM("W1 said", "W2 said"), [Write], [UserRequirement], context)

    with aegis.record(wanda) as run:
        answer = asyncio.run(wanda.run(TASK))

    assert answer.content == "W1 said"
    assert said(run) == [("Wanda", "W1 said")]
    assert (run.trajectory.task, run.trajectory.final_output) == (TASK, "W1 said")


def test_a_role_that_is_hired_on_the_way_is_recorded() -> None:
    app, _ = chain()
    context = app.env.context
    late = role(Role2, ListLLM("L1 said"), [Improve], [Write], context, name="Lena")

    with aegis.record(app) as run:

        async def work() -> None:
            await app.run(n_round=1, idea=TASK)
            app.hire([late])
            app.env.publish_message(Message(content="Improve this.", cause_by=Write, send_to={"Lena"}))
            await app.run(n_round=5)

        asyncio.run(work())

    assert ("Lena", "L1 said") in said(run)
    assert "Lena" in {agent.path for agent in run.trajectory.agents}
    assert "react" not in vars(late)


class Role2(Rex):
    name: str = "Lena"


def test_the_name_of_a_role_can_be_anything() -> None:
    context = Context()
    members = [
        role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context, name="R/D"),
        role(Rex, ListLLM("R1 said"), [Review], [Write], context, name="Twin"),
        role(Pam, ListLLM("P1 said"), [Review], [Write], context, name="Twin"),
    ]

    run = recorded(team(*members, context=context))

    assert [agent for agent, _ in said(run)] == ["R-D", "Twin", "Twin#2"]


def test_a_turn_that_says_nothing_keeps_what_its_model_said_and_cost() -> None:
    class Quiet(Role):
        async def _act(self) -> None:
            await self.llm.aask("Hm?")

    context = Context()
    quiet = role(Quiet, ListLLM("Only for me."), [Write], [UserRequirement], context)

    with aegis.record(quiet) as run:
        asyncio.run(quiet.run(TASK))

    assert [(step.kind, step.text) for step in steps(run)] == [("thought", "Only for me.")]
    assert steps(run)[0].usage == Usage(input_tokens=7, output_tokens=3)


def test_the_results_of_all_actions_and_the_usage_of_all_calls_are_in_the_steps() -> None:
    context = Context()
    wanda = role(Wanda, ListLLM("one", "two"), [Write, Improve], [UserRequirement], context)
    wanda._set_react_mode("by_order", 5)

    with aegis.record(wanda) as run:
        asyncio.run(wanda.run(TASK))

    assert [(step.kind, step.text) for step in steps(run)] == [("thought", "one"), ("message", "two")]
    assert [step.usage for step in steps(run)] == [None, Usage(input_tokens=14, output_tokens=6)]


def test_a_team_whose_environment_is_run_by_the_users_code_has_an_output() -> None:
    app, _ = chain()

    async def play() -> None:
        app.env.publish_message(Message(content=TASK, cause_by=UserRequirement))
        while not app.env.is_idle:
            await app.env.run()

    with aegis.record(app) as run:
        asyncio.run(play())

    assert said(run) == [("Wanda", "W1 said"), ("Rex", "R1 said"), ("Pam", "P1 said")]
    assert (run.trajectory.task, run.trajectory.final_output) == (TASK, "P1 said")
