"""Reading files of records: what comes back, and the words in which bad input is refused."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import pytest

from aegis_core.campaign.tasks import Task
from aegis_core.errors import SchemaVersionError, StoreError, StoreWarning
from aegis_core.faults import Labels
from aegis_core.records import SCHEMA_VERSION
from aegis_core.store import index, peek, read, read_at, read_document, write_all, write_document
from aegis_core.trajectory import Agent, Step, Trajectory


def task(number: int, text: str = "What is 6 x 7?") -> Task:
    return Task(task_id=f"t{number}", text=text, answer="42")


def run(run_id: str) -> Trajectory:
    step = Step(index=0, agent="Solver", kind="message", text="Answer: 42")
    return Trajectory(run_id=run_id, task="6 x 7?", agents=(Agent(path="Solver"),), steps=(step,))


def file_of(folder: Path, content: bytes) -> Path:
    path = folder / "tasks.jsonl"
    path.write_bytes(content)
    return path


GOOD = b'{"schema_version":1,"task_id":"t1","text":"q","answer":"a"}\n'


def test_what_was_written_is_read_back_in_order(tmp_path: Path) -> None:
    records = [task(n, f'Quote " and \\ and \n and {"é😀" * n}') for n in range(5)]
    write_all(tmp_path / "tasks.jsonl", records)
    assert list(read(tmp_path / "tasks.jsonl", Task)) == records


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD + b"nonsense\n")
    records = read(path, Task)
    assert next(records).task_id == "t1"
    with pytest.raises(StoreError, match="line 2"):
        next(records)


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    assert len(list(read(file_of(tmp_path, GOOD + b"\n" + GOOD + b"\n  \n\n"), Task))) == 2


def test_empty_file_has_no_records(tmp_path: Path) -> None:
    assert list(read(file_of(tmp_path, b""), Task)) == []


def test_last_line_without_line_feed_is_a_record(tmp_path: Path) -> None:
    assert len(list(read(file_of(tmp_path, GOOD + GOOD[:-1]), Task))) == 2


@pytest.mark.parametrize("cut", range(1, len(GOOD) - 1))
def test_torn_last_line_is_reported_and_left_out(tmp_path: Path, cut: int) -> None:
    path = file_of(tmp_path, GOOD + GOOD[:cut])
    with pytest.warns(StoreWarning, match=rf"tasks\.jsonl, line 2: cut off after {cut} bytes"):
        assert len(list(read(path, Task))) == 1
    assert path.read_bytes() == GOOD + GOOD[:cut]


def test_a_torn_last_line_of_a_file_that_a_person_wrote_is_an_error(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD + GOOD[: len(GOOD) // 2])
    with pytest.raises(StoreError, match=r"tasks\.jsonl, line 2: ends in the middle of a record"):
        list(read(path, Task, whole=True))


def test_peek_gives_plain_data_with_places_and_passes_over_a_torn_line_in_silence(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD + b'{"of": "another kind"}\n{"torn')
    (_, first), (place, other) = peek(path)
    assert (first["task_id"], other) == ("t1", {"of": "another kind"})
    assert (place.line, place.offset) == (2, len(GOOD))
    with pytest.raises(StoreError, match="line 1: is not JSON"):
        list(peek(file_of(tmp_path, b"nonsense\n" + GOOD)))


def test_line_torn_inside_a_character_is_torn(tmp_path: Path) -> None:
    torn = '{"task_id":"t2","text":"é'.encode()[:-1]
    with pytest.warns(StoreWarning, match="line 2"):
        assert len(list(read(file_of(tmp_path, GOOD + torn), Task))) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD + GOOD[:20] + b"\n" + GOOD, "line 2: is not JSON"),
        (GOOD + b"{'task_id': 't'}", "line 2: is not JSON"),
        (GOOD + GOOD.rstrip() + b"}", "line 2: is not JSON"),
        (b"[1, 2]\n", "line 1: holds a JSON array; every line must be one JSON object"),
        (b'"text"\n', "line 1: holds a JSON string"),
        (b"null\n", "line 1: holds null"),
        (b"\xef\xbb\xbf" + GOOD, "line 1: begins with a byte order mark; save the file as UTF-8 without BOM"),
        (GOOD.decode().encode("utf-16"), "line 1: the file is in UTF-16; save it as UTF-8"),
        (GOOD + GOOD.replace(b"\n", b"\r\n"), "line 2: ends with CR LF.*; save the file with LF alone"),
        (GOOD.replace(b"\n", b"\r"), "line 1: ends with CR LF"),
        (GOOD.replace(b'"q"', b'"caf\xe9"'), r"line 1: byte 47 \(0xe9\) is not UTF-8; save the file as UTF-8"),
        (GOOD.replace(b'"text":"q",', b""), "line 1, field text: Field required .*Task.*Add what is missing"),
        (GOOD.replace(b'"q"', b"7"), "line 1, field text: Input should be a valid string .*Correct the value"),
        (GOOD.replace(b'"q"', b'""'), "line 1, field text: String should have at least 1 character"),
        (GOOD.replace(b'"answer"', b'"anwser"'), "field anwser: Extra inputs .*Known fields: .*answer"),
        (GOOD.replace(b":1,", b":0,"), "line 1, field schema_version: Input should be greater than or equal to 1"),
    ],
)  # fmt: skip
def test_bad_input_is_named_by_file_line_and_field(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(StoreError, match=rf"(?s)tasks\.jsonl, .*{says}"):
        list(read(file_of(tmp_path, content), Task))


def test_field_inside_a_list_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(run("r1").model_dump_json().replace('"kind":"message"', '"kind":"shout"') + "\n")
    with pytest.raises(StoreError, match=r"line 1, field steps\.0\.kind: .*'message', 'tool_call'"):
        list(read(path, Trajectory))


def test_rule_of_a_whole_record_is_told_in_its_own_words(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(run("r1").model_dump_json().replace('"agent":"Solver"', '"agent":"Ghost"') + "\n")
    with pytest.raises(
        StoreError, match=r"line 1, run r1, step 0: agent 'Ghost' is not in the run; known: \['Solver'\]"
    ):
        list(read(path, Trajectory))


def test_newer_schema_is_refused_by_name_even_with_fields_unknown_here(tmp_path: Path) -> None:
    newer = GOOD.replace(b":1,", b':%d,"novelty":3,' % (SCHEMA_VERSION + 1))
    with pytest.raises(
        SchemaVersionError, match=r"tasks\.jsonl, line 2, field schema_version: .*pip install -U aegis-mas"
    ):
        list(read(file_of(tmp_path, GOOD + newer), Task))


def test_line_of_aegis_without_its_schema_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    bare = run("r1").model_dump_json(exclude={"schema_version"})
    path.write_text(f"{run('r0').model_dump_json()}\n{bare}\n")
    with pytest.raises(StoreError, match=r'runs\.jsonl, line 2, field schema_version: is missing.*"schema_version": 1'):
        list(read(path, Trajectory))


@pytest.mark.parametrize("record", [task(1), Labels(run_id="r1", case_id="c1")], ids=["task", "labels"])
def test_what_people_write_themselves_may_lack_the_schema_version(tmp_path: Path, record: Task | Labels) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(record.model_dump_json(exclude={"schema_version"}) + "\n")
    assert list(read(path, type(record))) == [record]


def test_missing_file_and_folder_are_errors_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.jsonl can't be read: No such file"):
        list(read(tmp_path / "none.jsonl", Task))
    with pytest.raises(StoreError, match="can't be read: Is a directory"):
        list(read(tmp_path, Task))


def test_one_record_is_read_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    write_all(path, [run(f"r{n}") for n in range(20)])
    places = index(path, "run_id")
    assert list(places) == [f"r{n}" for n in range(20)]
    assert places["r7"].line == 8
    assert read_at(path, places["r7"], Trajectory) == run("r7")


def test_index_refuses_doubles_and_lines_without_the_field(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    write_all(path, [run("a"), run("b"), run("a")])
    with pytest.raises(StoreError, match=r"runs\.jsonl, line 3, field run_id: 'a' already stands in line 1"):
        index(path, "run_id")
    with pytest.raises(StoreError, match=r"line 1, field task_id: a text is needed here"):
        index(path, "task_id")


def test_document_holds_one_record(tmp_path: Path) -> None:
    write_document(tmp_path / "one.json", task(1))
    assert read_document(tmp_path / "one.json", Task) == task(1)
    assert (tmp_path / "one.json").read_text().startswith('{\n  "schema_version": 1,\n')


def test_reading_holds_one_record_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, (task(n, "x" * 10_000) for n in range(1000)))
    tracemalloc.start()
    count = sum(1 for _ in read(path, Task))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1000
    assert peak < 500_000  # bytes, of a file of 10 MB


def test_memory_of_the_process_stays_flat(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_all(path, (task(n, "x" * 20_000) for n in range(1500)))
    script = f"""
        import resource, sys
        from aegis_core.campaign.tasks import Task
        from aegis_core.store import index, read
        next(read({str(path)!r}, Task))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert sum(1 for _ in read({str(path)!r}, Task)) == 1500
        assert len(index({str(path)!r}, "task_id")) == 1500
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True, timeout=60
    )
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 8_000_000  # bytes, of a file of 30 MB
