"""Implements a hook as a coroutine."""

from aegis_core.hookspecs import hookimpl


@hookimpl
async def aegis_adapters():
    return []
