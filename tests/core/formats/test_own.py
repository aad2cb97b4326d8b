"""Aegis's own files: datasets, campaigns and single files are read alike, and what is written is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from aegis_core import store
from aegis_core.dataset import Dataset
from aegis_core.errors import StoreError
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.formats import open_runs
from aegis_core.trajectory import Agent, Step, Trajectory


def trajectory(run_id: str, task: str = "2 + 2?") -> Trajectory:
    steps = (Step(index=0, agent="Solver", kind="message", text="5"),)
    return Trajectory(run_id=run_id, task=task, agents=(Agent(path="Solver"),), steps=steps)


def labels(run_id: str, origin: str, group: str = "q1") -> Labels:
    return Labels(run_id=run_id, case_id=group, faults=(Fault(agent="Solver", step=0, origin=origin),))


RUNS = (
    LabelledRun(trajectory("a"), (labels("a", "one"), labels("a", "two")), group="q1"),
    LabelledRun(trajectory("b"), (Labels(run_id="b", case_id="q2"),), group="q2"),
    LabelledRun(trajectory("c", "3 + 3?"), group="3 + 3?"),
)


@pytest.fixture
def own(plugins):
    return plugins.format("aegis")


def test_what_is_written_is_read_back(own, tmp_path):
    own.write(RUNS, tmp_path / "out")
    assert tuple(own.read(tmp_path / "out")) == RUNS
    assert tuple(own.read(tmp_path / "out" / "trajectories.jsonl")) == RUNS


def test_labels_may_stand_anywhere(own, plugins, tmp_path):
    store.write_all(tmp_path / "runs.jsonl", [trajectory("a")])
    store.write_all(tmp_path / "mine.jsonl", [labels("a", "one")])
    assert [run.labels for run in own.read(tmp_path / "runs.jsonl")] == [()]
    source = open_runs(tmp_path / "runs.jsonl", labels=tmp_path / "mine.jsonl", plugins=plugins)
    assert [run.labels for run in source.labelled_runs()] == [(labels("a", "one"),)]


def test_labels_that_are_given_take_the_place_of_the_datasets(own, tmp_path):
    own.write(RUNS[:1], tmp_path / "out")
    store.write_all(tmp_path / "mine.jsonl", [labels("a", "third")])
    assert [run.labels for run in own.read(tmp_path / "out", tmp_path / "mine.jsonl")] == [(labels("a", "third"),)]


def test_labels_of_another_dataset_are_an_error(own, tmp_path):
    store.write_all(tmp_path / "runs.jsonl", [trajectory("a")])
    store.write_all(tmp_path / "mine.jsonl", [labels("z", "one")])
    with pytest.raises(StoreError, match=r"mine\.jsonl: run 'z' is not in the trajectories"):
        list(own.read(tmp_path / "runs.jsonl", tmp_path / "mine.jsonl"))


def test_campaign_and_its_dataset_give_the_same_runs_in_groups_of_their_task(own, campaign):
    runs = list(own.read(campaign.out))
    assert runs == list(own.read(campaign.out / "dataset")) == list(Dataset(campaign.out / "dataset").labelled_runs())
    made = {case.clean_run_id: case.task_id for case in Dataset(campaign.out / "dataset").cases()}
    made |= {run.run_id: case.task_id for case in Dataset(campaign.out / "dataset").cases() for run in case.faulty}
    assert {run.trajectory.run_id: run.group for run in runs}.items() <= made.items()
    assert {run.group for run in runs if run.labels[0].faults} == {"crates-12", "crates-23"}


@pytest.mark.parametrize("name", ["trajectories.jsonl", "tapes.jsonl"])
def test_folder_of_a_dataset_is_not_written_over(own, tmp_path, name):
    (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="was not written: it is a file, or holds a dataset; name a new folder"):
        own.write(RUNS, tmp_path)
    with pytest.raises(StoreError, match="name a new folder"):
        own.write(RUNS, tmp_path / name)


def test_two_runs_with_one_id_leave_nothing_behind(own, tmp_path):
    with pytest.raises(StoreError, match="two runs have the id 'a'"):
        own.write((*RUNS, RUNS[0]), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run_id": "r"}', '{"run_id": "r", "case_id": "c", "faults": []}'])
def test_other_files_are_not_taken_for_trajectories(own, tmp_path, text):
    (tmp_path / "some.jsonl").write_text(text, encoding="utf-8")
    assert not own.sniff(tmp_path / "some.jsonl")
    assert not own.sniff(tmp_path)
    assert not own.sniff(Path("/nowhere"))
