"""The adapter for the OpenAI Agents SDK passes the kit that every adapter has to pass."""

import pytest

from aegis_openai_agents.testing.conformance import OpenAIAgentsConformance

pytestmark = pytest.mark.framework


class TestOpenAIAgents(OpenAIAgentsConformance):
    pass
