"""A foreign package works after `pip install`, and broken plugins beside it harm nothing.

The wheel of `examples/plugin_mode` is installed by pip beside Aegis's, and used from fresh processes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BROKEN = {
    "broken_import_error": "ModuleNotFoundError",
    "broken_syntax_error": "SyntaxError",
    "broken_exit": "sys.exit(3)",
    "broken_signature": "wrong signature",
    "broken_misspelt": "no hook 'aegis_adaptors'",
}
MODE = "acme:false-rounding"
SYSTEM = '''
"""A team of plain functions: one looks figures up, one computes, one reports."""

import re

import aegis_core as aegis


@aegis.agent("Reader")
def read(question):
    return question


@aegis.agent("Solver")
def solve(question, notes):
    crates, bottles = (int(n) for n in re.findall(r"[0-9]+", notes)[:2])
    total = crates * bottles
    if "nearest ten" in notes or "nearest ten" in question:
        total = round(total, -1)
    return f"{crates} crates x {bottles} bottles = {total} bottles"


@aegis.agent("Reporter")
def report(working):
    return "Answer: " + working.rsplit("= ", 1)[1]


@aegis.trace
def team(question):
    return report(solve(question, read(question)))


def build(*, seed=0):
    return team
'''
CAMPAIGN = """
import json, sys
import aegis_core as aegis
from aegis_core.campaign.tasks import Task

tasks = [
    Task(task_id=f"t{n}", text=f"There are {n} crates of 8 bottles each. How many bottles?", answer=f"{8 * n} bottles")
    for n in (12, 17, 23)
]
aegis.Campaign(
    system="foreign_team:build", tasks=tasks, checker="numeric", injector="acme", out=sys.argv[1], seed=3
).run()
"""


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small system in it."""
    folder = tmp_path_factory.mktemp("team")
    (folder / "foreign_team.py").write_text(SYSTEM, encoding="utf-8")
    return folder


def test_it_is_listed_and_each_broken_plugin_is_named_with_its_reason(environment):
    done = environment.aegis("plugins", "--json")
    assert done.returncode == 1, done.stderr
    plugins = {plugin["name"]: plugin for plugin in json.loads(done.stdout)["plugins"]}
    acme = plugins["acme"]
    assert (acme["status"], acme["distribution"], acme["version"]) == ("loaded", "aegis-plugin-mode", "1.0.0")
    assert {(item["kind"], item["name"]) for item in acme["provides"]} == {("injector", "acme"), ("mode", MODE)}
    for module, reason in BROKEN.items():
        assert plugins[module]["status"] == "skipped"
        assert plugins[module]["version"] == "4.2"
        assert reason in plugins[module]["reason"]
    assert plugins["callables"]["status"] == "loaded", "plugins of aegis-mas itself work beside the broken ones"


def test_its_mode_is_listed_with_its_causes_and_can_be_proven(environment):
    done = environment.aegis("modes", MODE, "--json")
    assert done.returncode == 0, done.stderr
    mode = json.loads(done.stdout)
    assert mode["unprovable"] == ""
    assert {(cause["injector"], cause["strategy"]) for cause in mode["caused_by"]} == {
        ("acme", "prompt_injection"),
        ("acme", "response_corruption"),
    }


def test_its_own_tests_pass_beside_the_broken_plugins(environment):
    example = environment.examples["plugin_mode"]
    done = environment.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=example)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_campaign_with_its_injector_proves_labels_of_its_mode(environment, team, tmp_path):
    done = environment.python("-c", CAMPAIGN, str(tmp_path / "out"), cwd=team)
    assert done.returncode == 0, done.stderr
    counted = environment.aegis("dataset", "stats", str(tmp_path / "out"), "--json")
    assert counted.returncode == 0, counted.stderr
    statistics = json.loads(counted.stdout)
    assert statistics["by_mode"].keys() == {MODE}
    assert statistics["by_mode"][MODE] == statistics["faulty_runs_kept"] > 0
    assert set(statistics["by_mode_and_strategy"][MODE]) == {
        "prompt_injection/persistent",
        "response_corruption/outgoing",
    }
