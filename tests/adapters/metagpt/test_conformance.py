"""The adapter keeps the contract."""

from __future__ import annotations

from aegis_metagpt.testing.conformance import MetaGPTConformance


class TestMetaGPT(MetaGPTConformance):
    pass
