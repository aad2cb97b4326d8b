"""The adapter for AutoGen."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="autogen",
            target="aegis_autogen.adapter:AutoGenAdapter",
            requires=("autogen-agentchat>=0.6.4,<0.8",),
            matches=("autogen_agentchat", "autogen_core", "autogen_ext"),
            summary="AutoGen teams, agents and runtimes: RoundRobin, Selector, Swarm, GraphFlow, MagenticOne, nested",
            install='pip install "aegis-mas[autogen]"',
        )
    ]
