"""The adapter: AutoGen teams, agents, lists of agents, and runtimes of autogen-core."""

from __future__ import annotations

import re
from typing import Any

from pydantic import JsonValue

from aegis_autogen import _compat
from aegis_autogen.attachment import SystemAttachment
from aegis_autogen.entry import answer_text
from aegis_autogen.names import Layout, is_system, survey
from aegis_autogen.runtime import support
from aegis_core.adapter import Adapter, Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent

__all__ = ["AutoGenAdapter"]

_HEX = "[0-9a-fA-F]"
_RANDOM = re.compile(
    rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}|\b{_HEX}{{32}}\b"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""What differs from run to run in texts that quote it: random ids, points in time."""


class AutoGenAdapter(Adapter):
    """Teams and agents of AutoGen agentchat, and runtimes of autogen-core."""

    name = "autogen"

    def can_handle(self, app: Any) -> bool:
        return is_system(app) or support.handles(app)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        return support.agents(app) if support.handles(app) else survey(app).agents()

    def capabilities(self, app: Any) -> Capabilities:
        if support.handles(app):
            return support.capabilities(app)
        layout = survey(app)
        return Capabilities(
            sync=False,
            asynchronous=True,
            streaming=True,
            sites=_sites(layout),
            redirect=any(_compat.can_hand_over(node.team) for node in layout.teams),
            replay=("call",),
            notes=tuple(_notes(layout)),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        if support.handles(app):
            return support.attach(app, run)
        if not self.can_handle(app):
            raise AdapterError(
                f"the autogen adapter can't handle a {type(app).__name__}; give it a team, an agent, a list of agents, "
                "or a SingleThreadedAgentRuntime" + (_OLD if hasattr(app, "generate_reply") else "")
            )
        return SystemAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        if support.handles(app):
            return support.start(app, task)
        if isinstance(app, list | tuple):
            raise AdapterError(
                "a list of agents has no entry of its own; let your factory return System(agents, "
                "start=lambda agents, task: ..., output=...)"
            )
        return app.run(task=task)

    def output(self, result: Any) -> str | None:
        return answer_text(result)

    def normalise(self, request: JsonValue) -> JsonValue:
        """Without random ids and times in texts, and without authors, which are inferred."""
        if isinstance(request, dict) and isinstance(parts := request.get("parts"), list):
            request = {**request, "parts": [[part[0], *part[2:]] if isinstance(part, list) else part for part in parts]}
        return _masked(request)


_OLD = ". Agents of AutoGen 0.2 and of the fork ag2 are of another framework"


_NO_FORK = (
    "a run can't start from a saved state: what comes before the target is served call by call "
    "(termination conditions, tools and clients are not in the state that AutoGen saves)"
)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _RANDOM.sub("*", value) if len(value) >= 19 else value
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return value


def _sites(layout: Layout) -> tuple[Site, ...]:
    acting = [member.agent for member in layout.members if member.kind == "worker"]
    if not acting:
        return ()
    sites = [Site(strategy="response_corruption", scope="outgoing")]
    if any(_compat.attributes_with_clients(member.agent) for member in layout.members):
        sites.insert(0, Site(strategy="prompt_injection", scope="ephemeral"))
        sites.append(Site(strategy="response_corruption", scope="belief"))
    if any(member.kind == "manager" or layout.private(member) for member in layout.members):
        sites.insert(0, Site(strategy="prompt_injection", scope="persistent"))
    if any(_environment(agent) for agent in acting):
        sites.append(Site(strategy="environment", scope="call"))
    return tuple(sites)


def _environment(agent: Any) -> bool:
    """Whether an agent has a tool of its own that is a call: not an agent, not a hand-off."""
    benches = _compat.workbenches(agent)
    remote = any(not _compat.holds_tools(bench) for bench in benches)
    return remote or _compat.runs_code(agent) or any(_compat.runner(tool) is None for tool in _compat.every_tool(agent))


def _notes(layout: Layout) -> list[str]:
    notes = [_NO_FORK]
    if any(_compat.orchestrates(node.team) for node in layout.teams):
        notes.append("MagenticOneGroupChat plans anew when a saved state is loaded (autogen #5054): no fork")
    if any(_compat.cyclic(node.team) for node in layout.teams):
        notes.append("a GraphFlow with a loop ends early when a saved state is loaded (autogen #7043): no fork")
    managers = [member.path for member in layout.members if member.kind == "manager"]
    if managers:
        notes.append(
            f"what {', '.join(managers)} says can be altered as it is said; a selector says whom it chooses, which can "
            "be altered by a redirect, or at its model (belief)"
        )
    passing = [m.path for m in layout.members if m.kind == "worker" and not layout.private(m)]
    if passing:
        notes.append(
            f"what {', '.join(passing)} is given is handed on to an agent or team inside, or is in a memory that "
            "others share: persistent is not for these; choose those inside"
        )
    silent = [m.path for m in layout.members if m.kind == "worker" and not _compat.attributes_with_clients(m.agent)]
    if silent:
        notes.append(f"no model client was found in {', '.join(silent)}: ephemeral and belief are not for these")
    return notes
