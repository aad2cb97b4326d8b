"""The order of a dataset's trajectories tells nothing of them."""

from __future__ import annotations

from pathlib import Path

from aegis_core.dataset import Dataset, DatasetWriter
from aegis_core.trajectory import Trajectory


def run(run_id: str, text: str = "") -> Trajectory:
    return Trajectory(run_id=run_id, task=f"2 + 2? {text}", agents=(), steps=())


def test_trajectories_stand_in_the_order_of_their_ids_whatever_the_order_in_which_they_came(tmp_path: Path) -> None:
    ids = [f"{7919 * number % 1000:03}" for number in range(200)]
    for folder, given in (("one", ids), ("other", ids[::-1])):
        with DatasetWriter(tmp_path / folder) as writer:
            for run_id in given:
                writer.trajectory(run(run_id, "é" * int(run_id)))

    assert [run.run_id for run in Dataset(tmp_path / "one").trajectories()] == sorted(ids)
    one, other = ((tmp_path / folder / "trajectories.jsonl").read_bytes() for folder in ("one", "other"))
    assert one == other
    assert sorted(path.name for path in (tmp_path / "one").iterdir() if path.name.startswith((".", "tmp"))) == []
