"""Private names of autogen-core's runtime, all in one place. The same in every version of the supported range."""

from __future__ import annotations

from typing import Any

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, TopicId

__all__ = ["GET_AGENT", "agent_types", "instances", "is_handled", "recipients"]

GET_AGENT = "_get_agent"
"""The method by which the runtime gets the agent that a message goes to; makes it on its first message."""


def agent_types(runtime: SingleThreadedAgentRuntime) -> tuple[str, ...]:
    """The types of agents that are registered, in order, whether one was made yet or not."""
    return tuple(runtime._agent_factories)


def instances(runtime: SingleThreadedAgentRuntime) -> dict[AgentId, Any]:
    """The agents that exist so far."""
    return dict(runtime._instantiated_agents)


async def recipients(
    runtime: SingleThreadedAgentRuntime, topic: TopicId, sender: AgentId | None
) -> tuple[AgentId, ...]:
    """Who gets what is published to a topic: all that are subscribed to it, less the sender."""
    subscribed = await runtime._subscription_manager.get_subscribed_recipients(topic)
    return tuple(agent for agent in subscribed if agent != sender)


def is_handled(agent: Any, message: Any, ctx: MessageContext) -> bool:
    """Whether an agent does anything with a message. A routed agent passes over types for which it has no handler."""
    if not isinstance(agent, RoutedAgent) or type(agent).on_unhandled_message is not RoutedAgent.on_unhandled_message:
        return True
    return any(handler.router(message, ctx) for handler in agent._handlers.get(type(message), ()))
