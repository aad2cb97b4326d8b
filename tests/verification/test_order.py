"""An order of trajectories that tells of their labels is noticed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verification.material import Files, Violation
from tests.verification.order import order_doubts

Key = Callable[[str, bool, int], object]  # of a run's case, whether it is faulty, and its place by chance


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (lambda case, faulty, _: (case, faulty), "runs of one case are neighbours"),
        (lambda case, faulty, _: (case, not faulty), "runs of one case are neighbours"),
        (lambda _, faulty, place: (faulty, place), "runs that are alike in being faulty are neighbours"),
        (lambda _, faulty, place: (faulty, place), "the clean run is the first of its case"),
        (lambda _, faulty, place: (not faulty, place), "the clean run is the last of its case"),
    ],
)
def test_an_order_that_tells_of_labels_is_noticed(key: Key, words: str, chain: Files, tmp_path: Path) -> None:
    found = list(order_doubts(_sorted(chain, key, tmp_path / "copy")))
    assert {violation.rule for violation in found} == {"wall"}
    assert [violation for violation in found if violation.words.startswith(words)]


def test_an_order_by_chance_is_not_doubted(chain: Files, tmp_path: Path) -> None:
    assert _doubts(chain) == []
    by_id = _sorted(chain, lambda _case, _faulty, place: -place, tmp_path / "copy")
    assert _doubts(by_id) == []


def _doubts(files: Files) -> list[Violation]:
    return list(order_doubts(files))


def _sorted(files: Files, key: Key, to: Path) -> Files:
    """A copy of a campaign, its trajectories in the order of a key."""
    source = files.dataset.path
    shutil.copytree(source, to / "dataset")
    shutil.copy(source.parent / "campaign.json", to)
    cases = {case.clean_run_id: case.case_id for case in files.cases.values()}
    cases |= {run.run_id: case.case_id for case in files.cases.values() for run in case.faulty}
    lines = (source / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()

    def rank(place: int) -> object:
        run_id = json.loads(lines[place])["run_id"]
        return key(cases[run_id], bool(files.labels[run_id].faults), place)

    order = sorted(range(len(lines)), key=rank)  # type: ignore[arg-type]  # every key given here can be compared
    (to / "dataset" / "trajectories.jsonl").write_text(
        "".join(lines[place] + "\n" for place in order), encoding="utf-8"
    )
    return Files.open(to, files.plugins)
