"""Writing files of records: whole lines or nothing, whatever happens to the process that writes."""

from __future__ import annotations

import os
import random
import resource
import signal
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from aegis_core.campaign.tasks import Task
from aegis_core.errors import StoreError, StoreWarning
from aegis_core.faults import Moment
from aegis_core.run import Tape, TapeEntry
from aegis_core.run.tape import CallKey
from aegis_core.store import Appender, Rewriter, append, read, repair, write_all
from aegis_core.trajectory import Agent, Step, Trajectory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills and limits forked processes")


def task(number: int, text: str = "question") -> Task:
    return Task(task_id=f"t{number}", text=text, answer="42")


def payload(value: object) -> Tape:
    key = CallKey(moment=Moment(agent="A"), kind="model")
    return Tape(run_id="r", entries=(TapeEntry(key=key, request_hash="0", payload=value),))


def in_child(work: Callable[[], None]) -> int:
    """Start `work` in a process of its own; returns its id."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return pid


def status_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def ids(path: Path) -> list[str]:
    return [record.task_id for record in read(path, Task)]


# -- appending ----------------------------------------------------------------------------------------------------


def test_records_are_whole_lines_in_the_order_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tasks.jsonl"
    append(path, task(1, "é\n"))
    append(path, task(2), fsync=True)
    assert path.read_bytes().splitlines(keepends=True) == [
        '{"schema_version":1,"task_id":"t1","text":"é\\n","answer":"42","checker":"exact","family":"","source":""}\n'.encode(),
        b'{"schema_version":1,"task_id":"t2","text":"question","answer":"42","checker":"exact","family":"","source":""}\n',
    ]


@pytest.mark.parametrize("seed", range(3))
def test_kill_loses_nothing_but_a_torn_last_line(tmp_path: Path, seed: int) -> None:
    """Kill the writer at random moments, and let the next one go on behind what it left."""
    path = tmp_path / "tasks.jsonl"
    rng = random.Random(seed)
    for _ in range(15):
        done = len(ids(path)) if path.exists() else 0

        def write(done: int = done) -> None:
            with Appender(path) as appender:
                for number in range(done, done + 100_000):
                    appender.write(task(number, "x" * 300_000))

        pid = in_child(write)
        time.sleep(rng.uniform(0.001, 0.02))
        os.kill(pid, signal.SIGKILL)
        assert status_of(pid) == -signal.SIGKILL
        if path.exists():
            left = path.read_bytes()
            is_sound = not left or left.endswith(b"\n")
            assert (repair(path) is None) == is_sound
            assert path.read_bytes() == left[: left.rfind(b"\n") + 1] or left.endswith(b"}")
            found = ids(path)
            assert found == [f"t{n}" for n in range(len(found))]
            assert len(found) >= done
    assert len(ids(path)) > 0


@pytest.mark.parametrize("cut", [1, 17, 60, 100])
def test_next_record_repairs_what_a_killed_process_left(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1), task(2)])
    whole = path.read_bytes()
    torn = whole.splitlines()[0][:cut]
    path.write_bytes(whole + torn)
    with pytest.warns(StoreWarning, match=rf"tasks\.jsonl, line 3: cut off .* removed {cut} bytes, .* kept in"):
        append(path, task(3))
    assert ids(path) == ["t1", "t2", "t3"]
    assert (tmp_path / "tasks.jsonl.torn").read_bytes() == torn + b"\n"


def test_process_that_dies_while_another_has_the_file_open_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    with Appender(path) as appender:
        appender.write(task(1))
        with path.open("ab") as other:
            other.write(b'{"schema_version":1,"task_id":"t')
        with pytest.warns(StoreWarning, match="line 2: cut off"):
            appender.write(task(2))
    assert ids(path) == ["t1", "t2"]


def test_processes_do_not_interleave(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"

    def write(name: int) -> None:
        with Appender(path) as appender:
            for number in range(60):
                appender.write(task(1000 * name + number, "x" * 50_000))

    children = [in_child(lambda name=name: write(name)) for name in range(3)]  # type: ignore[misc]
    assert [status_of(pid) for pid in children] == [0, 0, 0]
    numbers = [int(task_id[1:]) for task_id in ids(path)]
    for name in range(3):
        assert [n for n in numbers if n // 1000 == name] == [1000 * name + n for n in range(60)]


def test_threads_share_an_appender(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    with Appender(path) as appender:
        threads = [threading.Thread(target=appender.write, args=(task(n, "x" * 9000),)) for n in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(ids(path)) == sorted(f"t{n}" for n in range(30))


def test_disk_that_is_full_leaves_no_part_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    append(path, task(1))
    before = path.read_bytes()

    def write() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        with (
            Appender(path) as appender,
            pytest.raises(StoreError, match=r"tasks\.jsonl can't be written: File too large"),
        ):
            appender.write(task(2, "x" * 200_000))

    assert status_of(in_child(write)) == 0
    assert path.read_bytes() == before


def test_closed_appender_says_so(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "tasks.jsonl")
    appender.close()
    appender.close()
    with pytest.raises(StoreError, match="the appender is closed"):
        appender.write(task(1))


def test_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be opened for writing: Is a directory"):
        Appender(tmp_path)


# -- what JSON can't hold -----------------------------------------------------------------------------------------


def test_invalid_surrogate_does_not_lose_the_record(tmp_path: Path) -> None:
    step = Step(index=0, agent="A", kind="message", text="lone \ud800, pair \ud83d\ude00, é")
    append(tmp_path / "r.jsonl", Trajectory(run_id="r", task="\udcff", agents=(Agent(path="A"),), steps=(step,)))
    (run,) = read(tmp_path / "r.jsonl", Trajectory)
    assert (run.task, run.steps[0].text) == ("\ufffd", "lone \ufffd, pair \U0001f600, é")


def test_invalid_surrogate_deep_in_free_data_does_not_lose_the_record(tmp_path: Path) -> None:
    append(tmp_path / "t.jsonl", payload({"a": [{"\udc00k": "\udfff"}], "n": 1.5, "t": True}))
    (tape,) = read(tmp_path / "t.jsonl", Tape)
    assert tape.entries[0].payload == {"a": [{"\ufffdk": "\ufffd"}], "n": 1.5, "t": True}


def test_nan_in_free_data_becomes_null(tmp_path: Path) -> None:
    append(tmp_path / "t.jsonl", payload([float("nan"), float("inf"), 1.0]))
    (tape,) = read(tmp_path / "t.jsonl", Tape)
    assert tape.entries[0].payload == [None, None, 1.0]


@pytest.mark.parametrize("text", ["deep", "deep" * 10_000])
def test_record_too_deep_to_be_read_back_is_refused_before_it_is_written(tmp_path: Path, text: str) -> None:
    value: object = text
    for _ in range(220):
        value = [value]
    with pytest.raises(StoreError, match="a Tape is nested too deeply"):
        append(tmp_path / "t.jsonl", payload(value))
    assert (tmp_path / "t.jsonl").read_bytes() == b""


# -- repairing ----------------------------------------------------------------------------------------------------


def test_repair_leaves_a_sound_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(b"")
    assert repair(path) is None
    write_all(path, [task(1)])
    before = path.read_bytes()
    assert repair(path) is None
    assert path.read_bytes() == before
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_repair_cuts_only_the_torn_line_and_keeps_all_that_it_cut_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(n, "x" * 70_000) for n in range(3)])
    whole = path.read_bytes()
    kept = b""
    for torn in (whole[:70_050], whole[:30]):
        path.write_bytes(whole + torn)
        done = repair(path)
        assert done is not None
        assert (done.line, done.offset, done.removed) == (4, len(whole), len(torn))
        assert path.read_bytes() == whole
        assert done.copy == tmp_path / "tasks.jsonl.torn"
        kept += torn + b"\n"
        assert done.copy.read_bytes() == kept


def test_repair_keeps_nothing_of_a_file_that_is_not_worth_it(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(b'{"task_id')
    done = repair(path, keep=False)
    assert done is not None
    assert (done.removed, done.copy) == (9, None)
    assert str(done).endswith("line 1: cut off (the process that wrote it was stopped); removed 9 bytes")
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_repair_of_a_file_that_is_one_torn_line_leaves_it_empty(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(b'{"task_id')
    assert repair(path) is not None
    assert path.read_bytes() == b""


def test_repair_removes_zero_bytes_that_a_loss_of_power_left(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1)])
    whole = path.read_bytes()
    for tail in (b"\0" * 100, b'{"task_id":"t2"' + b"\0" * 100):
        path.write_bytes(whole + tail)
        assert repair(path) is not None
        assert path.read_bytes() == whole


def test_repair_adds_a_missing_line_feed_to_a_whole_record(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1), task(2)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    done = repair(path)
    assert done is not None
    assert (done.line, done.removed, done.copy) == (2, 0, None)
    assert "the line feed was added" in str(done)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"hello", b'{"a":1}x', b'{"a" 1', b"[1,", b'{"a":"\xff', b'\xef\xbb\xbf{"a"'])
def test_damage_that_no_kill_can_do_is_an_error_and_stays(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1)])
    damaged = path.read_bytes() + tail
    path.write_bytes(damaged)
    for act in (lambda: repair(path), lambda: append(path, task(2)), lambda: ids(path)):
        with pytest.raises(StoreError, match=r"tasks\.jsonl, line 2"):
            act()
        assert path.read_bytes() == damaged


def test_bad_line_in_the_middle_is_never_dropped(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1), task(2)])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"schema_ver\n' + lines[1])
    assert repair(path) is None
    with pytest.raises(StoreError, match="line 2: is not JSON"):
        ids(path)


# -- rewriting ----------------------------------------------------------------------------------------------------


def test_file_is_replaced_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1)])

    def broken():
        yield task(2)
        assert ids(path) == ["t1"]
        raise ValueError("the source of the records failed")

    with pytest.raises(ValueError, match="the source"):
        write_all(path, broken())
    assert ids(path) == ["t1"]
    write_all(path, [task(3), task(4)])
    assert ids(path) == ["t3", "t4"]
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_killed_rewriter_leaves_the_earlier_file_and_the_next_one_takes_over(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(1)])

    def write() -> None:
        with Rewriter(path) as rewriter:
            rewriter.write(task(2, "x" * 200_000))
            os.kill(os.getpid(), signal.SIGKILL)

    assert status_of(in_child(write)) == -signal.SIGKILL
    assert ids(path) == ["t1"]
    write_all(path, [task(3)])
    assert ids(path) == ["t3"]
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_second_rewriter_of_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    with Rewriter(path) as first:
        with pytest.raises(StoreError, match=r"tasks\.jsonl: another process is writing this file"):
            Rewriter(path)
        first.write(task(1))
    assert ids(path) == ["t1"]


def test_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_all(tmp_path / name, [payload({"z": 1, "a": [0.1, None]}), payload("é")])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_warning_without_damage(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        append(tmp_path / "t.jsonl", task(1))
        append(tmp_path / "t.jsonl", task(2))
        assert len(ids(tmp_path / "t.jsonl")) == 2


# -- in order -----------------------------------------------------------------------------------------------------


def test_rewriter_puts_records_in_the_order_of_a_field(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    with Rewriter(path, sort_by="task_id") as rewriter:
        for number in (3, 1, 5, 2, 4):
            rewriter.write(task(number, "é\u2028" * number))
    assert list(read(path, Task)) == [task(number, "é\u2028" * number) for number in (1, 2, 3, 4, 5)]
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_rewriter_in_order_that_gives_up_leaves_nothing_beside_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, [task(9)])
    rewriter = Rewriter(path, sort_by="task_id")
    rewriter.write(task(1))
    with pytest.raises(ZeroDivisionError), rewriter:
        rewriter.write(task(1 // 0))
    assert ids(path) == ["t9"]
    assert [child.name for child in tmp_path.iterdir()] == ["tasks.jsonl"]
    with Rewriter(path, sort_by="task_id"):
        pass
    assert path.read_bytes() == b""
