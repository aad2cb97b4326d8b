"""The adapter for the OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="openai-agents",
            target="aegis_openai_agents.adapter:OpenAIAgentsAdapter",
            requires=("openai-agents>=0.20,<0.25",),
            # Whole class names: a user's own package may be called `agents` too.
            matches=(
                "agents.agent.Agent",
                "agents.sandbox.sandbox_agent.SandboxAgent",
                "aegis_openai_agents.workflow.Workflow",
            ),
            summary="OpenAI Agents SDK: agents, hand-offs, agents as tools",
            install='pip install "aegis-mas[openai-agents]"',
        )
    ]
