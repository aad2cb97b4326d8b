"""Magentic-One over the embedded world: its orchestrator and agents, simulated models, files and pages of this machine."""
