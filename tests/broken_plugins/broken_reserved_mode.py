"""Claims an id that belongs to MAST."""

from aegis_core.hookspecs import hookimpl
from aegis_core.taxonomy import ErrorMode


@hookimpl
def aegis_error_modes():
    return [ErrorMode(id="FM-1.1", name="Mine", definition="Mine now.")]
