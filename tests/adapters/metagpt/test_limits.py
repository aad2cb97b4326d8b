"""What is not supported, as the README says: rows with a test that shows it."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

import pytest
from metagpt.logs import logger

import aegis_core as aegis
from tests.adapters.metagpt.teams import TASK, ListLLM, chain, said

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


def test_the_log_of_an_exception_that_a_team_swallows_shows_a_frame_of_the_adapter() -> None:
    """The decorator logs the traceback by which the exception came to it, and that is through what it decorates."""

    def log(*, recorded: bool) -> str:
        app, _ = chain(rex=ListLLM(OSError("down")))
        lines: list[str] = []
        sink = logger.add(lines.append, level="ERROR", format="{message}", backtrace=False)
        logger.enable("metagpt")
        try:
            with aegis.record(app) if recorded else nullcontext():
                asyncio.run(app.run(n_round=5, idea=TASK))
        finally:
            logger.disable("metagpt")
            logger.remove(sink)
        return "".join(lines)

    assert "aegis_metagpt" not in log(recorded=False)
    assert "aegis_metagpt/_compat.py" in log(recorded=True)
