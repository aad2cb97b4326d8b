"""Each name of the SDK that is not documented is where the adapter looks for it, in the version that is installed."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent, Runner, function_tool, handoff
from agents.run import AgentRunner

from aegis_openai_agents import _compat
from tests.adapters.openai_agents.models import QUIET, Says

pytestmark = pytest.mark.framework


def test_the_default_runner_is_found_and_set():
    before, other = _compat.default_runner(), AgentRunner()
    try:
        _compat.set_default_runner(other)
        assert _compat.default_runner() is other
    finally:
        _compat.set_default_runner(before)
    assert _compat.default_runner() is before


def test_a_tool_made_of_an_agent_knows_it():
    agent = Agent("Clerk")

    assert _compat.agent_of_tool(agent.as_tool("clerk", "Counts.")) is agent


def test_a_hand_off_knows_where_it_leads():
    agent = Agent("Clerk")

    assert _compat.target_of(handoff(agent)) is agent


def test_an_invoker_has_what_raises_inside():
    @function_tool
    def broken() -> str:
        """Breaks."""
        raise ValueError

    assert _compat.watch_failures(broken.on_invoke_tool, lambda _: None) is not None


def test_a_streamed_result_has_its_task_and_its_exception():
    async def play():
        result = Runner.run_streamed(Agent("Solo", model=Says(ConnectionError("down"))), "Go", run_config=QUIET)
        task = _compat.loop_task(result)
        with pytest.raises(ConnectionError):
            [event async for event in result.stream_events()]
        return task, _compat.stored_exception(result)

    task, error = asyncio.run(play())

    assert task is not None
    assert isinstance(error, ConnectionError)
