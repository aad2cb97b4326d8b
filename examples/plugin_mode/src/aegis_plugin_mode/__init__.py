"""An error mode and its injector, for Aegis. Only what describes them stands here; the rest is imported when used."""

from collections.abc import Iterable

from aegis_core import ErrorMode, Provider, hookimpl


@hookimpl
def aegis_error_modes() -> Iterable[ErrorMode]:
    return [
        ErrorMode(
            id="acme:false-rounding",
            name="False rounding",
            definition="The agent rounds a figure that is needed exactly, and hands on or concludes with the result.",
            category="Figures",
            source="Acme",
            evidence="aegis_plugin_mode.evidence:false_rounding",
        )
    ]


@hookimpl
def aegis_injectors() -> Iterable[Provider]:
    return [
        Provider(
            name="acme",
            target="aegis_plugin_mode.injector:Acme",
            summary="causes acme:false-rounding by rules, offline",
        )
    ]
