"""The adapter for plain Python functions."""

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    """Describes the adapter, without importing it."""
    return [
        Provider(
            name="callables",
            target="aegis_callables.adapter:CallablesAdapter",
            matches=("builtins.function", "builtins.method", "functools.partial", "aegis_callables.system.Callables"),
            summary="plain functions: @aegis.trace systems, and undecorated ones by aegis_callables.system.Callables",
        )
    ]
