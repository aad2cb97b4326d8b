"""What is not supported, as the README says: rows with a test that shows it."""

from __future__ import annotations

import asyncio

import pytest

import aegis_core as aegis
from tests.adapters.metagpt.teams import TASK, chain, said

pytestmark = pytest.mark.framework


def test_thinking_that_the_users_code_asks_for_is_no_turn() -> None:
    app, _ = chain()

    async def play() -> None:
        await next(iter(app.env.roles.values())).think()
        await app.run(n_round=5, idea=TASK)

    with aegis.record(app) as run:
        asyncio.run(play())

    assert said(run) == [("Wanda", "W1 said"), ("Rex", "R1 said"), ("Pam", "P1 said")]
    assert [step.turn for step in run.trajectory.steps] == [1, 1, 1]


def test_a_completion_that_is_asked_for_by_itself_is_not_on_tape() -> None:
    app, models = chain()

    async def play() -> None:
        await models[0].acompletion([{"role": "user", "content": "by the way"}])
        await app.run(n_round=5, idea=TASK)

    with aegis.record(app) as run:
        asyncio.run(play())

    assert "by the way" not in run.tape.model_dump_json()
