"""The adapter that docs/write-an-adapter.md builds is found when it is installed, and passes the kit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aegis_core.testing import AdapterConformance

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "write-an-adapter.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the files of the guide, as if they had been installed there."""
    folder = tmp_path_factory.mktemp("site")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    info = folder / "aegis_crew-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aegis-crew\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[aegis]\ncrew = aegis_crew\n", encoding="utf-8")
    return folder


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=site,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guide_holds_every_file() -> None:
    package = {"aegis_crew/__init__.py", "aegis_crew/adapter.py", "aegis_crew/testing.py"}
    assert set(FILES) == {"crew.py", "tests/test_conformance.py", *package}


def test_the_adapter_of_the_guide_is_certified(site) -> None:
    done = run(site, "aegis_core.cli", "adapters", "test", "crew", "--json")

    certificate = json.loads(done.stdout)
    failed = [check for check in certificate["checks"] if check["verdict"] not in ("passed", "skipped")]
    assert not failed
    assert (done.returncode, certificate["ok"]) == (0, True), done.stderr
    assert (certificate["distribution"], certificate["version"]) == ("aegis-crew", "1.0")
    assert sum(check["verdict"] == "passed" for check in certificate["checks"]) > 30


def test_its_test_file_is_collected_and_passes(site) -> None:
    done = run(site, "pytest", "-q", "-p", "no:cacheprovider", "tests/test_conformance.py", "-k", "replay or served")

    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_the_table_of_the_guide_names_what_is_to_be_filled_in() -> None:
    named = set(re.findall(r"`(\w+)[`(]", GUIDE.split("| to fill in | |")[1].split("\n\n")[0]))

    assert named >= {"name", "conversation", "tool_use", "side_by_side", "nested", "retrying", "ways", "run", "plain"}
    assert {name for name in named if name not in {"sync", "async", "stream", "astream", "start"}} <= set(
        dir(AdapterConformance)
    )
