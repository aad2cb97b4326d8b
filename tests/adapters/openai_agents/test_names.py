"""Which agents a system has, and their paths; and which of the SDK's own names are relied on."""

from __future__ import annotations

import sys
import types

import agents
import pytest
from agents import Agent, Handoff, RunConfig, function_tool, handoff
from agents.run import AgentRunner, get_default_agent_runner

from aegis_core.errors import AdapterError
from aegis_core.plugins import default_plugins
from aegis_openai_agents import _compat
from aegis_openai_agents.names import Layout
from aegis_openai_agents.workflow import Workflow

pytestmark = pytest.mark.framework


def paths(app):
    return [agent.path for agent in Layout(app).members()]


def test_agents_are_found_through_hand_offs_of_both_forms_and_through_tools():
    helper = Agent("Helper")
    deep = Agent("Deep", tools=[helper.as_tool("help", "Helps.")])
    lead = Agent("Lead", handoffs=[Agent("Plain"), handoff(deep)], tools=[helper.as_tool("help", "Helps.")])

    assert paths(lead) == ["Lead", "Plain", "Deep", "Deep/Helper", "Lead/Helper"]


def test_agents_that_use_each_other_as_tools_come_to_an_end():
    one, two = Agent("One"), Agent("Two")
    one.tools.append(two.as_tool("two", "Two."))
    two.tools.append(one.as_tool("one", "One."))

    assert paths(one) == ["One", "One/Two"]


def test_hand_offs_inside_an_agent_that_is_a_tool_stay_inside():
    clerk = Agent("Clerk")
    office = Agent("Office", handoffs=[clerk])

    assert paths(Agent("Lead", tools=[office.as_tool("office", "Counts.")])) == ["Lead", "Lead/Office", "Lead/Clerk"]


def test_a_slash_in_a_name_makes_no_team():
    assert paths(Agent("Read/Write")) == ["Read-Write"]


def test_the_agents_of_a_workflow_stand_side_by_side():
    assert paths(Workflow(Agent("One"), Agent("Two", handoffs=[Agent("Three")]))) == ["One", "Two", "Three"]


def test_an_agent_that_only_a_hand_offs_own_code_knows_is_named_in_a_note():
    async def choose(context, arguments):
        return Agent("Later")

    over = Handoff("go", "Goes.", {}, choose, "Later")
    found = default_plugins().adapter("openai-agents").capabilities(Agent("Lead", handoffs=[over]))

    assert any("own code" in note for note in found.notes)


def test_capabilities_say_that_streams_are_asynchronous_and_tools_can_be_altered():
    @function_tool
    def add(a: int) -> int:
        return a

    adapter = default_plugins().adapter("openai-agents")
    plain, tooled = adapter.capabilities(Agent("Solo")), adapter.capabilities(Agent("Solo", tools=[add]))

    assert plain.streaming_as == ("asynchronous",)
    assert not plain.offers("environment", "call")
    assert tooled.offers("environment", "call")
    assert not plain.redirect


def test_the_names_that_are_not_part_of_the_documented_interface_are_there():
    inner, target = Agent("Inner"), Agent("Target")
    assert _compat.agent_of_tool(inner.as_tool("inner", "")) is inner
    assert _compat.target_of(handoff(target)) is target
    assert _compat.target_of(target) is target
    assert _compat.agent_of_tool(object()) is None
    assert isinstance(get_default_agent_runner(), AgentRunner)
    assert hasattr(RunConfig(), "model_provider")


def test_failures_of_a_tool_are_heard_before_a_text_is_made_of_them():
    @function_tool
    def broken() -> str:
        raise KeyError("hall")

    heard = []
    owner, attribute, value = _compat.watch_failures(broken.on_invoke_tool, heard.append)
    assert owner is broken.on_invoke_tool
    assert getattr(owner, attribute) is not value
    assert _compat.watch_failures(object(), heard.append) is None


def test_a_users_own_package_called_agents_is_told_as_the_reason(monkeypatch: pytest.MonkeyPatch):
    own = types.ModuleType("agents")
    own.__file__ = "/somewhere/agents.py"
    monkeypatch.setitem(sys.modules, "agents", own)
    monkeypatch.delitem(sys.modules, "aegis_openai_agents._compat")
    try:
        with pytest.raises(AdapterError, match=r"/somewhere/agents\.py"):
            __import__("aegis_openai_agents._compat")
    finally:
        sys.modules["aegis_openai_agents._compat"] = _compat
    assert agents.Agent is Agent
