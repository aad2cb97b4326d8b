"""What a campaign that is given again may change, and what it says of damage."""

import json

import pytest

from aegis_core.campaign.configuration import Configuration
from aegis_core.campaign.journal import JournalReader, RunRecord
from aegis_core.dataset import Dataset
from aegis_core.errors import CampaignError, StoreError, StoreWarning
from aegis_core.store import read, read_document
from tests.core.campaign import team


def contents(folder):
    """All that stands in a folder, but the lock."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A campaign that stopped at its limit of three, and what it kept."""
    out = tmp_path_factory.mktemp("finished") / "out"
    team.campaign(out, limit=3).run()
    return out


def copied(finished, tmp_path):
    for path, content in contents(finished).items():
        place = tmp_path / path.relative_to(finished)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return tmp_path


def test_a_limit_that_would_make_a_finished_dataset_smaller_is_refused_and_nothing_is_touched(finished, tmp_path):
    out = copied(finished, tmp_path)
    before = contents(out)

    with pytest.raises(CampaignError, match=r"3 kept faulty runs.*the limit 3\b.*the limit 2 .*smaller.*--out"):
        team.campaign(out, limit=2).run()

    assert contents(out) == before


def test_the_number_kept_is_refused_as_a_limit_where_tasks_went_on_after_it(tmp_path):
    kept = team.campaign(tmp_path).run().kept
    before = contents(tmp_path)

    with pytest.raises(CampaignError, match=rf"{kept} kept faulty runs, made without a limit; the limit {kept} would"):
        team.campaign(tmp_path, limit=kept).run()
    assert contents(tmp_path) == before

    team.campaign(tmp_path, limit=kept + 1).run()
    assert {p: c for p, c in contents(tmp_path).items() if p.name != "campaign.json"} == {
        p: c for p, c in before.items() if p.name != "campaign.json"
    }


def test_the_same_and_a_larger_limit_go_on(finished, tmp_path):
    out = copied(finished, tmp_path)

    assert team.campaign(out, limit=3).run().kept == 3
    assert team.campaign(out, limit=5).run().kept == 5
    assert read_document(out / "campaign.json", Configuration).limit == 5
    with pytest.raises(CampaignError, match="would make it smaller"):
        team.campaign(out, limit=3).run()


def test_a_larger_limit_that_was_interrupted_leaves_the_dataset_with_its_own(finished, tmp_path):
    out = copied(finished, tmp_path)

    def interrupt(progress):
        if progress.kept == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.campaign(out, limit=6, progress=interrupt).run()

    assert read_document(out / "campaign.json", Configuration).limit == 3
    assert team.campaign(out, limit=3).run().kept == 3


def test_a_smaller_limit_is_taken_while_nothing_is_finished(tmp_path):
    def interrupt(progress):
        if progress.kept == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.campaign(tmp_path, limit=9, progress=interrupt).run()

    assert team.campaign(tmp_path, limit=2).run().kept == 2


def test_modes_may_be_typed_in_any_case(tmp_path):
    team.campaign(tmp_path, modes=["TEAM:Garble", "team:garble"], limit=1).run()

    assert read_document(tmp_path / "campaign.json", Configuration).modes == ("team:garble",)


def test_torn_lines_are_kept_in_one_file_and_told_once(finished, tmp_path):
    out = copied(finished, tmp_path)
    journal, times = out / "journal.jsonl", out / "times.jsonl"
    whole = journal.read_bytes()

    torn = []
    for cut in (9, 40):
        torn.append(whole.splitlines(keepends=True)[-1][:-cut])
        journal.write_bytes(whole[:-cut])
        times.write_bytes(times.read_bytes()[:-4])
        with pytest.warns(StoreWarning) as caught:
            team.campaign(out, limit=3).run()
        (told,) = (str(warning.message) for warning in caught)
        assert told.endswith(f"removed {len(torn[-1])} bytes, which are kept in journal.jsonl.torn")

    assert journal.read_bytes() == whole
    assert (out / "journal.jsonl.torn").read_bytes() == b"".join(line + b"\n" for line in torn)
    assert {path.name for path in out.iterdir() if "torn" in path.name} == {"journal.jsonl.torn"}


@pytest.mark.parametrize("garbage", ["garbage", "[]", '{"run_id": 5}', '{"half": '])
def test_a_damaged_line_is_named_with_the_remedy_and_the_remedy_works(finished, tmp_path, garbage):
    out = copied(finished, tmp_path)
    journal = out / "journal.jsonl"
    lines = journal.read_text().splitlines()
    before = (out / "dataset" / "trajectories.jsonl").read_bytes()
    journal.write_text("\n".join([*lines[:5], garbage, *lines[6:]]) + "\n")

    remedy = r"Take that line out of journal\.jsonl \(keep a copy\), and give the command of the campaign again"
    with pytest.raises(StoreError, match=rf"journal\.jsonl, line 6\b.*{remedy}"):
        team.campaign(out, limit=3).run()
    journal.write_text("\n".join([*lines[:5], *lines[6:]]) + "\n")
    team.campaign(out, limit=3).run()

    assert (out / "dataset" / "trajectories.jsonl").read_bytes() == before
    assert sorted(journal.read_text().splitlines()) == sorted(lines)


def test_a_damaged_record_is_named_with_the_remedy_when_it_is_read(finished, tmp_path):
    out = copied(finished, tmp_path)
    journal = out / "journal.jsonl"
    lines = journal.read_text().splitlines()
    record = json.loads(lines[2]) | {"live_model_calls": -1}
    journal.write_text("\n".join([*lines[:2], json.dumps(record), *lines[3:]]) + "\n")

    with pytest.raises(StoreError, match=r"journal\.jsonl, line 3, field live_model_calls: .*Take that line out"):
        team.campaign(out, limit=3).run()


def test_a_damaged_last_line_is_named_with_the_remedy_and_lets_go_of_the_campaign(finished, tmp_path):
    out = copied(finished, tmp_path)
    for name, remedy in (("times.jsonl", "nothing depends on it"), ("journal.jsonl", "Take that line out")):
        path = out / name
        whole = path.read_bytes()
        path.write_bytes(whole + b"garbage")
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"{name}, line \d+: is not JSON.*{remedy}"):
                team.campaign(out, limit=3).run()
        path.write_bytes(whole)
    team.campaign(out, limit=3).run()


def test_a_reader_of_the_journal_sees_every_run_without_touching_the_file(finished, tmp_path):
    out = copied(finished, tmp_path)
    journal = out / "journal.jsonl"
    records = list(read(journal, RunRecord))
    torn = journal.read_bytes()[:-9]
    journal.write_bytes(torn)

    reader = JournalReader(out)

    assert list(reader.runs) == [record.run_id for record in records[:-1]]
    made = reader.runs[records[1].run_id]
    assert (made.arm, made.task_id, made.targets) == (records[1].arm, records[1].task_id, records[1].targets)
    assert made.plan == records[1].plan.model_dump(mode="json")
    assert made.outcome == records[1].outcome
    assert reader.read(records[3].run_id) == records[3]
    assert journal.read_bytes() == torn
    with pytest.raises(CampaignError, match="has no run 'x'"):
        reader.read("x")
    assert dict(JournalReader(tmp_path / "nowhere").runs) == {}


def test_the_dataset_is_that_of_the_campaign_that_was_never_interrupted(finished, tmp_path):
    team.campaign(tmp_path, limit=3).run()
    ids = [run.run_id for run in Dataset(tmp_path / "dataset").trajectories()]

    assert ids == sorted(ids)
    assert (tmp_path / "dataset" / "trajectories.jsonl").read_bytes() == (
        finished / "dataset" / "trajectories.jsonl"
    ).read_bytes()
