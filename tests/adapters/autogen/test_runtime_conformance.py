"""The adapter for AutoGen passes the conformance kit on runtimes of autogen-core, without any team."""

from __future__ import annotations

from aegis_autogen.runtime.conformance import RuntimeConformance


class TestRuntime(RuntimeConformance):
    """Nothing more."""
