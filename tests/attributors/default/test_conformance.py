"""The kit for attributors."""

from __future__ import annotations

from aegis_core.testing import AttributorConformance


class TestSignals(AttributorConformance):
    name = "signals"
