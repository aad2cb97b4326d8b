"""The adapter for LangGraph."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="langgraph",
            target="aegis_langgraph.adapter:LangGraphAdapter",
            requires=("langgraph>=1.1.6,<1.3",),
            matches=("langgraph.pregel", "langgraph.graph"),
            summary="LangGraph graphs: sequential, parallel, nested, supervisor, swarm, create_agent",
            install='pip install "aegis-mas[langgraph]"',
        )
    ]
