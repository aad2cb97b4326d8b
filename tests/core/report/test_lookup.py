"""Finding runs on disk."""

from __future__ import annotations

import pytest

from aegis_core import store
from aegis_core.dataset import Dataset
from aegis_core.errors import StoreError
from aegis_core.report.lookup import find_trajectory, labelled_runs, open_dataset, trajectories
from aegis_core.trajectory import Trajectory


def _run(run_id):
    return Trajectory(run_id=run_id, task="count", agents=(), steps=())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "runs.jsonl"
    store.write_all(path, [_run("ab"), _run("abc"), _run("xyz")])
    return path


def test_a_campaigns_folder_stands_for_its_dataset(campaign):
    assert open_dataset(campaign.out).path == campaign.out / "dataset"
    assert open_dataset(campaign.out / "dataset").path == campaign.out / "dataset"


def test_labelled_runs_leave_out_the_clean_ones(campaign):
    labels = labelled_runs(open_dataset(campaign.out))
    assert len(labels) == campaign.summary.kept
    assert all(one.faults for one in labels)


def test_a_file_of_trajectories_is_read(file):
    assert [run.run_id for run in trajectories(file)] == ["ab", "abc", "xyz"]
    assert find_trajectory(file, "x").run_id == "xyz"
    assert find_trajectory(file, "ab").run_id == "ab", "a whole id counts before a beginning"


def test_runs_made_for_proofs_are_found_too(campaign):
    dataset = Dataset(campaign.out / "dataset")
    proof = next(dataset.proofs())
    null = next(arm.run_id for arm in proof.arms if arm.arm == "null")
    assert find_trajectory(campaign.out, null).run_id == null
    assert find_trajectory(campaign.out, proof.run_id).run_id == proof.run_id


def test_no_run_or_several_are_an_error(file, campaign, tmp_path):
    with pytest.raises(StoreError, match=r"no run begins with 'q'; `aegis show .*runs.jsonl` lists the runs"):
        find_trajectory(file, "q")
    with pytest.raises(StoreError, match=r"2 runs begin with 'a': ab, abc$"):
        find_trajectory(file, "a")
    with pytest.raises(StoreError, match="no run begins with 'q'"):
        find_trajectory(campaign.out, "q")
    with pytest.raises(StoreError, match="does not exist"):
        trajectories(tmp_path / "nowhere")
