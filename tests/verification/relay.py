"""A team of three functions in which it is known by construction which of two faults is needed.

One of them returns data, so that these labels rest on steps with content, too.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import aegis_core as aegis
from aegis_core.campaign import Campaign
from aegis_core.campaign.tasks import Task
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.plugins import Plugins
from tests.verification.material import Files

__all__ = ["build_team", "made"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin_mode" / "src"
"""A foreign error mode, false rounding, with an injector and a predicate."""


def _rounded_if_asked(text: str, wish: str) -> str:
    if "nearest ten" not in wish:
        return text
    return re.sub(r"[0-9]+", lambda found: str(round(int(found.group()), -1)), text)


@aegis.agent("Reader")
def _read(question: str) -> str:
    first_line = question.split("\n", maxsplit=1)[0]
    return f"This is what was asked. {_rounded_if_asked(first_line, question)}"


@aegis.agent("Solver")
def _solve(facts: str) -> dict[str, object]:
    boxes, pens = (int(figure) for figure in re.findall(r"[0-9]+", facts)[:2])
    total = _rounded_if_asked(f"Together they hold {boxes * pens} pens.", facts)
    return {"working": f"There are {boxes} boxes with {pens} pens in each.", "total": total, "boxes": boxes}


@aegis.agent("Reporter")
def _report(result: dict[str, object]) -> str:
    return f"Answer: {re.findall('[0-9]+', str(result['total']))[-1]} pens"


@aegis.trace
def _team(question: str) -> str:
    return _report(_solve(_read(question)))


def build_team(*, seed: int = 0) -> object:
    """The system under study."""
    return _team


def _target(agent: str, strategy: Strategy, scope: Scope) -> Target:
    return Target(moment=Moment(agent=agent), mode="acme:false-rounding", strategy=strategy, scope=scope)


_NEEDLESS = _target("Reader", "response_corruption", "outgoing")
"""It rounds the number of the room, of which nobody makes use."""
_NEEDED = _target("Solver", "response_corruption", "outgoing")
_ASKED = _target("Solver", "prompt_injection", "persistent")


def made(out: Path) -> Files:
    """The dataset of a campaign with a single fault, and with two faults of which only the second is needed."""
    plans = [Plan(targets=targets, seed=5) for targets in ((_ASKED,), (_NEEDLESS, _NEEDED))]
    entry_points = [
        EntryPoint("callables", "aegis_callables", "aegis"),
        EntryPoint("acme", "aegis_plugin_mode", "aegis"),
    ]
    plugins = Plugins(entry_points, environ={})
    task = Task(
        task_id="pens",
        text="There are 12 boxes of 8 pens each in room 27. How many pens are there?",
        answer="96 pens",
        checker="numeric",
    )
    system = "tests.verification.relay:build_team"
    sys.path.append(str(EXAMPLE))
    try:
        Campaign(system=system, tasks=[task], injector="acme", out=out, seed=3, plans=plans, plugins=plugins).run()
        plugins.evidence("acme:false-rounding")  # which imports the predicate, as long as it can be found
    finally:
        sys.path.remove(str(EXAMPLE))
    return Files.open(out, plugins)
