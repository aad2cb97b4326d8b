"""Scored runs in a few words, for all tests of scoring."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aegis_core.attribution import Attribution, Blame
from aegis_core.faults import Fault
from aegis_core.scoring import ScoredRun

AGENTS = ("Planner", "Solver", "Critic")
Said = tuple[str, str | None] | tuple[str, str | None, int | None]


def fault(agent: str, mode: str | None = "FM-1.1", step: int | None = None, **more: object) -> Fault:
    return Fault.model_validate({"agent": agent, "mode": mode, "step": step, "origin": "Ann", **more})


def scored(
    truth: str | tuple[Fault, ...] = "",
    said: str | tuple[Blame, ...] | None = "",
    *,
    run_id: str = "r",
    group: str = "",
    agents: tuple[str, ...] = AGENTS,
    steps: int = 20,
    abstained: str = "",
    attributor: str = "guess",
) -> ScoredRun:
    """A run from words such as `Solver FM-1.1 4, Critic FM-2.6`: agent, mode (`-` for none), step. None: not judged."""
    if isinstance(truth, str):
        truth = tuple(fault(*_fields(words)) for words in filter(None, truth.split(", ")))
    prediction = None
    if said is not None:
        if isinstance(said, str):
            fields = [_fields(words) for words in filter(None, said.split(", "))]
            said = tuple(Blame(agent=agent, mode=mode, step=step) for agent, mode, step in fields)
        prediction = Attribution(run_id=run_id, blames=said, abstained=abstained, attributor=attributor)
    return ScoredRun(
        run_id=run_id,
        group=group or run_id,
        agents=agents,
        steps=steps,
        truth=truth,
        prediction=prediction,
        not_judged="" if prediction else "broken JSON",
    )


def _fields(words: str) -> tuple[str, str | None, int | None]:
    agent, *rest = words.split()
    mode = rest[0] if rest and rest[0] != "-" else None
    return agent, mode, int(rest[1]) if len(rest) > 1 else None


@pytest.fixture(name="scored", scope="session")
def _scored() -> Callable[..., ScoredRun]:
    return scored


@pytest.fixture(name="fault", scope="session")
def _fault() -> Callable[..., Fault]:
    return fault
