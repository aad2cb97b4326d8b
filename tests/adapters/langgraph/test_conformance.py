"""The adapter for LangGraph passes the conformance kit."""

from __future__ import annotations

from aegis_langgraph.testing import LangGraphConformance


class TestLangGraph(LangGraphConformance):
    """Nothing more."""
