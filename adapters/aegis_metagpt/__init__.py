"""The adapter for MetaGPT."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="metagpt",
            target="aegis_metagpt.adapter:MetaGPTAdapter",
            requires=("metagpt>=0.8.2,<0.9",),
            matches=("metagpt",),
            summary="MetaGPT: Team, Environment, Role, Action",
            install="pip install --no-deps metagpt==0.8.2 && pip install -r aegis_metagpt/requirements.txt, in an "
            "environment of its own (README.md there)",
        )
    ]
