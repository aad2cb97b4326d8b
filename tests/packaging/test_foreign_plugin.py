"""A foreign package works after `pip install`, and broken plugins beside it harm nothing.

`examples/plugin_mode` is copied, installed by pip into a folder of its own, and used from fresh processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the foreign distribution, outside the repository."""
    folder = tmp_path_factory.mktemp("foreign") / "plugin_mode"
    shutil.copytree(ROOT / "examples" / "plugin_mode", folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return folder


@pytest.fixture(scope="module")
def site(example: Path) -> Path:
    """Where pip has installed it, with five broken distributions and a small system beside it."""
    site = example.parent / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--target", str(site)]
    subprocess.run([*pip, "install", *options, str(example)], check=True, capture_output=True, text=True)
    for module in BROKEN:
        shutil.copy(ROOT / "tests" / "broken_plugins" / f"{module}.py", site)
        info = site / f"{module}-4.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 4.2\n")
        (info / "entry_points.txt").write_text(f"[aegis]\n{module} = {module}\n")
    (site / "foreign_team.py").write_text(SYSTEM)
    return site


def _run(site: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AEGIS_")}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**environ, "PYTHONPATH": path},
        cwd=cwd or site.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_is_listed_and_each_broken_plugin_is_named_with_its_reason(site):
    done = _run(site, "-m", "aegis_core.cli", "plugins", "--json")
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


def test_its_mode_is_listed_with_its_causes_and_can_be_proven(site):
    done = _run(site, "-m", "aegis_core.cli", "modes", MODE, "--json")
    assert done.returncode == 0, done.stderr
    mode = json.loads(done.stdout)
    assert mode["unprovable"] == ""
    assert {(cause["injector"], cause["strategy"]) for cause in mode["caused_by"]} == {
        ("acme", "prompt_injection"),
        ("acme", "response_corruption"),
    }


def test_its_own_tests_pass_beside_the_broken_plugins(site, example):
    done = _run(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=example)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_campaign_with_its_injector_proves_labels_of_its_mode(site, tmp_path):
    done = _run(site, "-c", CAMPAIGN, str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    counted = _run(site, "-m", "aegis_core.cli", "dataset", "stats", str(tmp_path / "out"), "--json")
    assert counted.returncode == 0, counted.stderr
    statistics = json.loads(counted.stdout)
    assert statistics["by_mode"].keys() == {MODE}
    assert statistics["by_mode"][MODE] == statistics["faulty_runs_kept"] > 0
    assert set(statistics["by_mode_and_strategy"][MODE]) == {
        "prompt_injection/persistent",
        "response_corruption/outgoing",
    }
