"""The adapter: takes hold of agents and societies of CAMEL in place, by what their objects hold."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from aegis_camel import _compat
from aegis_core.adapter import Adapter, Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent

_compat.check_mcp()

from camel.agents import ChatAgent  # noqa: E402  what comes before says better what is wrong
from camel.societies import RolePlaying  # noqa: E402
from camel.societies.workforce import Workforce  # noqa: E402
from camel.tasks import Task  # noqa: E402

from aegis_camel.attachment import CamelAttachment  # noqa: E402
from aegis_camel.ensemble import Ensemble  # noqa: E402
from aegis_camel.entry import answer_text  # noqa: E402
from aegis_camel.names import Member, is_app, members, shares_memory  # noqa: E402
from aegis_camel.societies import converse  # noqa: E402

__all__ = ["CamelAdapter"]

_HEX = "[0-9a-fA-F]"
_RANDOM = re.compile(
    rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?"
    r"|\b\d{13,}\b"
)
"""What differs from run to run in texts: drawn ids of agents, points in time, addresses that stand for ids of nodes."""
_TASK_ID = "task"


class CamelAdapter(Adapter):
    """`ChatAgent`, `RolePlaying`, `Workforce`, and an `Ensemble` of them."""

    name = "camel"

    def can_handle(self, app: Any) -> bool:
        return is_app(app)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        return tuple(member.agent for member in members(app))

    def capabilities(self, app: Any) -> Capabilities:
        found = members(app)
        sync, asynchronous, streaming = _ways(app)
        shared = shares_memory(app, found)
        return Capabilities(
            sync=sync,
            asynchronous=asynchronous,
            streaming=streaming,
            sites=_sites(found, shared=shared),
            replay=("call",),
            notes=tuple(_notes(found, shared=shared)),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        if not self.can_handle(app):
            raise AdapterError(
                f"the camel adapter can't handle a {type(app).__name__}; give it a ChatAgent, a RolePlaying, a "
                "Workforce, or an aegis_camel.ensemble.Ensemble of what your own code calls"
            )
        return CamelAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        if isinstance(app, Ensemble):
            return app(task)
        if isinstance(app, RolePlaying):
            return converse(app, task)
        if isinstance(app, Workforce):
            work = Task(content=task, id=_TASK_ID)
            # Inside a running loop `process_task` waits for ever (camel-ai/camel#4243).
            return app.process_task_async(work) if _compat.in_loop() else app.process_task(work)
        return app.step(task)

    def output(self, result: Any) -> str | None:
        return answer_text(result)

    def normalise(self, request: JsonValue) -> JsonValue:
        """Without drawn ids and times in texts, and without authors, which are inferred."""
        if isinstance(request, dict) and isinstance(request.get("parts"), list):
            parts = [[part[0], *part[2:]] if isinstance(part, list) else part for part in request["parts"]]  # type: ignore[union-attr]
            request = {**request, "parts": parts}
        return _masked(request)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _RANDOM.sub("*", value)
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return value


def _ways(app: Any) -> tuple[bool, bool, bool]:
    """Whether a system runs synchronously, asynchronously, and in pieces."""
    if isinstance(app, Ensemble):
        asynchronous = inspect.iscoroutinefunction(app.entry) or inspect.isasyncgenfunction(app.entry)
        streams = inspect.isgeneratorfunction(app.entry) or inspect.isasyncgenfunction(app.entry)
        return not asynchronous, asynchronous, streams
    streams = isinstance(app, ChatAgent) and bool(app.model_backend.model_config_dict.get("stream", False))
    return True, True, streams


def _sites(found: tuple[Member, ...], *, shared: bool) -> tuple[Site, ...]:
    """What can be altered with an agent; of one of which only the model is known, less."""
    whole = any(isinstance(member.target, ChatAgent) for member in found)
    sites = [
        Site(strategy="prompt_injection", scope="persistent"),
        Site(strategy="prompt_injection", scope="ephemeral"),
        Site(strategy="response_corruption", scope="outgoing"),
        Site(strategy="response_corruption", scope="belief"),
    ]
    if shared:
        sites = [site for site in sites if site.scope != "persistent"]
    if not whole:
        sites = [site for site in sites if site.scope in ("ephemeral", "belief")]
    if any(member.agent.tools for member in found):
        sites.append(Site(strategy="environment", scope="call"))
    return tuple(sites)


def _notes(found: tuple[Member, ...], *, shared: bool) -> Iterator[str]:
    if shared:
        yield "agents share their memory, so what one of them is told can't be altered for good"
    for member in found:
        if isinstance(member.target, ChatAgent):
            continue
        if member.target is None:
            yield f"{member.path!r} is given no model of its own, so nothing of it can be recorded"
        else:
            yield f"of {member.path!r} only the model is known: its turns can be altered at that alone"
    yield "a structured stream (response_format with stream) passes while it is recorded; it is whole when served"
