"""Entry points with real distribution metadata, over the modules in `tests/broken_plugins/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "broken_plugins"
MakeEntryPoint = Callable[..., EntryPoint]


@pytest.fixture(autouse=True)
def plugin_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The fixture modules can be imported, and are forgotten afterwards."""
    names = {path.stem for path in FOLDER.glob("*.py")}
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in names & set(sys.modules):
        del sys.modules[name]


@pytest.fixture
def entry_point(tmp_path: Path) -> MakeEntryPoint:
    """Makes an entry point of a distribution that has a name and a version."""

    def make(name: str, value: str, distribution: str = "", version: str = "0.3") -> EntryPoint:
        distribution = distribution or f"aegis-{name}"
        folder = tmp_path / f"{name}-{distribution}"
        info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[aegis]\n{name} = {value}\n")
        (found,) = distributions(path=[str(folder)])
        (point,) = found.entry_points
        return point

    return make


@pytest.fixture
def good(entry_point: MakeEntryPoint) -> EntryPoint:
    """The plugin that works."""
    return entry_point("good", "good_plugin", version="1.0")
