"""The conformance kit on smolagents."""

from aegis_smolagents.testing.conformance import SmolagentsConformance


class TestSmolagents(SmolagentsConformance):
    """All checks of the kit."""
