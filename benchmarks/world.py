"""How often the teams of the embedded world are right, what their critics catch, and how fast they are."""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Sequence

from aegis_core.campaign.checkers import check
from aegis_core.trace import record
from aegis_core.world import FAMILIES, generate_tasks, review_objects, teams

TOPOLOGIES = tuple(name for name in teams.__all__ if name.endswith("_team"))


def table(n_tasks: int, seeds: Sequence[int]) -> str:
    """Success, caught errors and turns, a line for each topology and family."""
    lines = ["| team | family | right | caught, of those right | turns a run |", "|---|---|---|---|---|"]
    for name in TOPOLOGIES:
        for family in FAMILIES:
            right, caught, turns, runs = 0, 0, [], 0
            for seed in seeds:
                app = getattr(teams, name)(seed=seed).app
                for task in generate_tasks(n_tasks, 100 + seed, families=[family]):
                    with record(app) as recording:
                        final = app(task.text)
                    steps = [s for s in recording.trajectory.steps if s.kind == "message" and s.agent != "user"]
                    good = check(task, final).right
                    reviews = [s.text for s in steps if s.agent.split("/")[-1] in ("Critic", "Verifier")]
                    runs, right = runs + 1, right + good
                    caught += good and any(map(review_objects, reviews))
                    turns.append(len(steps))
            share = f"{caught / max(1, right):.0%}"
            lines.append(f"| {name} | {family} | {right / runs:.0%} | {share} | {statistics.mean(turns):.1f} |")
    return "\n".join(lines)


def speed(n_runs: int) -> str:
    """Runs a second on one core without recording, and how much memory grows between the halves."""
    tasks = generate_tasks(n_runs, 5)
    lines = ["| team | runs a second | growth of memory in MiB |", "|---|---|---|"]
    for name in TOPOLOGIES:
        app = getattr(teams, name)(seed=1).app
        half = len(tasks) // 2
        began = time.process_time()
        for task in tasks[:half]:
            app(task.text)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for task in tasks[half:]:
            app(task.text)
        spent = time.process_time() - began
        growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        lines.append(f"| {name} | {len(tasks) / spent:.0f} | {growth:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=60, help="tasks a family and seed")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=400, help="runs a team for the speed")
    given = parser.parse_args()
    print(table(given.tasks, range(given.seeds)))
    print(speed(given.runs))


if __name__ == "__main__":
    main()
