"""Raises in a hook."""

from aegis_core.hookspecs import hookimpl


@hookimpl
def aegis_formats():
    raise RuntimeError("no formats today")
