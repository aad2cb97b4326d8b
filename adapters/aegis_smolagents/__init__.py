"""The adapter for smolagents."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="smolagents",
            target="aegis_smolagents.adapter:SmolagentsAdapter",
            requires=("smolagents>=1.23,<2",),
            matches=("smolagents",),
            summary="smolagents: ToolCallingAgent, CodeAgent, managed agents, agents that plain code runs",
            install='pip install "aegis-mas[smolagents]"',
        )
    ]
