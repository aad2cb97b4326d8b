"""Tells Aegis of the adapter. Light: it is imported whenever Aegis looks for plugins, and imports no framework."""

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters():
    """Describe the adapter, without importing it."""
    yield Provider(
        name="tinycrew",
        target="aegis_plugin_adapter.adapter:CrewAdapter",
        matches=("tinycrew.Crew",),
        summary="crews of the made-up framework tinycrew",
    )
