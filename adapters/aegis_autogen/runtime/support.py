"""What the adapter of AutoGen does with a runtime instead of a team."""

from __future__ import annotations

from typing import Any, NoReturn

from autogen_core import SingleThreadedAgentRuntime

from aegis_autogen.runtime import _compat
from aegis_autogen.runtime.attachment import RuntimeAttachment
from aegis_autogen.runtime.clients import holders
from aegis_autogen.runtime.tools import held_tools
from aegis_core.adapter import Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent

__all__ = ["agents", "attach", "capabilities", "handles", "start"]

_ALWAYS = (
    Site(strategy="prompt_injection", scope="persistent"),
    Site(strategy="response_corruption", scope="outgoing"),
)
_WITH_TOOLS = (Site(strategy="environment", scope="call"),)
_WITH_MODELS = (
    Site(strategy="prompt_injection", scope="ephemeral"),
    Site(strategy="response_corruption", scope="belief"),
)


def handles(app: Any) -> bool:
    """Whether this is a runtime of autogen-core that runs in this process."""
    return isinstance(app, SingleThreadedAgentRuntime)


def agents(app: SingleThreadedAgentRuntime) -> tuple[Agent, ...]:
    """The types of agents that are registered; those of one type that differ in their key are branches."""
    roles = {agent_id.type: agent.metadata["description"] for agent_id, agent in _compat.instances(app).items()}
    return tuple(Agent(path=name, role=roles.get(name, "")) for name in _compat.agent_types(app))


def capabilities(app: SingleThreadedAgentRuntime) -> Capabilities:
    """Messages can always be altered; model calls of agents that hold a model client as an attribute."""
    made = _compat.instances(app)
    unknown = set(_compat.agent_types(app)) - {agent_id.type for agent_id in made}
    without = [agent_id.type for agent_id, agent in made.items() if not holders(agent)]
    notes = ["an alteration of what reaches an agent lasts as long as the agent itself keeps the message"]
    if without:
        notes.append(
            f"no model client is an attribute of {', '.join(dict.fromkeys(without))}: its model calls stay live"
        )
    tapped = bool(unknown) or len(without) < len(made)
    tools = bool(unknown) or any(True for agent in made.values() for _ in held_tools(agent))
    return Capabilities(
        sync=False,
        asynchronous=True,
        sites=_ALWAYS + (_WITH_MODELS if tapped else ()) + (_WITH_TOOLS if tools else ()),
        replay=("call",),
        notes=tuple(notes),
    )


def attach(app: SingleThreadedAgentRuntime, run: Run) -> Attachment:
    """Take hold of a runtime for one run."""
    return RuntimeAttachment(app, run)


def start(app: SingleThreadedAgentRuntime, task: str) -> NoReturn:
    """A runtime does not say which message is the task.

    Raises:
        AdapterError: always; it says what to give instead.
    """
    del task
    raise AdapterError(
        f"a {type(app).__name__} does not say to whom a task goes; let your factory return "
        "aegis.System(runtime, start=..., output=...), whose `start(runtime, task)` is a coroutine function that "
        "starts the runtime, sends or publishes the task, and returns what came of it"
    )
