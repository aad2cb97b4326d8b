"""Every run of a campaign, and what became of it."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

from aegis_core import store
from aegis_core.campaign.journal import RunRecord
from aegis_core.dataset import Dataset
from aegis_core.report.cases import case_runs, runs_of_plan
from aegis_core.report.lookup import journal_of


@pytest.fixture(scope="module")
def dataset(campaign):
    return Dataset(campaign.out / "dataset")


def test_every_run_of_the_journal_is_listed_once(dataset, campaign):
    made = [record.run_id for record in store.read(campaign.out / "journal.jsonl", RunRecord)]
    listed = [run.run_id for run in case_runs(dataset)]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(made)


def test_each_has_the_fate_that_the_summary_counts(dataset, campaign):
    fates = Counter((run.kind, run.fate) for run in case_runs(dataset) if run.kind in ("clean", "faulty"))
    summary = campaign.summary
    assert fates == {
        ("clean", "right"): summary.clean_right,
        ("clean", "failed"): summary.tasks - summary.clean_right,
        ("faulty", "kept"): summary.kept,
        ("faulty", "discarded"): summary.planned - summary.kept,
    }
    reasons = Counter(run.why.partition(":")[0] for run in case_runs(dataset) if run.fate == "discarded")
    assert reasons == summary.discarded


def test_runs_made_for_a_proof_follow_their_faulty_run_and_name_it(dataset):
    last = ""
    for run in case_runs(dataset):
        if run.kind in ("clean", "faulty"):
            last = run.run_id
        else:
            assert run.of == last
    assert {run.kind for run in case_runs(dataset)} == {"clean", "faulty", "null", "sham", "subset"}


def test_a_dataset_that_stands_alone_lists_the_runs_of_its_proofs(dataset, tmp_path):
    shutil.copytree(dataset.path, tmp_path / "alone")
    alone = list(case_runs(Dataset(tmp_path / "alone")))
    kept = {run.run_id for run in alone if run.fate == "kept"}
    assert alone == [run for run in case_runs(dataset) if run.kind in ("clean", "faulty") or run.of in kept]


def test_runs_of_a_campaign_that_was_stopped_after_its_dataset_are_undecided(dataset, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(dataset.path.parent, out)
    with (out / "dataset" / "cases.jsonl").open("rb") as file:
        first, *_ = file
    (out / "dataset" / "cases.jsonl").write_bytes(first)
    kinds = {run.kind for run in case_runs(Dataset(out / "dataset")) if run.fate == "undecided"}
    assert kinds == {"clean", "faulty", "null", "sham", "subset"}


def test_without_proofs_only_clean_and_faulty_runs_are_listed(dataset):
    assert list(case_runs(dataset, proofs=False)) == [r for r in case_runs(dataset) if r.kind in ("clean", "faulty")]


def test_the_runs_of_a_plan_begin_with_the_faulty_run(dataset):
    case = next(dataset.cases())
    for faulty in case.faulty:
        runs = runs_of_plan(journal_of(dataset), case.task_id, faulty.plan)
        assert runs[0].run_id == faulty.run_id
        assert {run.task_id for run in runs} == {case.task_id}
