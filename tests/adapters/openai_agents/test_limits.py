"""What is not supported, as the README says: each row with a test that shows it."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent, ModelResponse, Runner, Usage
from agents.run import AgentRunner
from openai.types.responses import ResponseFunctionWebSearch
from openai.types.responses.response_function_web_search import ActionSearch

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from aegis_openai_agents.adapter import OpenAIAgentsAdapter
from aegis_openai_agents.testing.items import message
from tests.adapters.openai_agents.models import QUIET, Says, checked

pytestmark = pytest.mark.framework


def test_a_realtime_agent_is_not_taken():
    realtime = pytest.importorskip("agents.realtime", exc_type=ImportError)

    assert not OpenAIAgentsAdapter().can_handle(realtime.RealtimeAgent("Voice"))


def test_a_runner_that_is_used_by_itself_is_not_recorded_and_this_is_said():
    agent = Agent("Solo", model=Says("42"))

    recording = aegis.record(agent)
    with pytest.warns(RecorderWarning, match="nothing was recorded"), recording:
        asyncio.run(AgentRunner().run(agent, "How many?", run_config=QUIET))

    assert not recording.trajectory.steps


def test_a_history_that_a_server_keeps_is_not_in_the_requests():
    agent = Agent("Solo", model=Says("one", "two"))

    async def play():
        await Runner.run(agent, "First.", conversation_id="conv_1", run_config=QUIET)
        await Runner.run(agent, "Second.", conversation_id="conv_1", run_config=QUIET)

    with checked(agent) as run:
        asyncio.run(play())

    requests = [[part.text for part in entry.request] for entry in run.tape.entries if entry.key.kind == "model"]
    assert requests == [["First."], ["Second."]]


def test_a_tool_of_the_provider_is_a_call_without_a_result_of_its_own():
    search = ResponseFunctionWebSearch(
        id="ws_1", action=ActionSearch(query="halls", type="search"), status="completed", type="web_search_call"
    )
    said = ModelResponse(output=[search, message("42")], usage=Usage(), response_id=None)
    agent = Agent("Solo", model=Says(said))

    with checked(agent) as run:
        asyncio.run(Runner.run(agent, "How many?", run_config=QUIET))

    kinds = [step.kind for step in run.trajectory.steps]
    assert "tool_call" in kinds
    assert "tool_result" not in kinds
    assert not [entry for entry in run.tape.entries if entry.key.kind == "tool"]
