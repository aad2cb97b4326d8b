"""Returns one name twice."""

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_injectors():
    return [Provider(name="twin", target="nowhere:One"), Provider(name="twin", target="nowhere:Two")]
