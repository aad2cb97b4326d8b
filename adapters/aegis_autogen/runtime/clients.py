"""The model clients of core agents: found where an agent holds them, and tapped there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autogen_agentchat.base import ChatAgent
from autogen_core.models import ChatCompletionClient, CreateResult

from aegis_autogen.runtime.handling import current
from aegis_autogen.signals import Signals
from aegis_autogen.taps.models import tapped_client
from aegis_core.adapter import Turn
from aegis_core.run import Run

__all__ = ["holders", "tapped_clients"]


def holders(agent: Any) -> list[tuple[Any, str, ChatCompletionClient]]:
    """(owner, attribute, client) for each model client that an agent, or a chat agent that it wraps, holds."""
    return list(_holders(agent, wrapped=True))


def _holders(owner: Any, *, wrapped: bool) -> Iterator[tuple[Any, str, ChatCompletionClient]]:
    for attribute, value in list(getattr(owner, "__dict__", {}).items()):
        if isinstance(value, ChatCompletionClient):
            yield owner, attribute, value
        elif wrapped and isinstance(value, ChatAgent):
            yield from _holders(value, wrapped=False)


def tapped_clients(agent: Any, run: Run, signals: Signals) -> list[tuple[Any, str, Any]]:
    """(owner, attribute, what to put there) for each model client of an agent."""
    return [
        (owner, attribute, tapped_client(client, run, _Handler(run, agent.id.type, type(client).__name__), signals))
        for owner, attribute, client in holders(agent)
    ]


class _Handler:
    """Who calls a client: the agent whose handler runs now."""

    authors: Mapping[str, str] = {}
    """The sources of messages are the user's own words here, so they stand as they are."""

    def __init__(self, run: Run, agent: str, model: str) -> None:
        self.sources = frozenset({agent})
        self._run, self._model = run, model

    async def turn(self) -> Turn | None:
        handling = current.get()
        return await handling.open() if handling is not None and handling.run is self._run else None

    def answered(self, result: CreateResult) -> None:
        handling = current.get()
        if handling is not None:
            handling.told(self._model, result)
