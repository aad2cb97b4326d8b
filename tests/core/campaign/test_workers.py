"""Several processes write what one would have written, and end together."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from aegis_core.campaign.workers.messages import Failure
from aegis_core.campaign.workers.pool import _Agenda
from aegis_core.errors import CampaignError, MissingDependencyError, RecorderWarning, StoreError, UnknownModeError
from aegis_core.faults import Moment, Plan, Target
from tests.core.campaign import crew, team

ROOT = Path(__file__).parents[3]


def files(out: Path) -> dict[str, bytes]:
    """All that a campaign wrote, but real times and the lock."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in ("times.jsonl", ".lock")
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The campaign of one process, and what it told of its progress."""
    out, told = tmp_path_factory.mktemp("alone") / "out", []
    summary = crew.campaign(out, progress=told.append).run()
    assert summary.kept >= 3
    return out, told


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_write_the_same_bytes_and_tell_the_same_progress(alone, tmp_path, workers):
    told = []
    crew.campaign(tmp_path, workers, progress=told.append).run()

    assert files(tmp_path) == files(alone[0])
    assert told == alone[1]
    assert len((tmp_path / "times.jsonl").read_text().splitlines()) == told[-1].runs_made


def test_a_limit_leaves_nothing_of_tasks_that_were_begun_ahead_and_can_be_raised(alone, tmp_path):
    one, many = tmp_path / "one", tmp_path / "many"
    crew.campaign(one, limit=1).run()
    crew.campaign(many, 3, limit=1).run()

    assert files(many) == files(one)
    assert len(files(many)["journal.jsonl"]) < len(files(alone[0])["journal.jsonl"])

    told = []
    crew.campaign(many, 2, progress=told.append).run()
    assert files(many) == files(alone[0])
    assert told[-1].runs_found > 0


def is_alive(pid: int) -> bool:
    """A process that has ended and that nobody has asked about is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_campaign_and_one_process_goes_on_to_the_same_bytes(tmp_path, monkeypatch, number):
    out, signed = tmp_path / "out", tmp_path / "signed"
    signed.mkdir()
    monkeypatch.setenv("SIGNED", str(signed))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "tests.core.campaign.crew", str(out), "2", str(int(number)), "4"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=120, check=False)

    assert ended.returncode == -number, ended.stderr.decode()
    workers = [int(path.name) for path in signed.iterdir()]
    assert len(workers) == 2
    deadline = time.monotonic() + 20
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker outlived its campaign"
        time.sleep(0.05)
    before = files(out)["journal.jsonl"]
    crew.campaign(out, checker=crew.checker("signs")).run()
    crew.campaign(tmp_path / "whole", checker=crew.checker("signs")).run()

    assert before and files(out)["journal.jsonl"].startswith(before)
    assert files(out) == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("checker", "error", "words"),
    [
        (
            "raises",
            CampaignError,
            f"the checker '.*raises' raised ZeroDivisionError at task '{crew.ODD}': no such luck",
        ),
        ("exits", RuntimeError, f"task '{crew.ODD}' ended by SystemExit: 3"),
        ("dies", CampaignError, f"task '{crew.ODD}' was killed by signal 9 .*give the command again"),
        ("leaves_a_child", CampaignError, f"task '{crew.ODD}' ended with exit status 5"),
        ("interrupts", KeyboardInterrupt, None),
    ],
)
def test_what_ends_a_worker_ends_the_campaign_in_its_turn(tmp_path, checker, error, words):
    settings = {"checker": crew.checker(checker), "tasks": crew.TASKS[:4]}

    with pytest.raises(error, match=words) as raised:
        crew.campaign(tmp_path / "many", 2, **settings).run()

    assert not (tmp_path / "many" / "dataset" / "summary.json").exists()
    if checker == "raises":
        assert "no such luck" in str(raised.value.__cause__)
        with pytest.raises(CampaignError) as alone:
            crew.campaign(tmp_path / "one", **settings).run()
        assert str(alone.value) == str(raised.value)
        assert files(tmp_path / "many")["journal.jsonl"] == files(tmp_path / "one")["journal.jsonl"]


def test_what_a_system_prints_and_warns_of_reaches_the_user_and_disturbs_nothing(tmp_path, capfd):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        crew.campaign(tmp_path, 2, checker=crew.checker("chatters"), tasks=crew.TASKS[:3]).run()

    assert [str(one.message) for one in caught if one.category is RecorderWarning] == ["something is odd here"]
    told = capfd.readouterr()
    assert all(f"judging {task.task_id}" in told.err for task in crew.TASKS[:3])
    assert "judging" not in told.out


def test_a_plan_that_is_given_twice_is_made_once(tmp_path):
    target = Target(moment=Moment(agent="Solver"), mode="FM-2.6", strategy="response_corruption", scope="outgoing")
    plans = [Plan(targets=(target,), seed=1)] * 2
    crew.campaign(tmp_path / "one", plans=plans, tasks=crew.TASKS[:2]).run()
    crew.campaign(tmp_path / "many", 2, plans=plans, tasks=crew.TASKS[:2]).run()

    assert files(tmp_path / "many") == files(tmp_path / "one")


def test_a_damaged_line_is_the_same_error(alone, tmp_path):
    for name, content in files(alone[0]).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    journal = tmp_path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines[:2], lines[2].replace('"live_model_calls":', '"live_calls":'), *lines[3:]]))

    with pytest.raises(StoreError, match=r"journal\.jsonl, line 3, field live_calls.*Take that line out"):
        crew.campaign(tmp_path, 2).run()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"system": team.build}, r"the system \(write it as module:attribute\)"),
        ({"injector": team.Garbler()}, "the injector"),
        ({"plugins": team.plugins()}, "plugins"),
        ({"system": "__main__:build"}, "the system '__main__:build': workers don't run the script"),
        ({"checker": "__main__:check"}, "the checker '__main__:check': workers don't run the script"),
        ({"workers": 0}, "workers is 0, it has to be 1 or more"),
    ],
)
def test_settings_that_workers_can_not_look_up_are_refused_before_anything_is_written(tmp_path, settings, words):
    with pytest.raises(CampaignError, match=words):
        crew.campaign(tmp_path / "out", **({"workers": 2} | settings)).run()

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"modes": ["FM-9.9"]}, UnknownModeError, "FM-9.9"),
        (
            {"system": "tests.core.campaign.crew:build_and_die"},
            CampaignError,
            "the worker that prepared the campaign was killed by signal 9",
        ),
    ],
)
def test_what_a_worker_finds_wrong_is_said_before_anything_is_written(tmp_path, settings, error, words):
    with pytest.raises(error, match=words):
        crew.campaign(tmp_path / "out", 2, **settings).run()

    assert not (tmp_path / "out").exists()


def test_an_error_of_aegis_comes_back_as_what_it_was_and_any_other_names_the_task():
    try:
        raise MissingDependencyError("install it")
    except MissingDependencyError as error:
        back = Failure.model_validate_json(Failure.of(error).model_dump_json()).error("did it")
    assert type(back) is MissingDependencyError
    assert str(back) == "install it"
    assert "raise MissingDependencyError" in str(back.__cause__)

    other = Failure.of(MemoryError("full")).error("did it")
    assert type(other) is RuntimeError
    assert str(other) == "the worker that did it ended by MemoryError: full"


def test_tasks_are_begun_in_order_a_few_ahead_and_none_after_one_that_failed():
    agenda = _Agenda(9, ahead=2)
    assert [agenda.next(), agenda.next()] == [0, 1]
    agenda.reach(3)
    assert [agenda.next(), agenda.next()] == [2, 3]
    agenda.end_at(4)
    assert agenda.next() is None
