"""Same seed, same bytes: in two processes, and after a kill in the middle."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aegis_core.dataset import Dataset
from aegis_core.errors import StoreWarning
from tests.core.campaign import team

ROOT = Path(__file__).parents[3]


def go(out: Path, *arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    paths = [str(ROOT), *(str(ROOT / folder) for folder in ("adapters", "injectors", "learners"))]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "tests.core.campaign.go", str(out), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def files(out: Path) -> dict[str, bytes]:
    """All that a campaign wrote, but real times, the lock, and copies of torn lines."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in ("times.jsonl", ".lock") and path.suffix != ".torn"
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("campaigns") / "whole"
    done = go(out, hash_seed="1")
    assert done.returncode == 0, done.stderr
    return out, done.stdout


def test_two_processes_write_the_same_bytes(whole, tmp_path):
    done = go(tmp_path / "again", hash_seed="271828")

    assert done.returncode == 0, done.stderr
    assert done.stdout == whole[1]
    assert files(tmp_path / "again") == files(whole[0])
    assert len(files(whole[0])) == 11


def test_a_campaign_that_was_killed_goes_on_to_the_same_bytes(whole, tmp_path):
    out = tmp_path / "killed"

    killed = go(out, "7", hash_seed="5")
    assert killed.returncode == -9
    assert not (out / "dataset" / "summary.json").exists()
    before = (out / "journal.jsonl").read_bytes()
    done = go(out, hash_seed="99")

    assert done.returncode == 0, done.stderr
    assert files(whole[0])["journal.jsonl"].startswith(before)
    assert done.stdout == whole[1]
    assert files(out) == files(whole[0])


@pytest.mark.parametrize("cut", [1, 2, 4000])
def test_a_line_torn_by_the_kill_is_made_anew_with_a_report(whole, tmp_path, cut):
    out = tmp_path / "torn"
    shutil.copytree(whole[0], out)
    journal = out / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)[:20]
    journal.write_bytes(b"".join(lines)[:-cut])

    with pytest.warns(StoreWarning, match=r"journal\.jsonl, line 20"):
        team.campaign(out, **team.SETTLED).run()

    assert files(out) == files(whole[0])


def test_another_seed_gives_other_plans(whole, tmp_path):
    team.campaign(tmp_path, **team.SETTLED | {"seed": 4}).run()

    here, there = (
        [run.plan for case in Dataset(out / "dataset").cases() for run in case.faulty] for out in (tmp_path, whole[0])
    )
    assert here != there
