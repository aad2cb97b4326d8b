"""The labels of campaigns on plain functions, rebuilt; and lies about them, caught."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from aegis_core.dataset import layout
from tests.verification.forgery import Forgery, excerpt, settle
from tests.verification.lies import LIES, PAIR_LIES, Lie
from tests.verification.material import Files, Recorded, Rule
from tests.verification.repetition import repeat
from tests.verification.trials import assert_all_labels_hold, assert_lie_is_caught, assert_runs_come_out_alike
from tests.verification.verifier import verify

ROOT = Path(__file__).parents[2]


def test_every_label_can_be_rebuilt(chain: Files) -> None:
    assert_all_labels_hold(chain)


def test_twenty_random_faulty_runs_and_their_controls_come_out_alike(chain: Files) -> None:
    assert_runs_come_out_alike(chain)


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_lie_is_caught_by_the_rule_that_it_breaks(lie: Lie, chain: Files, tmp_path: Path) -> None:
    assert_lie_is_caught(lie, chain, tmp_path)


@pytest.mark.parametrize("lie", PAIR_LIES, ids=str)
def test_a_lie_about_two_targets_is_caught(lie: Lie, relay: Files, tmp_path: Path) -> None:
    assert_lie_is_caught(lie, relay, tmp_path)


def test_labels_of_a_foreign_mode_hold_and_their_runs_come_out_alike(relay: Files) -> None:
    assert_all_labels_hold(relay)
    repeated = repeat(relay, 2)
    assert repeated.violations == ()
    assert sorted(len(relay.labels[run_id].redundant) for run_id in repeated.faulty) == [0, 1]


def test_every_rule_has_a_lie_that_breaks_it() -> None:
    """What every single field is worth is asked in `test_fields.py`."""
    broken = {rule for lie in (*LIES, *PAIR_LIES) for rule in lie.rules}
    assert broken == set(get_args(Rule)) - {"re-run"}  # which only the tests below can break


def test_a_run_that_was_forged_throughout_is_caught_only_by_making_it_again(chain: Files, tmp_path: Path) -> None:
    claim = next(claim for claim in chain.claims() if any(map(str.isdigit, _answer(claim.faulty))))
    copy = excerpt(chain.dataset.path.parent, claim, tmp_path / "copy")
    said = _answer(claim.faulty)
    forged = re.sub("[0-9]", lambda digit: str((int(digit.group()) + 1) % 10), said)
    Forgery(copy, claim).reword(claim.run_id, said, forged)
    settle(Files.open(copy))
    assert verify(copy) == ()
    found = repeat(Files.open(copy), 1).violations
    assert {(violation.run_id, violation.rule) for violation in found} == {(claim.run_id, "re-run")}
    assert forged in found[0].words


def test_a_forged_run_with_fewer_targets_is_caught_by_making_it_again(relay: Files, tmp_path: Path) -> None:
    claim = next(claim for claim in relay.claims() if claim.labels.redundant)
    copy = excerpt(relay.dataset.path.parent, claim, tmp_path / "copy")
    lie = next(lie for lie in PAIR_LIES if str(lie) == "a needless target that fails alone")
    lie.tell(Forgery(copy, claim))
    found = repeat(Files.open(copy, relay.plugins), 1).violations
    assert any(violation.words.startswith("arm fault") and "the answer was" in violation.words for violation in found)


def _answer(run: Recorded) -> str:
    return run.trajectory.final_output or ""


def test_an_edit_that_never_was_is_caught_by_making_the_run_again(chain: Files, tmp_path: Path) -> None:
    claim = next(claim for claim in chain.claims() if claim.plan.targets[0].strategy == "response_corruption")
    copy = excerpt(chain.dataset.path.parent, claim, tmp_path / "copy")
    Forgery(copy, claim).ledger(claim.run_id, lambda entry: entry["changes"][0].update(before="Nobody said this."))
    found = [violation.words for violation in repeat(Files.open(copy), 1).violations]
    assert any("nothing here reads as part" in words for words in found)


def test_the_command_says_what_does_not_hold_and_fails(chain: Files, tmp_path: Path) -> None:
    claim = next(chain.claims())
    copy = excerpt(chain.dataset.path.parent, claim, tmp_path / "copy")
    settle(Files.open(copy))
    assert _command(copy, "--rerun", "1", "--seed", "4").returncode == 0
    Forgery(copy, claim).edit(layout.LABELS, claim.run_id, lambda labels: labels["faults"][0].update(step=None))
    settle(Files.open(copy))
    done = _command(copy / "dataset")
    assert done.returncode == 1
    assert f"{claim.run_id}: label: faults must be: " in done.stdout
    assert done.stdout.endswith("1 violations\n")


def _command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.verification", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
