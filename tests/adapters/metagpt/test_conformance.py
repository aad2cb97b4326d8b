"""The adapter keeps the contract."""

from __future__ import annotations

import pytest

from aegis_metagpt.testing.conformance import MetaGPTConformance

pytestmark = pytest.mark.framework


class TestMetaGPT(MetaGPTConformance):
    pass
