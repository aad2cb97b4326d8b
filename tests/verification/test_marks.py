"""Marks by which all faulty runs could be told are noticed, though each run by itself is in order."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aegis_core.dataset import layout
from tests.verification.forgery import Forgery
from tests.verification.marks import mark_doubts
from tests.verification.material import Files


def test_real_runs_bear_no_marks(chain: Files) -> None:
    assert list(mark_doubts(chain)) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (" ", "\N{NO-BREAK SPACE}", "the character U+00A0 is in no clean run"),
        ("e", "\N{CYRILLIC SMALL LETTER IE}", "is in 100% of faulty runs and in no other"),
        (" a", "  ", "two spaces together is in 100% of faulty runs and in no other"),
    ],
)
def test_a_mark_in_all_faulty_runs_and_their_tapes_is_noticed(
    old: str, new: str, words: str, chain: Files, tmp_path: Path
) -> None:
    copy = _copy(chain, tmp_path)
    for claim in chain.claims():
        said = next(step.text for step in claim.faulty.trajectory.steps if old in step.text and len(step.text) > 40)
        Forgery(copy, claim).reword(claim.run_id, said, said.replace(old, new, 1))
    assert any(words in violation.words for violation in mark_doubts(Files.open(copy)))


def test_a_reader_of_all_faulty_runs_who_read_nothing_is_noticed(chain: Files, tmp_path: Path) -> None:
    copy = _copy(chain, tmp_path)
    claims = list(chain.claims())
    for claim in claims:
        Forgery(copy, claim).edit(
            layout.TRAJECTORIES, claim.run_id, lambda run: run["steps"][-1].update(visible_to=["Planner"])
        )
    found = {violation.run_id for violation in mark_doubts(Files.open(copy))}
    assert found >= {claim.run_id for claim in claims}


def _copy(files: Files, to: Path) -> Path:
    source = files.dataset.path
    shutil.copytree(source, to / "copy" / "dataset")
    settings = json.loads((source.parent / "campaign.json").read_text(encoding="utf-8"))
    (to / "copy" / "campaign.json").write_text(json.dumps(settings), encoding="utf-8")
    return to / "copy"
