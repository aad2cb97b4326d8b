"""Wraps a hook, to change what others return."""

from aegis_core.hookspecs import hookimpl


@hookimpl(wrapper=True)
def aegis_adapters():
    yield
    return []
