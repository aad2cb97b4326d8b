"""Every name of AutoGen that is not documented as public, in one place.

Checked by `tests/adapters/autogen/test_compat.py` against the versions that the lanes install.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autogen_agentchat.agents import (
    AssistantAgent,
    CodeExecutorAgent,
    MessageFilterAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)
from autogen_agentchat.base import ChatAgent, Team
from autogen_agentchat.teams import (
    BaseGroupChat,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import AgentId
from autogen_core.models import ChatCompletionClient, SystemMessage
from autogen_core.tools import BaseTool, Workbench

__all__ = [
    "CREATE_MANAGER",
    "FACTS_PROMPT",
    "GET_INPUT",
    "MODEL_CLIENT",
    "PREVIOUS_SPEAKER",
    "attributes_with_clients",
    "can_hand_over",
    "current_manager",
    "cyclic",
    "event_kind",
    "event_response",
    "every_tool",
    "filtered",
    "handoff_targets",
    "handoff_tools",
    "held",
    "holds_tools",
    "is_human",
    "keeps_to_itself",
    "manager_name",
    "model_name",
    "orchestrates",
    "own_name",
    "own_tools",
    "participants",
    "remembered",
    "replaced",
    "runner",
    "runs_code",
    "runs_itself",
    "set_task",
    "speaker_topic",
    "system_text",
    "team_name",
    "teams_nest",
    "thread",
    "tools_in",
    "with_response",
    "workbenches",
]

CREATE_MANAGER = "_create_group_chat_manager_factory"
"""Method of a team: makes what makes its manager."""
FACTS_PROMPT = "_get_task_ledger_facts_prompt"
"""Method of a Magentic-One orchestrator: words the first question of a task."""
GET_INPUT = "_get_input"
"""Method of a UserProxyAgent: asks the human."""
MODEL_CLIENT = "_model_client"
PREVIOUS_SPEAKER = "_previous_speaker"

_PLAIN = frozenset({str, int, float, bool, bytes, type(None), SystemMessage})
_COLLECTIONS = (list, tuple, set, frozenset)
_MANAGED = (SelectorGroupChat, MagenticOneGroupChat)
_NAME = "_group_chat_manager_name"


# -- teams ----------------------------------------------------------------------------------------------------------


def participants(team: Any) -> tuple[Any, ...]:
    """The members of a team, agents and teams, in the user's order."""
    return tuple(getattr(team, "_participants", ()))


def team_name(team: Any) -> str:
    """What a team is called by the team around it; its class, in versions in which teams have no name."""
    name = getattr(team, "name", None)
    return name if isinstance(name, str) and name else type(team).__name__


def manager_name(team: Any) -> str | None:
    """The name of a team's manager where that one asks a model, as source of its messages; else None."""
    return str(getattr(team, _NAME)) if isinstance(team, _MANAGED) and getattr(team, MODEL_CLIENT, None) else None


def runs_itself(team: Any) -> bool:
    """Whether a team starts its runtime itself in each run, so that this one has the context of the run."""
    return bool(getattr(team, "_embedded_runtime", False))


def current_manager(team: BaseGroupChat) -> Any:
    """The manager of a team that has run before; None before its first run."""
    known = getattr(getattr(team, "_runtime", None), "_instantiated_agents", {})
    topic, key = getattr(team, "_group_chat_manager_topic_type", None), getattr(team, "_team_id", None)
    return known.get(AgentId(type=topic, key=key)) if topic and key else None


def own_name(manager: Any) -> str:
    """The name of a manager, as source of its messages."""
    return str(manager._name)


def thread(manager: Any) -> list[Any]:
    """What a manager remembers."""
    found: list[Any] = manager._message_thread
    return found


def event_kind(message: Any) -> str:
    """What a message on the bus is: `start`, `response`, `team response`, `request`, or something else."""
    kinds = {
        "GroupChatStart": "start",
        "GroupChatAgentResponse": "response",
        "GroupChatTeamResponse": "team response",
        "GroupChatRequestPublish": "request",
    }
    return kinds.get(type(message).__name__, "")


def event_response(message: Any) -> Any:
    """The `Response` in a message on the bus (another field before 0.7)."""
    return getattr(message, "response", None) or getattr(message, "agent_response", None)


def remembered(manager: Any) -> list[Any]:
    """The messages that the manager of a SelectorGroupChat shows to its model."""
    found: list[Any] = manager._model_context._messages
    return found


def set_task(manager: Any, text: str) -> None:
    """Let a Magentic-One orchestrator remember another text as its task."""
    manager._task = text


def with_response(event: Any, response: Any) -> Any:
    """A message on the bus with another `Response`."""
    field = "response" if hasattr(event, "response") else "agent_response"
    return event.model_copy(update={field: response})


def model_name(client: Any) -> str | None:
    """What a model client calls its model; its class, where it does not say. Nothing else of it is looked at."""
    options = getattr(client, "_create_args", None)
    name = options.get("model") if isinstance(options, dict) else None
    return name if isinstance(name, str) else type(client).__name__


def speaker_topic(manager: Any, name: str) -> str | None:
    """The topic on which a participant is asked to speak."""
    topics: dict[str, str] = getattr(manager, "_participant_name_to_topic_type", {})
    return topics.get(name)


def cyclic(team: Any) -> bool:
    """Whether this is a GraphFlow whose graph has a loop."""
    graph = getattr(team, "_graph", None)
    return isinstance(team, GraphFlow) and graph is not None and bool(graph.get_has_cycles())


# -- agents ---------------------------------------------------------------------------------------------------------


def filtered(agent: Any) -> Any:
    """The agent inside a MessageFilterAgent; None for any other."""
    return getattr(agent, "_wrapped_agent", None) if isinstance(agent, MessageFilterAgent) else None


def held(agent: Any) -> Iterator[Any]:
    """The agents and teams that an agent holds in its attributes, also in lists and dicts there."""
    if isinstance(agent, SocietyOfMindAgent):
        yield agent._team
        return
    yield from (item for item in _values(agent) if isinstance(item, ChatAgent | Team))


def _values(owner: Any) -> Iterator[Any]:
    """What an object holds in its attributes, also in lists and dicts there; plain texts and numbers are left out."""
    for value in list(vars(owner).values()):
        if type(value) in _PLAIN:
            continue
        if isinstance(value, _COLLECTIONS):
            yield from (item for item in value if type(item) not in _PLAIN)
        elif isinstance(value, dict):
            yield from (item for item in value.values() if type(item) not in _PLAIN)
        else:
            yield value


def attributes_with_clients(owner: Any) -> tuple[str, ...]:
    """The attributes in which an agent or manager holds its model clients."""
    return tuple(name for name, value in list(vars(owner).items()) if isinstance(value, ChatCompletionClient))


def workbenches(agent: Any) -> tuple[Any, ...]:
    """The workbenches with an agent's tools."""
    return tuple(item for item in _values(agent) if isinstance(item, Workbench))


def replaced(owner: Any, stand_ins: Mapping[int, Any]) -> list[tuple[str, Any]]:
    """The attributes of an object in which something is to be replaced, with what they are to hold.

    Args:
        stand_ins: what stands for what, by its `id`.
    """
    found: list[tuple[str, Any]] = []
    for name, value in list(vars(owner).items()):
        if id(value) in stand_ins:
            found.append((name, stand_ins[id(value)]))
        elif isinstance(value, list | tuple) and any(id(item) in stand_ins for item in value):
            found.append((name, type(value)(stand_ins.get(id(item), item) for item in value)))
        elif isinstance(value, dict) and any(id(item) in stand_ins for item in value.values()):
            found.append((name, {key: stand_ins.get(id(item), item) for key, item in value.items()}))
    return found


def tools_in(workbench: Any) -> tuple[Any, ...]:
    """The tools in a workbench, as far as it holds them itself."""
    return tuple(tool for tool in getattr(workbench, "_tools", ()) if isinstance(tool, BaseTool))


def holds_tools(workbench: Any) -> bool:
    """Whether a workbench holds its tools itself, so that they are known before it is asked."""
    return hasattr(workbench, "_tools")


def own_tools(agent: Any) -> tuple[Any, ...]:
    """Tools that an agent holds without a workbench, and calls itself. Those of hand-offs are no tools."""
    inside = {id(tool) for workbench in workbenches(agent) for tool in tools_in(workbench)}
    inside |= {id(tool) for tool in getattr(agent, "_handoff_tools", ())}
    found = (item for item in _values(agent) if isinstance(item, BaseTool))
    return tuple({id(tool): tool for tool in found if id(tool) not in inside}.values())


def every_tool(agent: Any) -> tuple[Any, ...]:
    """The tools of an agent, in workbenches and without one."""
    return (*(tool for bench in workbenches(agent) for tool in tools_in(bench)), *own_tools(agent))


def runner(tool: Any) -> Any:
    """The agent or team that a tool runs; None for any other tool."""
    return getattr(tool, "_task_runner", None) if isinstance(tool, AgentTool | TeamTool) else None


def handoff_targets(agent: Any) -> tuple[str, ...]:
    """The names of the agents that an agent can hand over to."""
    return tuple(str(handoff.target) for handoff in getattr(agent, "_handoffs", {}).values())


def handoff_tools(agent: Any) -> tuple[str, ...]:
    """The names of the tools by which an agent hands over."""
    return tuple(getattr(agent, "_handoffs", {}))


def system_text(agent: Any) -> str:
    """An agent's system prompt; its description where it has none."""
    texts = [str(message.content) for message in getattr(agent, "_system_messages", None) or ()]
    return "\n".join(texts) or str(getattr(agent, "description", ""))


def is_human(agent: Any) -> bool:
    """Whether an agent speaks for a person."""
    return isinstance(agent, UserProxyAgent)


def runs_code(agent: Any) -> bool:
    """Whether an agent runs code of others."""
    return isinstance(agent, CodeExecutorAgent)


def can_hand_over(team: Any) -> bool:
    """Whether who speaks next can be changed in a team."""
    return isinstance(team, Swarm | SelectorGroupChat | MagenticOneGroupChat)


def orchestrates(team: Any) -> bool:
    """Whether the manager of a team is a Magentic-One orchestrator."""
    return isinstance(team, MagenticOneGroupChat)


def teams_nest() -> bool:
    """Whether a team can take part in another one; before 0.7 only by a SocietyOfMindAgent around it."""
    return "name" in inspect.signature(RoundRobinGroupChat.__init__).parameters


def keeps_to_itself(agent: Any, others: Iterable[Any]) -> bool:
    """Whether what an agent is given stays with it: in a memory that is its own, and not handed on by its code.

    Code of one's own may hand on what it is given to an agent or team that it holds, or to a tool that runs one. For an
    assistant a model writes what such a tool is given.
    """
    context = getattr(agent, "_model_context", None)
    shared = context is not None and any(
        getattr(other, "_model_context", None) is context for other in others if other is not agent
    )
    hands_on = any(True for _ in held(agent)) or (
        not isinstance(agent, AssistantAgent) and any(runner(tool) is not None for tool in every_tool(agent))
    )
    return not shared and not hands_on and not isinstance(agent, UserProxyAgent)
