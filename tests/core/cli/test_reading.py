"""`aegis explain`, `show` and `dataset stats` on a campaign that really ran."""

from __future__ import annotations

import json
import shutil

import pytest

from aegis_core.dataset import Dataset


@pytest.fixture(scope="module")
def labelled(campaign):
    return next(labels for labels in Dataset(campaign.out / "dataset").labels() if labels.faults)


def test_explain_tells_one_labels_proof(aegis, campaign, labelled):
    done = aegis("explain", campaign.out, labelled.run_id)
    assert (done.code, done.err) == (0, "")
    for section in (
        "The task",
        "Without any fault",
        "What was done",
        "Who saw it",
        "It failed",
        "The controls did not",
    ):
        assert f"\n{section}\n" in done.out


def test_explain_as_json_holds_the_whole_proof(aegis, campaign, labelled):
    told = aegis("explain", campaign.out / "dataset", labelled.run_id, "--json").json
    assert told["verdict"] == "labelled"
    assert told["targets"][0]["changes"][0]["before"] != told["targets"][0]["changes"][0]["after"]
    assert [arm["arm"] for arm in told["arms"]] == ["clean", "fault", "null", "sham"]
    assert told["targets"][0]["evidence"]["holds"] is True


def test_explain_without_a_run_lists_the_labelled_ones(aegis, campaign, labelled):
    done = aegis("explain", campaign.out)
    assert done.code == 0
    assert f"{labelled.run_id}  Solver, acme:false-rounding, 1" in done.out
    assert aegis("explain", campaign.out, "--json").json[0]["run_id"] == labelled.run_id


def test_explain_lists_discarded_failed_and_control_runs_and_all_of_them(aegis, campaign):
    listed = {}
    for option in ("--discarded", "--failed", "--controls", "--all"):
        done = aegis("explain", campaign.out, option)
        listed[option] = aegis("explain", campaign.out, option, "--json").json
        assert done.code == 0
        assert all(f"{run['run_id']}  {run['kind']}" in done.out for run in listed[option])
    summary = campaign.summary
    assert [run["why"].split(":")[0] for run in listed["--discarded"]].count("still right") == 2
    assert len(listed["--discarded"]) == summary.planned - summary.kept
    assert [(run["kind"], run["fate"]) for run in listed["--failed"]] == [("clean", "failed")]
    assert {run["kind"] for run in listed["--controls"]} == {"null", "sham", "subset"}
    assert len(listed["--all"]) == summary.runs
    both = aegis("explain", campaign.out, "--discarded", "--failed", "--json").json
    assert len(both) == len(listed["--discarded"]) + len(listed["--failed"])


def test_every_run_that_is_listed_can_be_shown_and_explained(aegis, campaign):
    for run in aegis("explain", campaign.out, "--all", "--json").json:
        shown = aegis("show", campaign.out / "dataset", run["run_id"])
        assert (shown.code, "acme" in shown.out) == (0, False)
        assert aegis("explain", campaign.out / "dataset", run["run_id"][:16]).code == 0


def test_a_list_of_one_run_is_refused_and_an_empty_one_is_exit_code_1(aegis, campaign, labelled, tmp_path):
    done = aegis("explain", campaign.out, labelled.run_id, "--all")
    assert (done.code, done.out) == (2, "")
    assert "--all lists runs; give it without RUN" in done.err
    for path in (campaign.out / "dataset").iterdir():
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "cases.jsonl").write_text("")
    done = aegis("explain", tmp_path, "--failed")
    assert (done.code, done.out) == (1, f"{tmp_path} has no such run.\n")


def test_a_run_of_which_nothing_is_decided_is_exit_code_2(aegis, campaign, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(campaign.out, out)
    (out / "dataset" / "cases.jsonl").write_text("")
    run = aegis("explain", out, "--all", "--json").json[0]
    assert run["fate"] == "undecided"
    done = aegis("explain", out, run["run_id"])
    assert (done.code, done.out) == (2, "")
    assert "nothing is decided of it; `aegis show` shows it" in done.err


def test_an_unknown_run_or_path_is_exit_code_2(aegis, campaign, tmp_path):
    unknown = aegis("explain", campaign.out, "zzz")
    assert (unknown.code, unknown.out) == (2, "")
    assert "no run begins with 'zzz'" in unknown.err
    assert f"`aegis explain {campaign.out / 'dataset'} --all` lists every run" in unknown.err
    assert aegis("explain", tmp_path).code == 2
    assert aegis("dataset", "stats", tmp_path).code == 2
    assert aegis("show", tmp_path / "no.jsonl").code == 2


def test_show_prints_one_run_and_never_its_label(aegis, campaign, labelled):
    done = aegis("show", campaign.out, labelled.run_id[:12])
    assert done.code == 0
    assert "[  1] Solver\n" in done.out
    assert "acme" not in done.out
    assert aegis("show", campaign.out, labelled.run_id, "--json").json["run_id"] == labelled.run_id


def test_show_without_a_run_lists_the_runs(aegis, campaign):
    done = aegis("show", campaign.out)
    runs = aegis("show", campaign.out, "--json").json
    assert len(runs) == campaign.summary.clean_right + campaign.summary.kept
    assert all(run["run_id"] in done.out for run in runs)
    assert len(done.out.splitlines()) == 1 + len(runs), "no row is folded"


def test_show_of_a_file_with_one_run_shows_it(aegis, campaign, labelled, tmp_path):
    trajectory = Dataset(campaign.out / "dataset").trajectory(labelled.run_id)
    path = tmp_path / "run.jsonl"
    path.write_text(trajectory.model_dump_json() + "\n")
    assert aegis("show", path).out.startswith(f"Run {labelled.run_id} of ")
    path.write_text("")
    empty = aegis("show", path)
    assert (empty.code, empty.out) == (1, f"{path} holds no run.\n")
    path.write_text('{"run_id": "ab')
    torn = aegis("show", path)
    assert torn.code == 1
    assert torn.out.startswith(f"{path} holds no whole run: what stands in it was cut off")


def test_explain_of_a_dataset_without_labels_is_exit_code_1(aegis, campaign, tmp_path):
    for path in (campaign.out / "dataset").iterdir():
        (tmp_path / path.name).write_text(path.read_text())
    labels = (tmp_path / "labels.jsonl").read_text().splitlines()
    clean = [line for line in labels if not json.loads(line)["faults"]]
    (tmp_path / "labels.jsonl").write_text("".join(f"{line}\n" for line in clean))
    done = aegis("explain", tmp_path)
    assert (done.code, done.out) == (1, f"{tmp_path} has no labelled run.\n")


def test_stats_counts_a_dataset(aegis, campaign):
    assert "labels by mode\n  acme:false-rounding       4\n" in aegis("dataset", "stats", campaign.out).out
    assert aegis("dataset", "stats", campaign.out, "--json").json["by_agent"] == {"Solver": 4}
