"""Trying an installed adapter: where its kit is found, what the certificate says, and what is an error."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from aegis_core import __version__
from aegis_core.errors import MissingDependencyError, PluginError
from aegis_core.plugins import Plugins
from aegis_core.testing.certificate import Certificate, CheckResult
from aegis_core.testing.trying import certify, home_of, kit_of

PLUGINS = Plugins([EntryPoint("callables", "aegis_callables", "aegis")], environ={})
KIT = """
from aegis_callables.testing import CallablesConformance

class Wrong(CallablesConformance):
    reports_usage = True
    expected_failures = {"test_usage_is_recorded": "nobody tells it"}

    def run(self, app, task, way):
        return super().run(app, "Another task.", way)

    def test_something_of_its_own(self):
        \"\"\"It has two sides.

        Repair: turn it.
        \"\"\"
        assert 1 == 1
"""


@pytest.fixture
def kit(tmp_path, monkeypatch):
    """The name of a module with a kit; it can be imported here and in the process that pytest runs in."""

    def written(source: str) -> str:
        (tmp_path / "some_kit.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.delitem(sys.modules, "some_kit", raising=False)
        return "some_kit"

    return written


def test_every_check_is_told_with_its_verdict_and_what_to_repair(kit) -> None:
    certificate = certify(
        "callables", PLUGINS, kit(KIT.replace('"Another task."', "task if 'Sundays' not in task else ''"))
    )
    found = {check.check: check for check in certificate.checks}

    assert not certificate.ok
    assert found["test_the_task_is_recorded"].verdict == "failed"
    assert "Is hall 19 empty on Sundays?" in found["test_the_task_is_recorded"].reason
    assert found["test_the_task_is_recorded"].repair.startswith("`run.enter(text)`")
    assert found["test_usage_is_recorded"].model_dump(include={"verdict", "reason"}) == {
        "verdict": "expected", "reason": "nobody tells it",
    }  # fmt: skip
    assert found["test_a_hand_off_says_to_whom"].verdict == "skipped"
    assert found["test_something_of_its_own"].model_dump(include={"verdict", "about", "repair"}) == {
        "verdict": "passed", "about": "It has two sides.", "repair": "turn it.",
    }  # fmt: skip
    assert certificate.kit == "some_kit:Wrong"
    assert certificate.aegis == __version__
    assert Certificate.model_validate_json(certificate.model_dump_json()) == certificate


def test_the_kit_is_found_in_the_package_of_the_adapter() -> None:
    assert kit_of("aegis_callables.testing", "callables").__name__ == "CallablesConformance"


def test_a_package_testing_has_its_kit_in_the_module_conformance(tmp_path, monkeypatch) -> None:
    testing = tmp_path / "some_adapter" / "testing"
    testing.mkdir(parents=True)
    (tmp_path / "some_adapter" / "__init__.py").touch()
    (testing / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    assert home_of("some_adapter.adapter:Adapter") == "some_adapter.testing"
    (testing / "conformance.py").touch()
    assert home_of("some_adapter.adapter:Adapter") == "some_adapter.testing.conformance"
    assert home_of("aegis_callables.adapter:CallablesAdapter") == "aegis_callables.testing"


@pytest.mark.parametrize("damage", ["import nothing_like_this", "raise ValueError('no')", "raise SystemExit"])
def test_a_broken_package_around_the_kit_is_an_error_that_says_so(tmp_path, monkeypatch, damage) -> None:
    package = tmp_path / "broken_adapter"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "testing.py").write_text(damage, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(PluginError, match="broken_adapter"):
        kit_of(home_of("broken_adapter.adapter:Adapter"), "callables")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "has no kit for adapter 'callables'"),
        (KIT + "class Second(CallablesConformance):\n    pass\n", r"several kits \(Second, Wrong\)"),
        ("import nothing_like_this", "can't be loaded: ModuleNotFoundError"),
    ],
)
def test_a_module_without_one_kit_is_an_error(kit, source, said) -> None:
    with pytest.raises(PluginError, match=said):
        kit_of(kit(source), "callables")


def test_an_adapter_without_a_kit_is_an_error_that_says_where_it_belongs() -> None:
    with pytest.raises(PluginError, match=r"no module aegis_nothing\.testing.*--kit"):
        certify("callables", PLUGINS, "aegis_nothing.testing")


def test_an_unknown_adapter_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(PluginError, match="callables"):
        certify("nonsense", PLUGINS)


def test_without_pytest_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)

    with pytest.raises(MissingDependencyError, match=r"pip install 'aegis-mas\[testing\]'"):
        certify("callables", PLUGINS)


def test_a_certificate_without_a_passed_check_is_worth_nothing() -> None:
    fields = dict.fromkeys(("adapter", "plugin", "distribution", "version", "aegis", "python", "kit"), "x")
    skipped = CheckResult(check="test_a", verdict="skipped")
    passed = CheckResult(check="test_b", verdict="passed")

    assert not Certificate(**fields, checks=()).ok
    assert not Certificate(**fields, checks=(skipped,)).ok
    assert Certificate(**fields, checks=(skipped, passed)).ok
    assert not Certificate(**fields, checks=(passed, CheckResult(check="test_c", verdict="failed"))).ok
