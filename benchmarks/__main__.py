"""`python -m benchmarks [NAME ...]`: run benchmarks by name, or all of them."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from importlib import import_module

from benchmarks.reporting import Report, load

MODULES = ("imports", "store", "tracing", "model_calls", "throughput", "evaluation", "realism", "memory")
"""One module a benchmark, the quick ones first; each has `run(rounds)`."""


def main() -> None:
    """Run what the command line names, and print each report as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MODULES)}; by default all")
    parser.add_argument("--rounds", type=int, help="how often each contender runs; by default as each benchmark needs")
    parser.add_argument("--json", action="store_true", help="print one JSON object a benchmark")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in MODULES]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(MODULES)}")
    if given.rounds is not None and given.rounds < 1:
        parser.error(f"--rounds is {given.rounds}, it has to be 1 or more")
    for name in given.names or MODULES:
        report = run(name, given.rounds)
        print(json.dumps(report.data()) if given.json else report.text() + "\n", flush=True)


def run(name: str, rounds: int | None = None) -> Report:
    """Run one benchmark.

    Args:
        name: of its module.
        rounds: how often each contender runs; None: the benchmark's own number.
    """
    module = import_module(f"benchmarks.{name}")
    report: Report = module.run() if rounds is None else module.run(rounds=rounds)
    return replace(report, load_after=load())


if __name__ == "__main__":
    main()
