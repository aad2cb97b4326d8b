"""Magentic-One over the embedded world: orchestrator and agents with simulated models, files and pages here."""
