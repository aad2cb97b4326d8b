"""The adapter for CAMEL."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="camel",
            target="aegis_camel.adapter:CamelAdapter",
            requires=("camel-ai>=0.2.87,<0.3", "mcp<2"),
            matches=("camel", "aegis_camel.ensemble"),
            summary="CAMEL: ChatAgent, RolePlaying, Workforce, and code of your own around them",
            install='pip install "aegis-mas[camel]"',
        )
    ]
