"""`aegis adapters test` prints a certificate; its exit code says whether the adapter keeps to the contract."""

from __future__ import annotations

import sys

import pytest

KIT = """
from aegis_callables.testing import CallablesConformance

class Mine(CallablesConformance):
    ways = ("sync",){more}
"""
SPOILT = """

    def run(self, app, task, way):
        return super().run(app, task.lower(), way)
"""


@pytest.fixture
def kit(tmp_path, monkeypatch):
    """Writes a module with a kit, and gives its name."""

    def written(more: str) -> str:
        (tmp_path / "my_kit.py").write_text(KIT.format(more=more), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.delitem(sys.modules, "my_kit", raising=False)
        return "my_kit"

    return written


def test_a_sound_adapter_is_certified_with_versions(aegis) -> None:
    done = aegis("adapters", "test", "callables")

    assert done.code == 0, done.out + done.err
    assert done.out.startswith("Adapter callables, of aegis-mas")
    assert "Python 3" in done.out
    assert "It keeps to the contract" in done.out
    assert "FAILED" not in done.out


def test_a_failure_says_what_is_wrong_and_how_to_repair_it(aegis, kit) -> None:
    done = aegis("adapters", "test", "callables", "--kit", kit(SPOILT))

    assert done.code == 1
    assert "It does NOT keep to the contract" in done.out
    assert "the task is recorded: FAILED\n" in done.out
    assert "  Repair: `run.enter(text)`" in done.out


def test_json_is_one_document_with_all_checks(aegis, kit) -> None:
    done = aegis("adapters", "test", "callables", "--kit", kit(""), "--json")

    assert done.json["adapter"] == "callables"
    assert done.json["kit"] == "my_kit:Mine"
    assert done.json["ok"] == (done.code == 0)
    assert {check["verdict"] for check in done.json["checks"]} >= {"passed", "skipped"}


def test_what_can_not_be_tried_is_an_error(aegis, monkeypatch) -> None:
    assert aegis("adapters", "test", "nonsense").code == 2
    assert "no module nowhere.kit" in aegis("adapters", "test", "callables", "--kit", "nowhere.kit").err
    monkeypatch.setitem(sys.modules, "pytest", None)
    done = aegis("adapters", "test", "callables")
    assert (done.code, done.out) == (3, "")
    assert "pip install 'aegis-mas[testing]'" in done.err
