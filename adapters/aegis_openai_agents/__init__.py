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
            matches=("agents",),
            summary="OpenAI Agents SDK: agents, hand-offs, agents as tools",
            install='pip install "aegis-mas[openai-agents]"',
        )
    ]
