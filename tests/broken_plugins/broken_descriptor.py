"""Returns a name where a Provider is due, after a hook that works."""

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters():
    return [Provider(name="nearly", target="nowhere:Nearly")]


@hookimpl
def aegis_learners():
    return ["forest"]
