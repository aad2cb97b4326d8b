"""The adapter for the OpenAI Agents SDK passes the kit that every adapter has to pass."""

from aegis_openai_agents.testing.conformance import OpenAIAgentsConformance


class TestOpenAIAgents(OpenAIAgentsConformance):
    pass
