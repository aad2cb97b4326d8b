"""The adapter: watches teams, environments and roles of MetaGPT through taps on their instances.

MetaGPT can't be imported without a configuration, and that takes seconds. Whoever has an object of it has imported it;
so everything that needs it is imported when there is one.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Adapter, Attachment, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent

__all__ = ["MetaGPTAdapter"]

_HEX = "[0-9a-fA-F]"
_RANDOM = re.compile(
    rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
    rf"|\b{_HEX}{{32}}\b"
    r"|\b20\d{12}\b"  # names of documents are the time at which they were written
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""What differs from run to run in texts that quote it: random ids, points in time."""


class MetaGPTAdapter(Adapter):
    """Teams, environments and roles of MetaGPT."""

    name = "metagpt"

    def can_handle(self, app: Any) -> bool:
        if not _is_of_metagpt(app):
            return False
        from aegis_metagpt._compat import Environment, Role, Team

        return isinstance(app, Team | Environment | Role)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        from aegis_metagpt.names import Cast

        return Cast(app).agents()

    def capabilities(self, app: Any) -> Capabilities:
        from aegis_metagpt._compat import HumanProvider
        from aegis_metagpt.names import Cast

        people = [m.path for m in Cast(app).members if isinstance(vars(m.role).get("private_llm"), HumanProvider)]
        notes = [
            "a role's turn is one `Role.react`; `Role.think` and `Role.act`, called by themselves, are no turn",
            "files that roles write and read are not served from a tape; give each run a workspace of its own",
        ]
        if people:
            notes.append(f"{', '.join(people)}: answers of a human are recorded and served; they can't be altered")
        return Capabilities(
            sync=False,
            asynchronous=True,
            sites=(
                Site(strategy="prompt_injection", scope="persistent"),
                Site(strategy="prompt_injection", scope="ephemeral"),
                Site(strategy="response_corruption", scope="outgoing"),
                Site(strategy="response_corruption", scope="belief"),
            ),
            replay=("call",),
            notes=tuple(notes),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        if not self.can_handle(app):
            raise AdapterError(
                f"the metagpt adapter can't handle a {type(app).__name__}; give it a Team, an Environment or a Role"
            )
        from aegis_metagpt.attachment import MetaGPTAttachment

        return MetaGPTAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        """Run the object until nobody has anything left to do. What `Team.run` would swallow is raised."""
        from aegis_metagpt.entry import started

        return started(app, task)

    def output(self, result: Any) -> str | None:
        if not _is_of_metagpt(result):
            return result if isinstance(result, str) else None
        from aegis_metagpt.messages import message_text

        return message_text(result)

    def normalise(self, request: JsonValue) -> JsonValue:
        """Without random ids and times in texts, and without authors, which are inferred."""
        if isinstance(request, dict) and isinstance(request.get("parts"), list):
            parts = [[part[0], *part[2:]] if isinstance(part, list) else part for part in request["parts"]]  # type: ignore[union-attr]
            request = {**request, "parts": parts}
        return _masked(request)


def _is_of_metagpt(value: Any) -> bool:
    """Whether a value is of a class that is, or derives from, one of MetaGPT."""
    return any(cls.__module__.partition(".")[0] == "metagpt" for cls in type(value).__mro__)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _RANDOM.sub("*", value)
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return value
