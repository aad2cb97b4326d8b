"""The embedded default: seeded tasks with exact answers, and a simulated chat model. No network."""

from aegis_core.world.model import Message, Reply, SimulatedModel, ToolCall, ToolSpec, next_speaker, review_objects
from aegis_core.world.tasks import FAMILIES, generate_tasks

__all__ = [
    "FAMILIES",
    "Message",
    "Reply",
    "SimulatedModel",
    "ToolCall",
    "ToolSpec",
    "generate_tasks",
    "next_speaker",
    "review_objects",
]
