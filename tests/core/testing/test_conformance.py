"""How the kit's class behaves in the hands of pytest and of an author."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import aegis_core.testing
from aegis_callables.testing import CallablesConformance
from aegis_core.testing import AdapterConformance

ROOT = Path(__file__).parents[3]


def run_pytest(folder: Path, source: str, *options: str) -> str:
    """What pytest says of a file of tests, in a process of its own."""
    (folder / "test_mine.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-o", "addopts=", *options]
    done = subprocess.run([*command, "test_mine.py"], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


MINE = """
from aegis_callables.testing import CallablesConformance

class TestMine(CallablesConformance):
    reports_usage = True
    expected_failures = {"test_records_survive_json": "not yet", "test_usage_is_recorded": "nobody tells it"}
"""


def test_an_expected_failure_is_told_with_its_reason_and_is_a_failure_once_it_works(tmp_path) -> None:
    said = run_pytest(tmp_path, MINE, "-k", "survive_json or usage or trace_of")

    assert "1 failed, 1 passed" in said
    assert "1 xfailed" in said
    assert "[XPASS(strict)] not yet" in said


def test_only_the_class_that_is_called_test_is_collected(tmp_path) -> None:
    said = run_pytest(tmp_path, MINE, "--collect-only")

    assert "TestMine::test_records_survive_json" in said
    assert "CallablesConformance::" not in said
    assert "AdapterConformance::" not in said


def test_a_failure_shows_the_values(tmp_path) -> None:
    source = (
        "from aegis_callables.testing import CallablesConformance\n"
        "class TestMine(CallablesConformance):\n"
        "    def run(self, app, task, way):\n"
        "        return super().run(app, 'Another task.', way)\n"
    )
    said = run_pytest(tmp_path, source, "-k", "task_is_recorded")

    assert "assert 'Another task.' == 'Is hall 19 empty on Sundays?'" in said


def test_an_expected_failure_that_is_no_check_is_an_error() -> None:
    with pytest.raises(TypeError, match="'test_nothing', which is no check"):
        type("Mine", (AdapterConformance,), {"expected_failures": {"test_nothing": "never"}})


def test_expected_failures_of_one_adapter_are_not_those_of_another() -> None:
    type("Mine", (AdapterConformance,), {"expected_failures": {"test_records_survive_json": "not yet"}})

    assert not hasattr(AdapterConformance.test_records_survive_json, "pytestmark")
    assert not hasattr(CallablesConformance.test_records_survive_json, "pytestmark")


def test_every_check_says_what_it_is_about_and_how_to_repair() -> None:
    checks = [getattr(AdapterConformance, name) for name in dir(AdapterConformance) if name.startswith("test_")]

    assert len(checks) > 40
    for check in checks:
        assert check.__doc__ and "Repair:" in check.__doc__, check.__name__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = aegis_core.testing.nonsense


def test_without_pytest_the_kit_says_what_to_install(tmp_path) -> None:
    script = (
        "import sys\n"
        "sys.modules['pytest'] = None\n"
        "from aegis_core.errors import MissingDependencyError\n"
        "import aegis_core.testing\n"
        "try:\n"
        "    aegis_core.testing.AdapterConformance\n"
        "except MissingDependencyError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)

    assert "pip install 'aegis-mas[testing]'" in done.stdout, done.stderr
