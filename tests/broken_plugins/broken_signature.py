"""Asks for an argument that the hook does not have."""

from aegis_core.hookspecs import hookimpl


@hookimpl
def aegis_adapters(registry):
    return registry
