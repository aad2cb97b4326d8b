"""Records and alters smolagents: agents with tools, code agents, managers with managed agents, groups of agents."""

from __future__ import annotations

import inspect
from typing import Any

from aegis_core.adapter import Adapter, Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent
from aegis_smolagents._compat import FINAL, CodeAgent, MultiStepAgent, is_remote, is_structured
from aegis_smolagents.attachment import SmolagentsAttachment, answer_text
from aegis_smolagents.names import described, everyone
from aegis_smolagents.system import Group

__all__ = ["SmolagentsAdapter"]

_SITES = (
    Site(strategy="prompt_injection", scope="persistent"),
    Site(strategy="prompt_injection", scope="ephemeral"),
    Site(strategy="response_corruption", scope="outgoing"),
    Site(strategy="response_corruption", scope="belief"),
)


class SmolagentsAdapter(Adapter):
    """Any agent of smolagents, with all that it manages, and groups of agents."""

    name = "smolagents"

    def can_handle(self, app: Any) -> bool:
        """Agents, and groups of them."""
        return isinstance(app, MultiStepAgent | Group)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        """The agents and those whom they manage: `manager/member`."""
        return tuple(described(path, agent) for path, agent in everyone(app))

    def capabilities(self, app: Any) -> Capabilities:
        """All four scopes; tools where they run in this process."""
        members = [agent for _, agent in everyone(app)]
        tools = [name for agent in members if not is_remote(agent) for name in agent.tools if name != FINAL]
        environment = (Site(strategy="environment", scope="call"),) if tools else ()
        streaming = inspect.isgeneratorfunction(app.entry) if isinstance(app, Group) else True
        return Capabilities(
            sync=True,
            asynchronous=False,
            streaming=streaming,
            sites=_SITES + environment,
            replay=("call",),
            notes=tuple(_notes(members)),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        """Tap the agents, their models and their tools."""
        if not self.can_handle(app):
            raise AdapterError(
                f"the smolagents adapter can't handle a {type(app).__name__}; give it an agent of smolagents, or "
                "aegis_smolagents.system.Group(function, agent, ...)"
            )
        return SmolagentsAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        """Run it; a stream is read to its end."""
        result = app.run(task)
        return list(result) if inspect.isgenerator(result) else result

    def output(self, result: Any) -> str | None:
        """Text as it is, other data as JSON; of a `RunResult` its output."""
        return answer_text(result)


def _notes(agents: list[MultiStepAgent]) -> list[str]:
    found = []
    if any(isinstance(agent, CodeAgent) for agent in agents):
        found.append("belief reaches the answer of a code agent where its code holds it as a literal text")
        found.append("the code of a code agent runs again in a replay; the tools that it calls are served")
    if any(isinstance(agent, CodeAgent) and is_structured(agent) for agent in agents):
        found.append("what a code agent with structured outputs believes can't be altered")
    if any(is_remote(agent) for agent in agents):
        found.append("tools of a code agent whose code runs elsewhere can't be seen, served or altered")
    if any(agent.provide_run_summary for agent in agents):
        found.append(
            "outgoing and persistent are not offered where a managed agent's report comes with a summary of its memory"
        )
    return found
