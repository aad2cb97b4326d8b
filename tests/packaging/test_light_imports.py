"""Importing Aegis loads nothing heavy and does nothing observable."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest

CLI_LIBRARIES = {"click", "rich", "typer"}
SLOW = {"asyncio", "packaging", "ssl", "subprocess"}
"""What takes long to load and most runs don't need: it is imported where it is needed."""


@pytest.fixture(scope="module")
def banned(root) -> set[str]:
    """The modules that ruff keeps from the top of files: frameworks, torch and its kind, LLM clients, CLI libraries."""
    ruff = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
    return set(ruff["lint"]["flake8-tidy-imports"]["banned-module-level-imports"])


def loaded_by(script: str, cwd) -> set[str]:
    """The top-level names in `sys.modules` after a script has run in a fresh interpreter."""
    report = "import sys, json; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    command = [sys.executable, "-c", f"{script}\n{report}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_test_can_tell(banned, tmp_path):
    assert loaded_by("import typer", tmp_path) & banned >= {"typer"}


def test_importing_the_core_loads_no_framework_and_no_cli_library(banned, tmp_path):
    loaded = loaded_by("import aegis_core", tmp_path)

    assert "aegis_core" in loaded
    assert not loaded & banned
    assert not {name for name in loaded if name.startswith("aegis_")} - {"aegis_core"}, "a plugin was imported"


def test_importing_the_core_loads_nothing_that_is_slow(tmp_path):
    assert loaded_by(f"import {', '.join(SLOW)}", tmp_path) >= SLOW

    assert not (loaded_by("import aegis_core", tmp_path) - loaded_by("import pydantic", tmp_path)) & SLOW


def test_no_module_of_the_core_outside_the_cli_loads_one(banned, modules, tmp_path):
    apart = ("aegis_core.cli", "aegis_core.testing")
    names = [name for name in modules if name.split(".")[0] == "aegis_core" and not name.startswith(apart)]

    assert not loaded_by(f"import {', '.join(names)}", tmp_path) & banned


def test_the_entry_of_a_plugin_loads_no_framework(banned, modules, tmp_path):
    entries = [name for name in modules if "." not in name and name != "aegis_core"]
    assert entries
    for name in entries:
        assert not loaded_by(f"import {name}", tmp_path) & banned, name


def test_importing_the_core_discovers_and_writes_and_warns_nothing(tmp_path):
    script = (
        "import importlib.metadata, os, sys, threading, warnings\n"
        "real = importlib.metadata.entry_points\n"
        "def watched(**which):\n"
        "    assert which.get('group') not in {None, 'aegis'}, 'discovery at import'\n"
        "    return real(**which)\n"
        "importlib.metadata.entry_points = watched\n"
        "warnings.simplefilter('error')\n"
        "before = dict(os.environ)\n"
        "import aegis_core\n"
        "assert dict(os.environ) == before and threading.active_count() == 1\n"
        "import logging; assert not logging.getLogger('aegis').handlers and not logging.root.handlers"
    )
    loaded_by(script, tmp_path)

    assert not list(tmp_path.iterdir())
