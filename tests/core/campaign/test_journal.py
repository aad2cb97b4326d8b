"""The journal makes no run twice and survives being cut off."""

import pytest

from aegis_core.campaign.journal import Journal, RunRecord, RunTime
from aegis_core.errors import CampaignError, RecordError, StoreWarning
from aegis_core.faults import Ledger, Outcome
from aegis_core.run import Tape
from aegis_core.store import read
from aegis_core.trajectory import Trajectory


def record(run_id: str, output: str = "é\u2028 21") -> RunRecord:
    return RunRecord(
        run_id=run_id,
        task_id="t",
        arm="clean",
        outcome=Outcome(right=True),
        trajectory=Trajectory(run_id=run_id, task="T", agents=(), steps=(), final_output=output),
        tape=Tape(run_id=run_id),
        ledger=Ledger(run_id=run_id),
    )


def test_a_run_is_made_once_and_looked_up_afterwards(tmp_path):
    made = []

    def make(run_id):
        made.append(run_id)
        return record(run_id), 0.25

    with Journal(tmp_path) as journal:
        first = [journal.run(run_id, lambda run_id=run_id: make(run_id)) for run_id in ("a", "b", "a")]
        assert (journal.made, journal.found) == (2, 1)
    with Journal(tmp_path) as journal:
        again = [journal.run(run_id, lambda run_id=run_id: make(run_id)) for run_id in ("b", "c", "a")]
        assert len(journal) == 3
        assert "c" in journal

    assert made == ["a", "b", "c"]
    assert first == [record("a"), record("b"), record("a")]
    assert again == [record("b"), record("c"), record("a")]
    assert list(read(tmp_path / "times.jsonl", RunTime)) == [RunTime(run_id=r, seconds=0.25) for r in "abc"]


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_a_torn_last_line_is_removed_with_a_report_and_made_anew(tmp_path, kept):
    with Journal(tmp_path) as journal:
        for run_id in ("a", "b"):
            journal.run(run_id, lambda run_id=run_id: (record(run_id), 0.0))
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    first, second = whole.splitlines(keepends=True)
    path.write_bytes(first + second[: int(len(second) * kept)])

    with pytest.warns(StoreWarning, match=r"journal\.jsonl, line 2"):
        journal = Journal(tmp_path)
    with journal:
        assert "a" in journal
        assert "b" not in journal
        journal.run("b", lambda: (record("b"), 0.0))

    assert path.read_bytes() == whole


def test_what_a_run_gives_back_is_what_the_file_holds(tmp_path):
    with Journal(tmp_path) as journal:
        made = journal.run("a", lambda: (record("a", "lone \ud800 surrogate"), 0.0))
        assert made == journal.read("a")
    assert made.trajectory.final_output == "lone \ufffd surrogate"


def test_an_unknown_run_and_a_wrong_one_are_errors(tmp_path):
    with Journal(tmp_path) as journal:
        with pytest.raises(CampaignError, match="has no run 'x'"):
            journal.read("x")
        with pytest.raises(CampaignError, match="run b was made where a was asked for"):
            journal.run("a", lambda: (record("b"), 0.0))


def test_a_record_whose_parts_are_of_other_runs_is_refused():
    with pytest.raises(ValueError, match="other run ids"):
        RunRecord(**(dict(record("a")) | {"tape": Tape(run_id="b")}))
    with pytest.raises(ValueError, match="neither an outcome nor a reason"):
        RunRecord(**(dict(record("a")) | {"outcome": None}))
    assert issubclass(RecordError, ValueError)
