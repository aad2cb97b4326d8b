"""A plugin whose entry point imports the adapter itself."""

from collections.abc import Iterable

import aegis_callables.adapter  # noqa: F401
from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    return [Provider(name="callables", target="aegis_callables.adapter:CallablesAdapter")]
