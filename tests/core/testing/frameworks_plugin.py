"""A plugin whose entry point imports its framework, for which a package of the standard library stands."""

import xmlrpc.client  # noqa: F401
from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    return [Provider(name="callables", target="aegis_callables.adapter:CallablesAdapter")]
