"""Finding runs on disk."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aegis_core import store
from aegis_core.campaign.journal import RunRecord
from aegis_core.dataset import Dataset
from aegis_core.errors import StoreError, StoreWarning
from aegis_core.report.lookup import find_trajectory, journal_of, labelled_runs, open_dataset, trajectories
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


def test_every_run_of_the_journal_is_found_from_the_campaign_and_from_its_dataset(campaign, monkeypatch):
    made = [record.trajectory for record in store.read(campaign.out / "journal.jsonl", RunRecord)]
    monkeypatch.chdir(campaign.out / "dataset")
    for path in (campaign.out, campaign.out / "dataset", Path()):
        assert [find_trajectory(path, run.run_id[:18]) for run in made] == made
    assert len(made) == campaign.summary.runs


def test_a_dataset_that_stands_alone_has_no_other_runs(campaign, tmp_path):
    shutil.copytree(campaign.out / "dataset", tmp_path / "dataset")
    assert journal_of(open_dataset(tmp_path)) is None
    case = next(case for case in Dataset(tmp_path / "dataset").cases() if not case.clean_outcome.right)
    with pytest.raises(
        StoreError, match=rf"the steps of run {case.clean_run_id} are in the journal of its campaign alone"
    ):
        find_trajectory(tmp_path, case.clean_run_id[:20])


@pytest.fixture
def stopped(campaign, tmp_path):
    """The campaign as it stood after its fifth run, in the middle of the sixth."""
    out = tmp_path / "my runs"
    out.mkdir()
    shutil.copy(campaign.out / "campaign.json", out)
    lines = (campaign.out / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (out / "journal.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:100])
    return out


def test_a_campaign_that_is_not_finished_says_how_far_it_is_and_how_it_goes_on(stopped):
    begun = r"not finished, so it has no dataset yet: 1 of 3 tasks begun; 5 runs made"
    program = rf"{begun}.*run the program that began it again .*out='{stopped}'"
    with pytest.raises(StoreError, match=program):
        open_dataset(stopped)
    with pytest.raises(StoreError, match=begun):
        open_dataset(stopped / "dataset")
    said = json.loads((stopped / "campaign.json").read_text())
    (stopped / "campaign.json").write_text(json.dumps(said | {"command": "generate --system a:b", "limit": 4}))
    with pytest.raises(
        StoreError, match=rf"to stop at 4 kept.*go on with it: aegis generate --system a:b --out '{stopped}'"
    ):
        list(trajectories(stopped))
    (stopped / "journal.jsonl").unlink()
    with pytest.raises(StoreError, match="0 of 3 tasks begun, to stop at 4 kept faulty runs; 0 runs made"):
        open_dataset(stopped)


def test_its_runs_can_be_shown_all_the_same(stopped, campaign):
    first, *_ = store.read(campaign.out / "journal.jsonl", RunRecord)
    assert find_trajectory(stopped, first.run_id[:9]) == first.trajectory


def test_a_journal_is_refused_with_the_folder_to_give_instead(campaign):
    for ask in (lambda path: find_trajectory(path, "a"), trajectories):
        with pytest.raises(StoreError, match=rf"is the journal of a campaign; .* instead: {campaign.out}$"):
            ask(campaign.out / "journal.jsonl")


def test_a_dataset_that_a_killed_campaign_has_half_put_in_place_is_not_finished(campaign, tmp_path):
    shutil.copytree(campaign.out, tmp_path / "out")
    (tmp_path / "out" / "dataset" / "summary.json").unlink()
    with pytest.raises(StoreError, match="not finished"):
        open_dataset(tmp_path / "out")


def test_of_a_file_without_a_whole_run_it_is_said_why(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"run_id": "ab')
    with (
        pytest.warns(StoreWarning),
        pytest.raises(StoreError, match="holds no whole run: what stands in it was cut off"),
    ):
        find_trajectory(path, "ab")
    path.write_text("")
    with pytest.raises(StoreError, match=r"runs\.jsonl holds no run$"):
        find_trajectory(path, "ab")


def test_no_run_or_several_are_an_error(file, campaign, tmp_path):
    with pytest.raises(StoreError, match=r"no run begins with 'q'; `aegis show .*runs.jsonl` lists the runs"):
        find_trajectory(file, "q")
    with pytest.raises(StoreError, match=r"2 runs begin with 'a': ab, abc$"):
        find_trajectory(file, "a")
    with pytest.raises(StoreError, match="no run begins with 'q'"):
        find_trajectory(campaign.out, "q")
    with pytest.raises(StoreError, match="does not exist"):
        trajectories(tmp_path / "nowhere")
