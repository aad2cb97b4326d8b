"""The private names of AutoGen that the adapter relies on are there, and mean what it takes them for."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, UserProxyAgent
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_agentchat.tools import AgentTool
from autogen_core.code_executor import CodeExecutor

from aegis_autogen import _compat
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book
from tests.adapters.autogen.running import started

pytestmark = pytest.mark.framework


def test_a_team_has_participants_a_name_and_perhaps_a_manager_with_a_model() -> None:
    team = teams.round_robin()
    assert [agent.name for agent in _compat.participants(team)] == ["a", "b"]
    assert _compat.team_name(team) == "RoundRobinGroupChat"
    assert _compat.manager_name(team) is None
    assert _compat.manager_name(teams.selector()) == "SelectorGroupChatManager"
    assert _compat.manager_name(teams.magentic()) == "MagenticOneOrchestrator"
    assert callable(getattr(team, _compat.CREATE_MANAGER))
    assert [_compat.cyclic(built) for built in (teams.graph(), teams.loop(), team)] == [False, True, False]
    assert [_compat.can_hand_over(built) for built in (teams.swarm(), teams.selector(), team)] == [True, True, False]


@pytest.mark.parametrize("name", ["selector", "magentic", "graph", "swarm", "round_robin"])
def test_a_manager_is_there_after_the_first_run(name: str) -> None:
    team: Any = getattr(teams, name)()
    assert _compat.current_manager(team) is None
    asyncio.run(started(team))
    manager = _compat.current_manager(team)
    assert _compat.own_name(manager) == team._group_chat_manager_name
    assert _compat.thread(manager)
    assert inspect.iscoroutinefunction(manager.select_speaker)
    assert inspect.iscoroutinefunction(manager.update_message_thread)
    assert _compat.speaker_topic(manager, _compat.participants(team)[0].name)
    assert _compat.speaker_topic(manager, "nobody") is None


def test_what_a_selector_remembers_and_whom_it_chose_can_be_written() -> None:
    team = teams.selector()
    asyncio.run(started(team))
    manager = _compat.current_manager(team)
    assert getattr(manager, _compat.PREVIOUS_SPEAKER) == "z"
    assert _compat.remembered(manager)[1].content.startswith("x<")
    assert getattr(manager, _compat.MODEL_CLIENT) is getattr(team, _compat.MODEL_CLIENT)


def test_the_first_question_of_an_orchestrator_holds_its_task() -> None:
    team: MagenticOneGroupChat = teams.magentic()
    asyncio.run(started(team))
    manager = _compat.current_manager(team)
    assert "crates 7" in getattr(manager, _compat.FACTS_PROMPT)("crates 7")
    assert manager._task == "Count the crates."
    _compat.set_task(manager, "other")
    assert manager._task == "other"


def test_messages_on_the_bus_are_told_apart_and_hold_their_response() -> None:
    from autogen_agentchat.base import Response
    from autogen_agentchat.messages import TextMessage
    from autogen_agentchat.teams._group_chat import _events

    response = Response(chat_message=TextMessage(content="x", source="a"))
    fields = inspect.signature(_events.GroupChatAgentResponse).parameters
    names = ("response", "name") if "response" in fields else ("agent_response", "agent_name")
    event = _events.GroupChatAgentResponse(**dict(zip(names, (response, "a"), strict=True)))
    assert _compat.event_kind(event) == "response"
    assert _compat.event_response(event).chat_message.content == "x"
    other = Response(chat_message=TextMessage(content="y", source="a"))
    assert _compat.event_response(_compat.with_response(event, other)).chat_message.content == "y"
    assert _compat.event_kind(_events.GroupChatStart(messages=[])) == "start"
    assert _compat.event_kind(_events.GroupChatRequestPublish()) == "request"
    assert _compat.event_kind(_events.GroupChatReset()) == ""


def test_an_assistant_holds_its_client_tools_hand_offs_and_prompt() -> None:
    def look(place: str) -> str:
        """Look."""
        return place

    agent: AssistantAgent = teams.assistant(Book(), "a", tools=[look], handoffs=["b"])
    assert _compat.attributes_with_clients(agent) == (_compat.MODEL_CLIENT,)
    (bench,) = _compat.workbenches(agent)
    assert [tool.name for tool in _compat.tools_in(bench)] == ["look"]
    assert _compat.holds_tools(bench)
    assert _compat.own_tools(agent) == ()
    assert _compat.handoff_tools(agent) == ("transfer_to_b",)
    assert _compat.system_text(agent) == "You are a."
    assert _compat.model_name(agent._model_client) == "Client"
    assert hasattr(bench, "call_tool")
    assert hasattr(bench, "call_tool_stream")


def test_agents_that_hold_others_say_whom() -> None:
    inner = teams.assistant(Book(), "inner")
    config = MessageFilterConfig(per_source=[])
    assert _compat.filtered(MessageFilterAgent("f", inner, config)) is inner
    assert _compat.filtered(inner) is None
    assert _compat.runner(AgentTool(inner)) is inner
    society = _compat.participants(teams.society())[0]
    (team,) = _compat.held(society)
    assert [agent.name for agent in _compat.participants(team)] == ["a", "b"]


def test_humans_and_code_have_the_methods_by_which_they_are_asked() -> None:
    from autogen_agentchat.agents import CodeExecutorAgent

    human = UserProxyAgent("boss")
    assert _compat.is_human(human)
    assert inspect.iscoroutinefunction(getattr(human, _compat.GET_INPUT))
    assert next(iter(inspect.signature(getattr(human, _compat.GET_INPUT)).parameters)) == "prompt"
    assert inspect.iscoroutinefunction(CodeExecutorAgent.execute_code_block)
    assert issubclass(CodeExecutor, object)


def test_whether_teams_nest_is_told_from_the_version() -> None:
    from importlib.metadata import version

    assert _compat.teams_nest() is (tuple(map(int, version("autogen-agentchat").split(".")[:2])) >= (0, 7))


def test_a_runtime_says_which_agents_it_has_and_who_gets_what() -> None:
    from autogen_core import AgentId, RoutedAgent, SingleThreadedAgentRuntime, TopicId, TypeSubscription

    from aegis_autogen.runtime import _compat as of_runtime

    async def play() -> None:
        runtime, reader = SingleThreadedAgentRuntime(), AgentId("reader", "default")
        await RoutedAgent.register(runtime, "reader", lambda: RoutedAgent("Reads."))
        await runtime.add_subscription(TypeSubscription("news", "reader"))
        assert of_runtime.agent_types(runtime) == ("reader",)
        assert of_runtime.instances(runtime) == {}
        agent = await getattr(runtime, of_runtime.GET_AGENT)(reader)
        assert of_runtime.instances(runtime) == {reader: agent}
        assert await of_runtime.recipients(runtime, TopicId("news", "default"), None) == (reader,)
        assert await of_runtime.recipients(runtime, TopicId("news", "default"), reader) == ()
        assert not of_runtime.is_handled(agent, "a text", None)  # type: ignore[arg-type]

    asyncio.run(play())
