"""The adapter: takes part in runs of the OpenAI Agents SDK."""

from __future__ import annotations

import re
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner
from pydantic import JsonValue

from aegis_core.adapter import Adapter, Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent as Member
from aegis_openai_agents import _compat
from aegis_openai_agents.attachment import AgentsAttachment
from aegis_openai_agents.leaving import can_redirect
from aegis_openai_agents.names import Layout
from aegis_openai_agents.responses import answer_text
from aegis_openai_agents.workflow import Workflow

__all__ = ["OpenAIAgentsAdapter"]

_RANDOM = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"
    r"|\b(?:call|msg|fc|rs|resp|run)_[0-9A-Za-z]{16,}\b"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""What differs from run to run in texts that quote it: random ids (histories nested in a text hold them), times."""
_SHORTEST = 16


class OpenAIAgentsAdapter(Adapter):
    """An agent with all that it hands over to or uses as tools, or a `Workflow` of several."""

    name = "openai-agents"

    def can_handle(self, app: Any) -> bool:
        if isinstance(app, Workflow):
            return bool(app.agents) and all(isinstance(agent, Agent) for agent in app.agents)
        return isinstance(app, Agent)

    def agents(self, app: Any) -> tuple[Member, ...]:
        return Layout(app).members()

    def capabilities(self, app: Any) -> Capabilities:
        layout = Layout(app)
        sites = [
            Site(strategy="prompt_injection", scope="persistent"),
            Site(strategy="prompt_injection", scope="ephemeral"),
            Site(strategy="response_corruption", scope="outgoing"),
            Site(strategy="response_corruption", scope="belief"),
        ]
        agents = list(layout.objects())
        if any(isinstance(tool, FunctionTool) for agent in agents for tool in agent.tools):
            sites.append(Site(strategy="environment", scope="call"))
        return Capabilities(
            sync=True,
            asynchronous=True,
            streaming=True,
            streaming_as=("asynchronous",),
            sites=tuple(sites),
            redirect=any(can_redirect(agent) for agent in agents),
            replay=("call",),
            notes=_notes(agents),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        if not self.can_handle(app):
            raise AdapterError(
                f"the openai-agents adapter can't handle a {type(app).__name__}; give it an agents.Agent (the one that "
                "you start with), or aegis_openai_agents.workflow.Workflow(agent, ...) for several"
            )
        return AgentsAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        if isinstance(app, Workflow):
            raise AdapterError(
                "a Workflow is run by your own code: let your factory return System(workflow, start=lambda app, task: "
                "..., output=...)"
            )
        return Runner.run(app, task, run_config=RunConfig(tracing_disabled=True))

    def output(self, result: Any) -> str | None:
        return answer_text(getattr(result, "final_output", result))

    def normalise(self, request: JsonValue) -> JsonValue:
        """Without random ids and times in texts, and without authors, which are inferred."""
        if isinstance(request, dict) and isinstance(request.get("parts"), list):
            parts: Any = request["parts"]
            request = {**request, "parts": [[part[0], *part[2:]] for part in parts]}
        return _masked(request)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _RANDOM.sub("*", value) if len(value) >= _SHORTEST else value
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return {key: _masked(item) for key, item in value.items()} if isinstance(value, dict) else value


def _notes(agents: list[Any]) -> tuple[str, ...]:
    notes = [
        "an answer that no model gives (a tool's result, an error handler's) can be altered as a tool's result only",
        "tools that the provider runs (web search, code interpreter) are recorded as far as answers tell of them",
    ]
    if any(_compat.target_of(item) is None for agent in agents for item in agent.handoffs):
        notes.append("where a hand-off's own code chooses the agent, it is known when it acts, not before")
    return tuple(notes)
