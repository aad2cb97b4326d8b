"""Datasets that real campaigns made. The campaign is the producer here, and nothing else of it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from aegis_core.campaign import Campaign
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.world import generate_tasks
from tests.verification import relay as relay_team
from tests.verification.material import Files

ENOUGH = 20
"""Faulty runs that a dataset has to have, so that twenty random ones can be made again."""

CORRUPTION: tuple[Strategy, Scope] = ("response_corruption", "outgoing")
BELIEF: tuple[Strategy, Scope] = ("response_corruption", "belief")
INJECTION: tuple[Strategy, Scope] = ("prompt_injection", "persistent")


def target(agent: str, mode: str, site: tuple[Strategy, Scope]) -> Target:
    return Target(moment=Moment(agent=agent), mode=mode, strategy=site[0], scope=site[1])


def plans(researcher: str) -> tuple[Plan, ...]:
    """Plans of which many succeed, one of them with two targets."""
    targets = (
        (target("Solver", "FM-2.6", CORRUPTION),),
        (target("Solver", "FM-2.6", BELIEF),),
        (target("Solver", "FM-2.6", INJECTION),),
        (target("Solver", "FM-1.1", CORRUPTION),),
        (target("Solver", "FM-1.1", INJECTION),),
        (target(researcher, "FM-2.4", CORRUPTION),),
        (target(researcher, "FM-2.4", CORRUPTION), target("Solver", "FM-2.6", CORRUPTION)),
    )
    return tuple(Plan(targets=group, seed=number) for number, group in enumerate(targets))


def produced(out: Path, system: str, researcher: str) -> Files:
    """The dataset of a seeded campaign."""
    campaign = Campaign(
        system=system,
        tasks=generate_tasks(40, 7),
        out=out,
        seed=5,
        plans=plans(researcher),
        limit=ENOUGH + 2,
    )
    campaign.run()
    files = Files.open(out)
    kept = sum(1 for _ in files.claims())
    assert kept >= ENOUGH, f"the campaign kept {kept} faulty runs; these tests need {ENOUGH}: give them other plans"
    return files


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A team of plain functions."""
    return produced(tmp_path_factory.mktemp("chain") / "out", "aegis_core.world.teams:chain_team", "Researcher")


@pytest.fixture(scope="session")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A LangGraph team with a parallel branch and tools."""
    system = "aegis_langgraph.testing.systems:analysis_team"
    return produced(tmp_path_factory.mktemp("analysis") / "out", system, "Reader")


@pytest.fixture(scope="session")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Three functions and a foreign error mode: two kept runs, one of them with a redundant target."""
    return relay_team.made(tmp_path_factory.mktemp("relay") / "out")
