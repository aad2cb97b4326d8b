"""The formats of the core, found as any plugin is, and where their test material lies."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from aegis_core.plugins import Plugins

ROOT = Path(__file__).parents[3]
FORMATS = EntryPoint("formats", "aegis_core.formats", "aegis")


@pytest.fixture
def plugins() -> Plugins:
    """The core's own formats and nothing else."""
    return Plugins([FORMATS], environ={})


@pytest.fixture
def whowhen() -> Path:
    """Three runs of Who&When, in the folders of their subsets."""
    return ROOT / "tests" / "data" / "whowhen"


@pytest.fixture
def development() -> Path:
    """The development part of all public data, which lies beside the checkout where there is one."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(
            f"the development data are not here: no folder {folder.relative_to(ROOT.parent)} beside the checkout"
        )
    return folder
