"""Takes names that the working plugin has taken, beside one of its own."""

from aegis_core.hookspecs import Provider, hookimpl
from aegis_core.taxonomy import ErrorMode


@hookimpl
def aegis_adapters():
    return [Provider(name="good", target="nowhere:Usurper"), Provider(name="own", target="nowhere:Own")]


@hookimpl
def aegis_error_modes():
    return [ErrorMode(id="good:gone-wrong", name="Usurped", definition="The same id, another meaning.")]
