"""The kit: what Aegis wants of any injector."""

from aegis_core.testing import InjectorConformance


class TestAcme(InjectorConformance):
    name = "acme"
