"""Several processes that make runs of a graph write what one would have written."""

from __future__ import annotations

import pytest

from aegis_core.campaign import Campaign
from aegis_core.world import generate_tasks

pytestmark = pytest.mark.framework


def test_two_workers_write_the_same_bytes(tmp_path):
    written = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        Campaign(
            system="aegis_langgraph.testing.systems:analysis_team",
            tasks=generate_tasks(3, 7),
            out=out,
            seed=7,
            plans_per_run=2,
            workers=workers,
        ).run()
        written.append(
            {
                str(path.relative_to(out)): path.read_bytes()
                for path in out.rglob("*")
                if path.is_file() and path.name not in ("times.jsonl", ".lock")
            }
        )

    assert len(written[0]["journal.jsonl"].splitlines()) > 3
    assert written[0] == written[1]
