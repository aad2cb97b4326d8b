"""The kit, as `aegis adapters test tinycrew` runs it."""

from aegis_plugin_adapter.testing.conformance import CrewConformance


class TestCrews(CrewConformance):
    pass
