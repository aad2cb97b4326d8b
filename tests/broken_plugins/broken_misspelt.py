"""Implements a hook that does not exist."""

from aegis_core.hookspecs import hookimpl


@hookimpl
def aegis_adaptors():
    return []
