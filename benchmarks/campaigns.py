"""The campaigns that are measured: what `aegis demo` runs, and the same on the team of plain functions."""

from __future__ import annotations

from pathlib import Path

from aegis_core.campaign import Campaign
from aegis_core.campaign.summary import Summary
from aegis_core.world import generate_tasks

__all__ = ["SEED", "SYSTEMS", "TASKS", "generate"]

SYSTEMS = {
    "langgraph": "aegis_langgraph.testing.systems:analysis_team",
    "callables": "aegis_core.world.teams:chain_team",
}
"""Systems by the name of their adapter: the demo's, and its plain twin."""
SEED = 7
"""The demo's."""
TASKS = 40
"""The demo's number of tasks."""


def generate(system: str, out: Path, tasks: int = TASKS, workers: int = 1) -> Summary:
    """Run a whole campaign, configured as the demo configures it.

    Args:
        system: a name of `SYSTEMS`.
        out: folder of the campaign, which must not exist yet.
        tasks: the first so many of the demo's seed.
        workers: how many processes make the runs.
    """
    made = generate_tasks(tasks, SEED)
    return Campaign(system=SYSTEMS[system], tasks=made, out=out, seed=SEED, workers=workers).run()
