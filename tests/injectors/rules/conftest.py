"""What the tests of the rules share: calling the injector on texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from aegis_core.adapter import Part
from aegis_core.faults import SCOPES, Moment, Target
from aegis_core.injector import Edits, InjectionContext, Refused
from aegis_core.trajectory import Agent
from aegis_rules.injector import Rules

Alter = Callable[..., "Edits | Refused"]
AGENTS = tuple(Agent(path=path) for path in ("planner", "solver", "critic"))


@pytest.fixture(scope="session")
def alter() -> Alter:
    """Alter parts by one mode and strategy, as `solver`; texts stand for parts of one message each."""

    def run(mode, strategy, parts, *, realisation=None, task="", seen=(), seed=0, scope=None) -> Edits | Refused:
        parts = (Part(id="text", text=parts),) if isinstance(parts, str) else tuple(parts)
        seen = (Part(id="seen", text=seen, role="user"),) if isinstance(seen, str) else tuple(seen)
        scope = scope or SCOPES[strategy][0]
        context = InjectionContext(
            task=task, agent=AGENTS[1], agents=AGENTS, parts=parts, scope=scope, seed=seed, seen=seen
        )
        target = Target(
            moment=Moment(agent="solver"), mode=mode, strategy=strategy, scope=scope, realisation=realisation
        )
        return asyncio.run(Rules().alter(context, target, 1))

    return run


@pytest.fixture(scope="session")
def altered(alter) -> Callable[..., str]:
    """The one text that comes out of `alter`; fails if it refuses."""

    def run(*args, **options) -> str:
        edits = alter(*args, **options)
        assert isinstance(edits, Edits), edits
        assert len(edits.texts) == 1, edits.texts
        return next(iter(edits.texts.values()))

    return run


@pytest.fixture(scope="session")
def refusal(alter) -> Callable[..., str]:
    """The reason for which `alter` refuses; fails if it does not."""

    def run(*args, **options) -> str:
        result = alter(*args, **options)
        assert isinstance(result, Refused), result
        return result.reason

    return run
