"""How many proven faulty runs a campaign makes in a minute, on both systems.

What is timed is `Campaign.run`, from checking the configuration to the finished dataset, after a campaign of one task
has loaded everything. Clean runs and plans that prove nothing take their time too. A campaign is one process and
makes one run at a time; only a framework's own threads use a second core.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aegis_core.campaign.summary import Summary
from benchmarks.campaigns import SYSTEMS, TASKS, generate
from benchmarks.measuring import Contender, Sample, measure, quartiles, timed
from benchmarks.reporting import Figure, Goal, Report, machine

__all__ = ["run"]

_GOALS = {"langgraph": Goal(at_least=300), "callables": Goal(at_least=600)}


def run(rounds: int = 5, systems: Sequence[str] = tuple(SYSTEMS), tasks: int = TASKS) -> Report:
    """Time whole campaigns, the systems in turn; the same campaigns in every round."""
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        campaigns = {system: _Campaigns(system, Path(folder), tasks) for system in systems}
        for campaign in campaigns.values():
            generate(campaign.system, campaign.folder / f"{campaign.system}-warm", 1)
        contenders: dict[str, Contender] = {system: campaign.once for system, campaign in campaigns.items()}
        taken = measure(contenders, rounds=rounds, warmups=0)
    figures: list[Figure] = []
    for system in systems:
        summary = campaigns[system].summary
        for unit, count, goal in (("proven", summary.kept, _GOALS[system]), ("all", summary.runs, None)):
            for clock, seconds in (("wall", taken.wall(system)), ("CPU", taken.cpu(system))):
                figures.append(
                    Figure(
                        name=f"{system}: {unit} runs a minute, {clock}",
                        estimate=quartiles([60 * count / took for took in seconds]),
                        goal=goal if clock == "wall" else None,
                    )
                )
    return Report(
        benchmark="throughput",
        title="proven faulty runs a minute",
        machine=where,
        figures=tuple(figures),
        notes=tuple(_note(system, campaigns[system].summary) for system in systems),
    )


class _Campaigns:
    """The same campaign again and again, each time in a new folder."""

    def __init__(self, system: str, folder: Path, tasks: int) -> None:
        self.system = system
        self.folder = folder
        self.summary: Summary
        self._tasks = tasks
        self._numbers = itertools.count()

    def once(self) -> Sample:
        out = self.folder / f"{self.system}-{next(self._numbers)}"

        def work() -> None:
            self.summary = generate(self.system, out, self._tasks)

        return timed(work)


def _note(system: str, summary: Summary) -> str:
    share = f", {summary.kept / summary.planned:.0%}" if summary.planned else ""
    return (
        f"{system}: {summary.tasks} tasks, {summary.runs} runs; "
        f"{summary.kept} of {summary.planned} plans proven{share}; the same in every round"
    )
