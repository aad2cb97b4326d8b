"""The conformance kit, on teams of AutoGen."""

from __future__ import annotations

from aegis_autogen.testing.conformance import AutoGenConformance


class TestAutoGen(AutoGenConformance):
    """All checks of the kit."""
