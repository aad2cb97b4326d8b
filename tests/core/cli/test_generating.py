"""`aegis generate`, on a team of plain functions in the current folder."""

from __future__ import annotations

import json
import re
import sys

import pytest

TEAM = '''
"""A team that counts bottles. It is interrupted while a file named `stop` is there."""

import re
from pathlib import Path

import aegis_core as aegis


@aegis.agent("Reader")
def read(question):
    crates, bottles = re.findall("[0-9]+", question)[:2]
    return f"There are {crates} crates in the store. Each crate holds {bottles} bottles. The store is in the harbour."


@aegis.agent("Solver")
def solve(facts):
    if Path("stop").exists():
        raise KeyboardInterrupt
    print("solving")
    figures = [int(figure) for figure in re.findall("[0-9]+", facts)]
    if len(figures) < 2:
        return "One of the figures is missing, so I take the other for the result. Answer: 1 bottle"
    crates, bottles = figures[:2]
    return f"{crates} crates x {bottles} bottles = {crates * bottles} bottles. Answer: {crates * bottles} bottles"


@aegis.agent("Reporter")
def report(working):
    return "Answer: " + (re.findall("[0-9]+", working) or ["1"])[-1] + " bottles"


@aegis.trace
def team(question):
    return report(solve(read(question)))


def build(*, seed=0):
    return team
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a team and three tasks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "bottle_team.py").write_text(TEAM)
    tasks = [
        {
            "task_id": f"t{n}",
            "text": f"There are {n} crates of 8 bottles each. How many bottles are there?",
            "answer": f"{8 * n} bottles",
            "checker": "numeric",
        }
        for n in (12, 23, 31)
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    yield tmp_path
    sys.modules.pop("bottle_team", None)


LINE = (
    "generate",
    "--system",
    "bottle_team:build",
    "--tasks",
    "tasks.jsonl",
    "--mode",
    "FM-2.4",
    "--seed",
    "3",
    "--out",
    "out",
)


def test_a_campaign_runs_and_its_labels_can_be_explained(aegis, folder):
    done = aegis(*LINE)
    assert done.code == 0, done.err
    assert "clean runs: 3, of them right 3" in done.out
    assert "solving" not in done.out
    *_, hint = done.out.splitlines()
    assert hint.startswith("why a label is true: aegis explain out ")
    assert aegis(*hint.split("aegis ", 1)[1].split()).code == 0


def test_json_says_where_everything_is_and_a_second_call_says_the_same(aegis, folder):
    first = aegis(*LINE, "--json")
    assert first.json["dataset"] == "out/dataset"
    assert first.json["summary"]["clean_right"] == 3
    assert aegis(*LINE, "--json").json == first.json


def test_workers_find_the_team_in_the_current_folder(aegis, folder):
    one, two = (aegis(*LINE[:-1], f"w{n}", "--workers", n, "--json") for n in (1, 2))
    assert two.json["summary"] == one.json["summary"]
    assert [(folder / out / "journal.jsonl").read_bytes() for out in ("w1", "w2")] == [
        (folder / "w1" / "journal.jsonl").read_bytes()
    ] * 2


def test_the_level_of_replay_is_told_to_workers_and_kept_in_the_campaign(aegis, folder):
    for workers in ("1", "2"):
        out = f"level{workers}"
        assert aegis(*LINE[:-1], out, "--replay", "call", "--workers", workers).code == 0
        settings = json.loads((folder / out / "campaign.json").read_text())
        assert settings["replay"] == "call"
        assert "--replay call" in settings["command"]
    done = aegis(*LINE[:-1], "level1", "--replay", "node")
    assert (done.code, done.out) == (2, "")
    assert "replay was 'call', is 'node'" in done.err


def test_an_interrupted_campaign_goes_on_with_the_same_command(aegis, folder):
    whole = aegis(*LINE[:-1], "whole", "--json").json["summary"]
    (folder / "stop").touch()
    stopped = aegis(*LINE)
    assert (stopped.code, stopped.out) == (130, "")
    assert "interrupted; a campaign goes on from here" in stopped.err
    (folder / "stop").unlink()
    assert aegis(*LINE, "--json").json["summary"] == whole


def test_an_interruption_before_anything_was_written_promises_nothing(aegis, folder):
    (folder / "bottle_team.py").write_text("raise KeyboardInterrupt")
    stopped = aegis(*LINE)
    assert (stopped.code, stopped.out, stopped.err) == (130, "", "aegis: interrupted\n")
    assert not (folder / "out").exists()


def test_an_interrupted_campaign_is_said_to_be_unfinished_with_the_command_that_goes_on_with_it(aegis, folder):
    (folder / "stop").touch()
    aegis(*LINE, "--limit", "2", "--json")
    for line in (("explain", "out"), ("show", "out"), ("dataset", "stats", "out"), ("explain", "out/dataset")):
        done = aegis(*line)
        assert (done.code, done.out) == (2, "")
        assert "out is a campaign that is not finished, so it has no dataset yet: 0 of 3 tasks begun" in done.err
    command = done.err.strip().split("go on with it: aegis ")[1]
    assert command == (
        "generate --system bottle_team:build --tasks tasks.jsonl --mode FM-2.4 --seed 3 --limit 2 --out out"
    )
    (folder / "stop").unlink()
    assert aegis(*command.split()).code == 0
    assert aegis("explain", "out").code == 0


def test_a_smaller_limit_on_a_finished_campaign_is_exit_code_2_and_touches_nothing(aegis, folder):
    kept = aegis(*LINE, "--json").json["summary"]["kept"]
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    done = aegis(*LINE, "--limit", "1")
    assert (done.code, done.out) == (2, "")
    assert f"{kept} kept faulty runs" in done.err
    assert "the limit 1 would make it smaller" in done.err
    assert {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()} == before


def test_a_mode_may_be_typed_in_any_case(aegis, folder):
    assert aegis(*LINE, "--json").json == aegis(*[word.replace("FM-", "fm-") for word in LINE], "--json").json


def test_it_says_how_to_find_the_discarded_runs(aegis, folder):
    done = aegis(*LINE, "--mode", "FM-1.1", "--mode", "FM-2.6")
    (hint,) = (line for line in done.out.splitlines() if line.startswith("why runs were discarded: "))
    assert aegis(*hint.split("aegis ")[1].split()).code == 0


def test_no_kept_run_is_exit_code_1(aegis, folder):
    text = re.sub('[0-9]+ bottles"', '7 bottles"', (folder / "tasks.jsonl").read_text())
    (folder / "tasks.jsonl").write_text(text)
    done = aegis(*LINE)
    assert done.code == 1
    assert "of them right 0, 3 wrong" in done.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--injector", "rulez"), "unknown injector 'rulez'; did you mean 'rules'?"),
        (("--system", "bottle_team:nothing"), "has no 'nothing'"),
        (("--system", "no_such_team:build"), "can't import 'no_such_team'"),
        (("--tasks", "none.jsonl"), "none.jsonl"),
        (("--mode", "FM-9.9"), "FM-9.9"),
        (("--mode", "FM-1.2"), "FM-1.2"),
        (("--checker", "numerical"), "numerical"),
        (("--adapter", "nobodys"), "unknown adapter 'nobodys'"),
    ],
)
def test_a_wrong_name_is_exit_code_2_and_says_which(change, said, aegis, folder):
    done = aegis(*LINE, *change)
    assert (done.code, done.out) == (2, ""), done.err
    assert said in done.err
    assert "Traceback" not in done.err


def test_it_says_why_clean_runs_failed_and_how_to_see_the_rest(aegis, folder):
    (folder / "bottle_team.py").write_text(
        TEAM.replace("return report(solve(read(question)))", "raise OSError('no key')")
    )
    done = aegis(*LINE)
    assert done.code == 1
    assert "of them right 0, 3 crash" in done.out
    first, hint = done.out.splitlines()[-2:]
    assert first.startswith("first clean run that failed: ")
    assert first.endswith("(OSError: no key)")
    told = aegis(*hint.split("aegis ", 1)[1].split())
    assert told.code == 0
    assert "no key" in told.out
    assert aegis(*LINE, "--json").json["failed_clean_reason"] == "OSError: no key"
