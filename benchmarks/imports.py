"""What importing the core costs a process, against one that imports pydantic and defines one model."""

from __future__ import annotations

import resource  # not on Windows
import subprocess
import sys
import time
from collections.abc import Mapping

from benchmarks.measuring import Contender, Sample, measure, quartiles, ratio
from benchmarks.reporting import Figure, Goal, Report, machine

__all__ = ["run"]

_SCRIPTS = {
    "empty process": "pass",
    "pydantic, one model": "import pydantic\nclass Point(pydantic.BaseModel):\n    x: int",
    "aegis_core": "import aegis_core",
    "aegis_core, one run recorded": (
        "import aegis_core as aegis\n"
        "@aegis.agent('Solver')\n"
        "def solve(question): return question\n"
        "with aegis.record(solve) as run: solve('?')\n"
        "assert len(run.trajectory.steps) == 1"
    ),
}
"""The last one says what importing alone puts off: validators, plugins, modules that not every run needs."""
_GOAL = Goal(at_most=1.5)


def run(rounds: int = 40) -> Report:
    """Time whole processes, from start to end, with compiled files in place."""
    where = machine()
    taken = measure(contenders(), rounds=rounds)
    figures = [
        Figure(name=f"{name}, {clock}", estimate=quartiles([1000 * s for s in read(name)]), unit="ms")
        for clock, read in (("wall", taken.wall), ("CPU", taken.cpu))
        for name in _SCRIPTS
    ]
    model, core, used = list(_SCRIPTS)[1:]
    figures += [
        Figure(name="aegis_core / pydantic, wall", estimate=ratio(taken.wall(core), taken.wall(model)), goal=_GOAL),
        Figure(name="aegis_core / pydantic, CPU", estimate=ratio(taken.cpu(core), taken.cpu(model))),
        Figure(name="one run recorded / pydantic, CPU", estimate=ratio(taken.cpu(used), taken.cpu(model))),
    ]
    return Report(
        benchmark="imports",
        title="import of the core against a process that imports pydantic and defines one BaseModel",
        machine=where,
        figures=tuple(figures),
        notes=("the longest parts: python -X importtime -c 'import aegis_core'",),
    )


def contenders() -> Mapping[str, Contender]:
    """One process a script, by name."""
    return {name: _process(script) for name, script in _SCRIPTS.items()}


def _process(script: str) -> Contender:
    def once() -> Sample:
        before, wall = _children_s(), time.perf_counter()
        subprocess.run([sys.executable, "-c", script], check=True)  # noqa: S603  our own scripts
        return Sample(wall_s=time.perf_counter() - wall, cpu_s=_children_s() - before)

    return once


def _children_s() -> float:
    """Processor time of all ended children, to the microsecond."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
