"""What is known of a run before it starts, and when it is ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from aegis_core.trajectory import Agent

__all__ = ["Limits", "RunInfo"]


@dataclass(frozen=True)
class Limits:
    """When a run is ended as `no_end`. None: no limit."""

    turns: int | None = None
    calls: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunInfo:
    """What is known of a run before it starts."""

    run_id: str
    task: str = ""
    system: str = ""
    adapter: str = ""
    agents: tuple[Agent, ...] = field(default=())
