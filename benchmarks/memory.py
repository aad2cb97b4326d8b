"""Whether memory stays flat over thousands of traced runs.

Each adapter's small team (two members, one round, a tool call) is run in a process of its own: 10,000 runs that are
recorded and read, and for comparison as many that are not, since frameworks keep things too. Memory is read after the
first tenth and at the end, garbage collected: the process's resident memory, and how many small blocks (up to 512
bytes) Python has allocated, which no fragmentation blurs. Teams that remember are made anew for every run.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from aegis_core.errors import AegisError
from benchmarks import workloads
from benchmarks.measuring import Estimate
from benchmarks.reporting import Figure, Goal, Report, machine
from benchmarks.tracing import recorded
from benchmarks.workloads import Workload

__all__ = ["Used", "run", "used"]

_GOAL = Goal(at_most=1.0)
_SYSTEMS: Mapping[str, Callable[[], Workload]] = {
    "callables": lambda: workloads.callables(1, agents=2),
    "langgraph": lambda: workloads.langgraph(1, agents=2),
    "autogen": lambda: workloads.autogen(1, agents=2),
    "smolagents": lambda: workloads.smolagents(1, agents=2),
}


@dataclass(frozen=True)
class Used:
    """What a process held after so many runs. `blocks` are Python's own."""

    runs: int
    rss_bytes: int
    blocks: int


def run(rounds: int = 10_000, names: Sequence[str] = tuple(_SYSTEMS)) -> Report:
    """Run each team so many times, traced and not.

    Args:
        rounds: runs of each, at least 10.
        names: of the adapters.
    """
    where = machine()
    figures: list[Figure] = []
    notes: list[str] = []
    for name in names:
        for traced in (True, False):
            early, late = _in_process(name, rounds, traced=traced)
            what = f"{name}: {'traced' if traced else 'untraced'}"
            runs = late.runs - early.runs
            grown = (late.rss_bytes - early.rss_bytes) / 1024 / runs
            figures += [
                Figure(
                    name=f"{what}, growth a run", estimate=_exactly(grown), unit="kB", goal=_GOAL if traced else None
                ),
                Figure(name=f"{what}, blocks a run", estimate=_exactly((late.blocks - early.blocks) / runs)),
            ]
            told = ", ".join(f"{one.rss_bytes / 2**20:.1f} MB after {one.runs} runs" for one in (early, late))
            notes.append(f"{what}: {told}")
    return Report(
        benchmark="memory",
        title=f"growth of a process over {rounds} runs",
        machine=where,
        figures=tuple(figures),
        notes=tuple(notes),
    )


def used(name: str, runs: int, *, traced: bool) -> tuple[Used, Used]:
    """What this process holds after a tenth of these runs, and after all."""
    work = _SYSTEMS[name]()
    early = max(1, runs // 10)
    return _after(work, early, early, traced=traced), _after(work, runs - early, runs, traced=traced)


def _after(work: Workload, more: int, runs: int, *, traced: bool) -> Used:
    for _ in range(more):
        if traced:
            recorded(work)
        else:
            work.start(work.make())
    for _ in range(3):  # what is freed in one collection may make more garbage
        gc.collect()
    return Used(runs, _resident(), sys.getallocatedblocks())


def _resident() -> int:
    """Resident bytes of this process.

    Raises:
        AegisError: the system does not tell.
    """
    told = Path("/proc/self/statm")
    if not told.exists():
        raise AegisError("the benchmark of memory reads /proc/self/statm, which this system does not have")
    return int(told.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _in_process(name: str, runs: int, *, traced: bool) -> tuple[Used, Used]:
    asked = [sys.executable, "-m", "benchmarks.memory", name, str(runs), *(["--traced"] if traced else [])]
    told = subprocess.run(asked, check=True, capture_output=True, text=True)  # noqa: S603  our own module
    early, late = json.loads(told.stdout.splitlines()[-1])
    return Used(**early), Used(**late)


def _exactly(value: float) -> Estimate:
    return Estimate(value=value, low=value, high=value, bounds="")


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("name", choices=list(_SYSTEMS))
    parser.add_argument("runs", type=int)
    parser.add_argument("--traced", action="store_true")
    given = parser.parse_args()
    print(json.dumps([asdict(one) for one in used(given.name, given.runs, traced=given.traced)]))


if __name__ == "__main__":
    _main()
