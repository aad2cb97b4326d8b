"""Reasons of discarding are looked at with the campaign's journal, and as far as it goes without."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from aegis_core.dataset import layout
from tests.verification.discards import discard_doubts
from tests.verification.forgery import Record
from tests.verification.journal import NAME
from tests.verification.material import Files


def test_every_reason_of_a_campaign_holds(chain: Files) -> None:
    assert {entry.reason for case in chain.cases.values() for entry in case.faulty} > {"still right"}
    assert list(discard_doubts(chain)) == []


def test_a_run_that_no_case_mentions_is_noticed_by_the_journal(chain: Files, tmp_path: Path) -> None:
    lost: list[str] = []

    def forget(case: Record) -> None:
        lost.append(case["faulty"].pop(0)["run_id"])

    files = _copy(chain, tmp_path, forget, journal=True)
    assert [violation.run_id for violation in discard_doubts(files)] == lost


def test_without_a_journal_a_wrong_answer_is_not_still_right(chain: Files, tmp_path: Path) -> None:
    def pretend(case: Record) -> None:
        entry = next(entry for entry in case["faulty"] if entry["reason"] == "still right")
        entry["detail"] = "the answer is 'Answer: 987654321'"

    assert len(list(discard_doubts(_copy(chain, tmp_path, pretend, journal=False)))) == 1


def test_without_a_journal_honest_reasons_are_not_doubted(chain: Files, tmp_path: Path) -> None:
    assert list(discard_doubts(_copy(chain, tmp_path, lambda _: None, journal=False))) == []


def _copy(files: Files, to: Path, change: Callable[[Record], object], *, journal: bool) -> Files:
    """A copy of a campaign, the first case with a run that was still right changed."""
    source = files.dataset.path
    shutil.copytree(source, to / "dataset")
    for name in ("campaign.json", NAME) if journal else ("campaign.json",):
        shutil.copy(source.parent / name, to)
    path = to / "dataset" / layout.CASES.name
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(next(case for case in cases if any(entry["reason"] == "still right" for entry in case["faulty"])))
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return Files.open(to, files.plugins)
