"""Applications of autogen-core alone: a runtime and the agents that are registered with it, without any team."""
