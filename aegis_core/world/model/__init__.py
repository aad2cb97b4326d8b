"""The simulated chat model: reads messages, computes from what it read, writes prose. No network, no state."""

from aegis_core.world.model.messages import Message, Reply, ToolCall, ToolSpec
from aegis_core.world.model.model import SimulatedModel
from aegis_core.world.model.results import next_speaker, settled
from aegis_core.world.model.results import objects as review_objects

__all__ = ["Message", "Reply", "SimulatedModel", "ToolCall", "ToolSpec", "next_speaker", "review_objects", "settled"]
