"""`show`, `attribute` and `evaluate` say the same of a file that is damaged, empty or in a wrong encoding."""

from __future__ import annotations

import gzip

import pytest

from aegis_core import store
from aegis_core.faults import Fault, Labels
from aegis_core.trajectory import Agent, Step, Trajectory

COMMANDS = ("show", "attribute", "evaluate")


def _run(run_id):
    steps = (Step(index=0, agent="Solver", kind="message", text="4 + 4 = 9"),)
    return Trajectory(run_id=run_id, task="4 + 4?", agents=(Agent(path="Solver"),), steps=steps, final_output="9")


@pytest.fixture
def whole(tmp_path):
    """The bytes of a file of three runs."""
    store.write_all(tmp_path / "whole.jsonl", [_run(name) for name in "abc"])
    return (tmp_path / "whole.jsonl").read_bytes()


WRONG = {
    "line 1: begins with a byte order mark; save the file as UTF-8 without BOM": lambda raw: b"\xef\xbb\xbf" + raw,
    "line 1: the file is in UTF-16; save it as UTF-8 without BOM": lambda raw: raw.decode().encode("utf-16"),
    "line 1: ends with CR LF, the line ending of Windows": lambda raw: raw.replace(b"\n", b"\r\n"),
    "line 1: byte 2 (0x8b) is not UTF-8": lambda raw: gzip.compress(raw, mtime=0),
    "line 4, field run_id: 'b' already stands in line 2; remove one of the two": lambda raw: (
        raw + raw.splitlines(keepends=True)[1]
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("said", WRONG)
def test_a_wrong_file_is_one_message_and_exit_code_2(command, said, aegis, whole, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(WRONG[said](whole))
    done = aegis(command, path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"aegis: {path}, {said}")


NO_RUN = {
    "empty": (lambda _: b"", "holds no run"),
    "blank": (lambda _: b"\n \n", "holds no run"),
    "torn": (lambda raw: raw[:150], "holds no whole run: what stands in it was cut off while it was being written"),
    "torn after a blank line": (lambda raw: b"\n" + raw[:150], "holds no whole run"),
    "zeros": (lambda _: b"\0" * 64, "holds no whole run"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", NO_RUN)
def test_a_file_without_a_run_is_said_to_hold_none(command, kind, aegis, whole, tmp_path):
    make, said = NO_RUN[kind]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(make(whole))
    done = aegis(command, path)
    # There is nothing to show or to judge; but what is scored has to be there.
    assert done.code == (2 if command == "evaluate" else 1)
    assert f"{path} {said}" in (done.err if command == "evaluate" else done.out)


def test_of_a_file_whose_end_is_cut_off_the_whole_runs_are_shown_and_attributed(aegis, whole, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(whole[:-50])
    for command in ("show", "attribute"):
        done = aegis(command, path, "--json")
        assert done.code == 0
        assert [run["run_id"] for run in done.json] == ["a", "b"]
        assert f"warning: {path}, line 3: cut off after" in done.err


@pytest.mark.parametrize("damage", ["run cut off", "label cut off", "label of another run", "no JSON"])
def test_attribute_needs_no_labels_and_is_not_stopped_by_theirs(damage, aegis, whole, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "trajectories.jsonl").write_bytes(whole[:-50] if damage == "run cut off" else whole)
    labels = [Labels(run_id=name, case_id=name, faults=(Fault(agent="Solver", step=0, origin="me"),)) for name in "abc"]
    if damage == "label of another run":
        labels.append(labels[0].model_copy(update={"run_id": "gone"}))
    store.write_all(folder / "labels.jsonl", labels)
    if damage in ("label cut off", "no JSON"):
        raw = (folder / "labels.jsonl").read_bytes()
        (folder / "labels.jsonl").write_bytes(raw[:-20] if damage == "label cut off" else b"{no\n" + raw)
    for path in (folder, folder / "trajectories.jsonl"):
        done = aegis("attribute", path, "--json")
        assert done.code == 0
        assert [run["run_id"] for run in done.json] == ["a", "b"] + ["c"] * (damage != "run cut off")
        assert "labels.jsonl" not in done.err
        assert ("cut off" in done.err) == (damage == "run cut off")


def test_stats_of_a_dataset_without_labels_says_that_nothing_is_known_of_them(aegis, whole, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "trajectories.jsonl").write_bytes(whole)
    done = aegis("dataset", "stats", folder)
    assert done.code == 0
    assert f"warning: {folder} has no labels.jsonl" in done.err
