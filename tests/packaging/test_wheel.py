"""What is in the wheel, and that it works where the checkout isn't."""

from __future__ import annotations

import configparser
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from aegis_core import __version__

NOT_SHIPPED = {"adapters", "benchmarks", "constraints", "docs", "examples", "injectors", "learners", "tests"}


@pytest.fixture(scope="module")
def names(wheel) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


@pytest.fixture(scope="module")
def packages(root) -> set[str]:
    """Every import package in the tree, whether or not pyproject.toml knows it."""
    shelves = (root, root / "adapters", root / "injectors", root / "learners")
    return {path.parent.name for shelf in shelves for path in shelf.glob("aegis_*/__init__.py")}


def test_every_import_package_lies_at_the_top_and_nothing_else(names, packages):
    assert {name.split("/")[0] for name in names} == packages | {f"aegis_mas-{__version__}.dist-info"}


def test_folders_of_the_checkout_are_not_shipped(names):
    assert not {part for name in names for part in Path(name).parts} & NOT_SHIPPED


def test_every_module_is_shipped(names, modules):
    shipped = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in names}
    assert set(modules) <= shipped


def test_every_package_says_that_it_is_typed(names, packages):
    assert {f"{package}/py.typed" for package in packages} <= set(names)


def test_entry_points_are_the_command_and_one_for_each_plugin(wheel, packages):
    parser = configparser.ConfigParser()
    parser.read_string(zipfile.ZipFile(wheel).read(f"aegis_mas-{__version__}.dist-info/entry_points.txt").decode())

    assert dict(parser["console_scripts"]) == {"aegis": "aegis_core.cli:main"}
    plugins = {package.removeprefix("aegis_"): package for package in packages - {"aegis_core"}}
    assert dict(parser["aegis"]) == plugins | {"formats": "aegis_core.formats"}


def test_the_unpacked_wheel_imports_without_the_checkout(wheel, packages, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        f"import {', '.join(sorted(packages))}\n"
        "print(aegis_core.__file__)"
    )
    command = [sys.executable, "-I", "-c", script]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
