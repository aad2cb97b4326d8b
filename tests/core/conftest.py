"""A small finished campaign, for tests of what reads campaigns: plain functions and one foreign error mode."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import aegis_core as aegis
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.plugins import Plugins

if TYPE_CHECKING:
    from aegis_core.campaign.summary import Summary

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin_mode" / "src"


def _figures(text: str) -> list[int]:
    return [int(figure) for figure in re.findall(r"[0-9]+", text)]


def _rounded_if_asked(text: str, wish: str) -> str:
    """The text, with its figures rounded if the wish asks for that."""
    if "nearest ten" not in wish:
        return text
    return re.sub(r"[0-9]+", lambda match: str(round(int(match.group()), -1)), text)


@aegis.agent("Reader")
def _read(question: str) -> str:
    told = _rounded_if_asked(question.split("\n", maxsplit=1)[0], question)
    return f"The question was put like this. {told}"


@aegis.agent("Solver")
def _solve(facts: str) -> str:
    crates, bottles = _figures(facts)[:2]
    total = _rounded_if_asked(f"It makes {crates * bottles} bottles altogether.", facts)
    return f"Each of the {crates} crates holds {bottles} bottles. {total}"


@aegis.agent("Reporter")
def _report(working: str) -> str:
    return f"Answer: {_figures(working)[-1]} bottles"


@aegis.trace
def _team(question: str) -> str:
    return _report(_solve(_read(question)))


def build_team(*, seed: int = 0) -> object:
    """The system under study."""
    return _team


@dataclass(frozen=True)
class Finished:
    """A campaign that has run: its folder, its counts, and the plugins that it used."""

    out: Path
    summary: Summary
    plugins: Plugins


def _target(agent: str, strategy: Strategy, scope: Scope) -> Target:
    return Target(moment=Moment(agent=agent), mode="acme:false-rounding", strategy=strategy, scope=scope)


ASKED = _target("Solver", "prompt_injection", "persistent")
CORRUPTED = _target("Solver", "response_corruption", "outgoing")
HARMLESS = _target("Reader", "response_corruption", "outgoing")
"""It rounds the number of the hall, of which nobody makes use."""
PLANS = tuple(Plan(targets=targets, seed=5) for targets in ((ASKED,), (CORRUPTED,), (HARMLESS,), (HARMLESS, CORRUPTED)))


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Two tasks that the team solves and one that it does not, and the four plans on each of the two.

    Kept are the first, the second and the last, in which the first target is redundant.
    """
    from aegis_core.campaign.campaign import Campaign
    from aegis_core.campaign.tasks import Task

    out = tmp_path_factory.mktemp("campaign") / "out"
    points = [EntryPoint("callables", "aegis_callables", "aegis"), EntryPoint("acme", "aegis_plugin_mode", "aegis")]
    plugins = Plugins(points, environ={})
    tasks = [
        Task(
            task_id=f"crates-{crates}",
            text=f"There are {crates} crates of 8 bottles each in hall 27. How many bottles are there?",
            answer=f"{right} bottles",
            checker="numeric",
        )
        for crates, right in ((12, 96), (23, 184), (4, 33))
    ]
    sys.path.append(str(EXAMPLE))
    try:
        summary = Campaign(
            system=build_team, tasks=tasks, injector="acme", out=out, seed=3, plans=PLANS, plugins=plugins
        ).run()
    finally:
        sys.path.remove(str(EXAMPLE))
    return Finished(out, summary, plugins)
