"""Aegis: find out which agent of a multi-agent LLM system made which error, and train models that can tell."""

__version__ = "0.1.0"
