"""The kit, against real `ChatAgent`s with scripted models."""

from aegis_camel.testing.conformance import CamelConformance


class TestCamel(CamelConformance):
    pass
