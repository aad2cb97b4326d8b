"""What the user's code gives a team after its task: messages of the user, each once, before those who acted on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from metagpt.actions import UserRequirement
from metagpt.context import Context
from metagpt.schema import Message

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from tests.adapters.metagpt.teams import TASK, ListLLM, Review, Rex, Wanda, Write, chain, role, team

pytestmark = pytest.mark.framework


def pair() -> Any:
    """Wanda writes, Rex reviews; each says another thing every time."""
    context = Context()
    members = (
        role(Wanda, ListLLM("W1 said", "W2 said"), [Write], [UserRequirement], context),
        role(Rex, ListLLM("R1 said", "R2 said"), [Review], [Write], context),
    )
    return team(*members, context=context)


def rounds(app: Any) -> Any:
    return app.env.run(k=2)


def later(text: str, **more: Any) -> Message:
    return Message(role="Human", content=text, cause_by=UserRequirement, **more)


async def published(app: Any) -> None:
    app.env.publish_message(later("And hall 28?"))
    await rounds(app)


async def put(app: Any) -> None:
    app.env.roles["wanda"].put_message(later("And hall 28?"))
    await rounds(app)


async def projected(app: Any) -> None:
    app.run_project("And hall 28?")
    await rounds(app)


async def run_again(app: Any) -> None:
    await app.run(n_round=2, idea="And hall 28?")


async def role_run(app: Any) -> None:
    await app.env.roles["wanda"].run("And hall 28?")
    await rounds(app)


async def role_run_with_a_message(app: Any) -> None:
    await app.env.roles["wanda"].run(later("And hall 28?"))
    await rounds(app)


WAYS = [published, put, projected, run_again, role_run, role_run_with_a_message]


@pytest.mark.filterwarnings("ignore::aegis_core.errors.RecorderWarning")  # some of these ways are a second call
@pytest.mark.parametrize("more", WAYS)
def test_what_the_users_code_gives_later_is_a_message_of_the_user(more: Callable[[Any], Any]) -> None:
    app = pair()

    async def play() -> None:
        await app.run(n_round=2, idea=TASK)
        await more(app)

    with aegis.record(app) as run:
        asyncio.run(play())

    steps = run.trajectory.steps
    assert [(step.agent, step.text) for step in steps] == [
        ("Wanda", "W1 said"), ("Rex", "R1 said"), ("user", "And hall 28?"), ("Wanda", "W2 said"), ("Rex", "R2 said"),
    ]  # fmt: skip
    assert (run.trajectory.task, steps[2].kind) == (TASK, "message")
    assert (steps[2].addressed_to, "Wanda" in steps[2].visible_to) == (("Wanda",), True)
    assert 2 in steps[3].parents
    assert [agent.kind for agent in run.trajectory.agents if agent.path == "user"] == ["user"]


def test_what_is_given_first_is_the_task_and_no_step() -> None:
    for give in (put, published, projected, role_run):
        app = pair()

        with aegis.record(app) as run:
            asyncio.run(give(app))

        assert [step.agent for step in run.trajectory.steps] == ["Wanda", "Rex"]
        assert run.trajectory.task == "And hall 28?"


def test_what_is_given_before_anybody_acts_is_what_the_run_begins_with() -> None:
    app = pair()

    with aegis.record(app) as run:
        app.run_project(TASK)
        app.env.publish_message(later(TASK, send_to={"Rex"}))
        app.env.publish_message(later("Be brief.", send_to={"Wanda"}))
        asyncio.run(rounds(app))

    assert "user" not in {step.agent for step in run.trajectory.steps}
    assert "Be brief." in [part.text for part in run.tape.entries[0].request]


def test_a_message_that_is_given_to_several_is_one_step() -> None:
    app = pair()
    message = later("Both of you.", send_to={"Wanda", "Rex"})

    async def play() -> None:
        await app.run(n_round=2, idea=TASK)
        for member in app.env.roles.values():
            member.put_message(message)
        await app.env.run()

    with aegis.record(app) as run:
        asyncio.run(play())

    assert [step.text for step in run.trajectory.steps if step.agent == "user"] == ["Both of you."]
    assert all(2 in step.parents for step in run.trajectory.steps if step.text in ("W2 said", "R2 said"))


def test_what_a_role_said_and_the_users_code_hands_on_is_not_the_users() -> None:
    app = pair()

    async def play() -> None:
        await app.run(n_round=2, idea=TASK)
        said = app.env.roles["rex"].rc.memory.get()[-1]
        app.env.roles["wanda"].put_message(said)

    with aegis.record(app) as run:
        asyncio.run(play())

    assert [step.agent for step in run.trajectory.steps] == ["Wanda", "Rex"]


def test_words_for_a_role_that_works_alone_are_messages_of_the_user() -> None:
    alone = role(Wanda, ListLLM("one", "two"), [Write], [UserRequirement], Context())

    async def play() -> None:
        await alone.run("First thing.")
        await alone.run("Second thing.")

    with pytest.warns(RecorderWarning, match="2 calls"), aegis.record(alone) as run:
        asyncio.run(play())

    assert [(step.agent, step.text) for step in run.trajectory.steps] == [
        ("Wanda", "one"), ("user", "Second thing."), ("Wanda", "two"),
    ]  # fmt: skip
    assert run.trajectory.task == "First thing."


def test_what_is_put_into_a_role_is_let_go_again() -> None:
    app, _ = chain()
    member = app.env.roles["wanda"]

    with aegis.record(app):
        assert "put_message" in vars(member)
        asyncio.run(app.run(n_round=5, idea=TASK))

    assert "put_message" not in vars(member)
