"""The user's face of capture: decorators for one's own code, and `record` for any supported object."""

from aegis_core.trace.active import bind, branch
from aegis_core.trace.agents import agent
from aegis_core.trace.calls import model, tool
from aegis_core.trace.entry import trace
from aegis_core.trace.recording import Recording, record

__all__ = ["Recording", "agent", "bind", "branch", "model", "record", "tool", "trace"]
