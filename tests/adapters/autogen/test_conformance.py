"""The conformance kit, on teams of AutoGen."""

from __future__ import annotations

import pytest

from aegis_autogen.testing.conformance import AutoGenConformance

pytestmark = pytest.mark.framework


class TestAutoGen(AutoGenConformance):
    """All checks of the kit."""
