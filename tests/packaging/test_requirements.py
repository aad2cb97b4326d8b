"""What pyproject.toml promises agrees with what the plugins in the tree ask for, and with the pins."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

HOOKS = ("aegis_adapters", "aegis_injectors", "aegis_learners", "aegis_attributors", "aegis_formats")
OTHERS = {"demo", "dev", "magentic-one", "testing"}  # extras that no plugin asks for


@pytest.fixture(scope="module")
def project(root) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def required(project) -> dict[str, set[str]]:
    """What the providers of each plugin in the tree require, by the plugin's name, spelled as extras are."""
    found = {}
    for name, package in project["entry-points"]["aegis"].items():
        module = importlib.import_module(package)
        providers = [provider for hook in HOOKS if hasattr(module, hook) for provider in getattr(module, hook)()]
        assert providers, f"{package} offers nothing"
        found[name.replace("_", "-")] = {str(Requirement(text)) for provider in providers for text in provider.requires}
    return found


def test_extras_are_what_the_providers_require(project, required):
    extras = {
        name: {str(Requirement(text)) for text in texts}
        for name, texts in project["optional-dependencies"].items()
        if name not in OTHERS
    }
    # MetaGPT's own pins can't be resolved, so there is no extra that could be true.
    assert extras == {name: texts for name, texts in required.items() if texts and name != "metagpt"}


def test_there_is_no_extra_for_metagpt(project):
    assert "metagpt" not in project["optional-dependencies"]


def test_the_version_is_one_number(project):
    assert project["version"] == importlib.import_module("aegis_core").__version__


def test_pins_are_exact_and_within_the_ranges(root, project):
    ranges = {requirement.name: requirement.specifier for requirement in map(Requirement, project["dependencies"])}
    ranges |= {r.name: r.specifier for r in map(Requirement, project["optional-dependencies"]["langgraph"])}
    files = sorted((root / "constraints").glob("*.txt"))
    assert {path.stem for path in files} >= {"check", "core", "demo", "frameworks", "tools"}
    for path in files:
        pins = read_pins(path)
        wrong = [name for name, version in pins.items() if name in ranges and version not in ranges[name]]
        assert not wrong, f"{path.name} pins {wrong} outside what pyproject.toml allows"
        if path.stem != "tools":
            missing = {requirement.name for requirement in map(Requirement, project["dependencies"])} - set(pins)
            assert not missing, f"{path.name} leaves {sorted(missing)} open"


def read_pins(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins.items()}
