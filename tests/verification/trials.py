"""What is asked of every dataset, whatever framework its runs come from."""

from __future__ import annotations

from pathlib import Path

from tests.verification.conftest import ENOUGH
from tests.verification.forgery import Forgery, Lie, excerpt, settle
from tests.verification.material import Files
from tests.verification.repetition import repeat
from tests.verification.verifier import verify

__all__ = ["assert_all_labels_hold", "assert_lie_is_caught", "assert_runs_come_out_alike"]


def assert_all_labels_hold(files: Files) -> None:
    """Every label can be rebuilt."""
    assert not verify(files), "\n".join(map(str, verify(files)))


def assert_runs_come_out_alike(files: Files) -> None:
    """Twenty random faulty runs come out as they did, each with all the runs that its label rests on."""
    repeated = repeat(files, ENOUGH, seed=1)
    assert len(set(repeated.faulty)) == ENOUGH
    arms = {claim.run_id: len(claim.proof.arms) for claim in files.claims()}
    assert repeated.runs == sum(arms[run_id] for run_id in repeated.faulty) >= 4 * ENOUGH
    assert not repeated.violations, "\n".join(map(str, repeated.violations))


def assert_lie_is_caught(lie: Lie, files: Files, folder: Path) -> None:
    """The case is in order before the lie is told; afterwards it breaks the rules that it must, and none but it may."""
    claim = next((claim for claim in files.claims() if lie.of(claim)), None)
    assert claim is not None, f"no kept run that this lie can be told of: {lie}"
    copy = excerpt(files.dataset.path.parent, claim, folder / "copy")
    settle(Files.open(copy, files.plugins))
    assert verify(Files.open(copy, files.plugins)) == ()
    lie.tell(Forgery(copy, claim))
    if "counts" not in lie.rules:
        settle(Files.open(copy, files.plugins))
    found = verify(Files.open(copy, files.plugins))
    assert lie.rules <= {violation.rule for violation in found} <= lie.rules | lie.also, "\n".join(map(str, found))
