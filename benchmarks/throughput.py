"""How many proven faulty runs a campaign makes in a minute, on both systems.

What is timed is `Campaign.run`, from checking the configuration to the finished dataset, after a campaign of one task
has loaded everything. Clean runs and plans that prove nothing take their time too. With one process, only a
framework's own threads use a second core; with two, starting them is timed too, and processor time is left out, since
it is that of other processes.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aegis_core.campaign.summary import Summary
from benchmarks.campaigns import SYSTEMS, generate
from benchmarks.measuring import Contender, Sample, measure, quartiles, timed
from benchmarks.reporting import Figure, Goal, Report, machine

__all__ = ["run"]

_GOALS = {"langgraph": Goal(at_least=300), "callables": Goal(at_least=600)}
"""On two cores."""
_TASKS = 80
_WORKERS = (1, 2)


def run(rounds: int = 3, systems: Sequence[str] = tuple(SYSTEMS), tasks: int = _TASKS) -> Report:
    """Time whole campaigns, the systems in turn; the same campaigns in every round."""
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        campaigns = {
            _name(system, workers): _Campaigns(system, Path(folder), tasks, workers)
            for system in systems
            for workers in _WORKERS
        }
        for system in systems:
            generate(system, Path(folder) / f"{system}-warm", 1)
        contenders: dict[str, Contender] = {name: campaign.once for name, campaign in campaigns.items()}
        taken = measure(contenders, rounds=rounds, warmups=0)
    figures: list[Figure] = []
    for name, campaign in campaigns.items():
        clocks = {"wall": taken.wall(name)} | ({"CPU": taken.cpu(name)} if campaign.workers == 1 else {})
        for unit, count in (("proven", campaign.summary.kept), ("all", campaign.summary.runs)):
            for clock, seconds in clocks.items():
                aimed = unit == "proven" and campaign.workers == max(_WORKERS)
                figures.append(
                    Figure(
                        name=f"{name}: {unit} runs a minute, {clock}",
                        estimate=quartiles([60 * count / took for took in seconds]),
                        goal=_GOALS[campaign.system] if aimed else None,
                    )
                )
    return Report(
        benchmark="throughput",
        title="proven faulty runs a minute",
        machine=where,
        figures=tuple(figures),
        notes=tuple(_note(system, campaigns[_name(system, 1)].summary) for system in systems),
    )


def _name(system: str, workers: int) -> str:
    return system if workers == 1 else f"{system}, {workers} workers"


class _Campaigns:
    """The same campaign again and again, each time in a new folder."""

    def __init__(self, system: str, folder: Path, tasks: int, workers: int) -> None:
        self.system = system
        self.workers = workers
        self.summary: Summary
        self._folder = folder
        self._tasks = tasks
        self._numbers = itertools.count()

    def once(self) -> Sample:
        out = self._folder / f"{self.system}-{self.workers}-{next(self._numbers)}"

        def work() -> None:
            self.summary = generate(self.system, out, self._tasks, self.workers)

        return timed(work)


def _note(system: str, summary: Summary) -> str:
    share = f", {summary.kept / summary.planned:.0%}" if summary.planned else ""
    return (
        f"{system}: {summary.tasks} tasks, {summary.runs} runs; "
        f"{summary.kept} of {summary.planned} plans proven{share}; the same in every round"
    )
