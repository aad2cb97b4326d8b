"""Rules: a deterministic, offline injector. Causes error modes by editing texts, without a model."""

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_injectors() -> Iterable[Provider]:
    """Offer the injector `rules`."""
    return [
        Provider(
            name="rules",
            target="aegis_rules.injector:Rules",
            summary="deterministic edits of text for FM-1.1, FM-2.4 and FM-2.6; offline, no model",
        )
    ]
