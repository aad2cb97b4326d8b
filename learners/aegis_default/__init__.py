"""The attributor that answers out of the box: reads a run for signs of error. No training, no model, no network."""

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_attributors() -> Iterable[Provider]:
    """Offer the attributor `signals`."""
    return [
        Provider(
            name="signals",
            target="aegis_default.attributor:Signals",
            summary="ranks agents and steps by signs of error in the texts, with quotes; no training",
        )
    ]
