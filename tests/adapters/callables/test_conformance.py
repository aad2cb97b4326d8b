"""The adapter for plain functions passes the conformance kit."""

from __future__ import annotations

from aegis_callables.testing import CallablesConformance


class TestCallables(CallablesConformance):
    """Nothing more."""
