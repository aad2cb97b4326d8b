"""Opening: the format is recognised or named, and what is in doubt is said."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from aegis_core import store
from aegis_core.errors import PluginError, PluginWarning, StoreError
from aegis_core.formats import open_runs
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.trajectory import Agent, Step, Trajectory
from tests.core.formats.conftest import FORMATS

FOREIGN = """
from aegis_core import Provider, hookimpl
from aegis_core.format import Format

@hookimpl
def aegis_formats():
    yield Provider(name="greedy", target=f"{__name__}:Greedy")
    yield Provider(name="broken", target=f"{__name__}:Broken")
    yield Provider(name="needy", target=f"{__name__}:Greedy", requires=("a-distribution-that-nobody-has",))

class Greedy(Format):
    name = "greedy"
    def sniff(self, path):
        return path.suffix != ".raw"
    def read(self, path, labels=None):
        return iter(())

class Broken(Greedy):
    name = "broken"
    def sniff(self, path):
        raise ZeroDivisionError("no ground")
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """The core's formats, one that claims nearly everything, one that breaks, and one whose library is missing."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "foreign_formats.py").write_text(FOREIGN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return Plugins([FORMATS, EntryPoint("foreign", "foreign_formats", "aegis")], environ={})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file of one trajectory."""
    steps = (Step(index=0, agent="Solver", kind="message", text="4"),)
    store.append(tmp_path / "own.jsonl", Trajectory(run_id="r", task="?", agents=(Agent(path="Solver"),), steps=steps))
    return tmp_path / "own.jsonl"


def test_format_is_recognised_by_content(plugins, whowhen, own):
    assert open_runs(whowhen, plugins=plugins).format.name == "whowhen"
    assert open_runs(whowhen / "hand_crafted" / "24.json", plugins=plugins).format.name == "whowhen"
    assert open_runs(own, plugins=plugins).format.name == "aegis"


def test_runs_can_be_gone_through_twice(plugins, whowhen):
    source = open_runs(whowhen, plugins=plugins)
    once, again = ([run.trajectory.run_id for run in source.labelled_runs()] for _ in range(2))
    assert once == again == ["ag-14", "hc-22", "hc-24"]


def test_formats_are_there_without_any_arguments(whowhen):
    assert {"aegis", "whowhen"} <= set(default_plugins().names("format"))
    assert open_runs(str(whowhen)).format.name == "whowhen"


def test_what_looks_like_no_format_names_the_known_ones_and_how_to_choose(plugins, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    says = r"notes\.txt looks like no format that is known; known: aegis, whowhen; .*format=NAME \(.*--format NAME\)"
    with pytest.raises(StoreError, match=says):
        open_runs(tmp_path / "notes.txt", plugins=plugins)
    with pytest.raises(StoreError, match="looks like no format"):
        open_runs(tmp_path, plugins=plugins)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"3\.json: is not JSON"),
        ('{"question": "Who?", "history": [{"cont', r"3\.json: is not JSON \(Unterminated string"),
        ('{"question": "Who?", "history": [], "mistake_agent": "A"}', r"3\.json: is no run of Who&When: field history"),
        ("[]", r"3\.json: holds no run"),
    ],
)
@pytest.mark.parametrize("whole_folder", [True, False])
def test_of_a_damaged_json_file_that_looks_like_no_format_the_fault_is_told(
    plugins, tmp_path, text, says, whole_folder
):
    (tmp_path / "3.json").write_text(text)

    with pytest.raises(StoreError, match=says):
        open_runs(tmp_path if whole_folder else tmp_path / "3.json", plugins=plugins)


def test_of_json_of_another_kind_no_fault_is_told(plugins, tmp_path):
    (tmp_path / "package.json").write_text('{"name": "x"}')

    with pytest.raises(StoreError, match=r"--format NAME\)$"):
        open_runs(tmp_path, plugins=plugins)


def test_what_looks_like_two_formats_names_both_and_how_to_choose(foreign, own):
    with (
        pytest.warns(PluginWarning, match="'broken' was passed over for .*: ZeroDivisionError: no ground"),
        pytest.raises(StoreError, match=r"looks like several formats: aegis, greedy; choose with format=NAME"),
    ):
        open_runs(own, plugins=foreign)


def test_format_that_is_named_is_not_asked(foreign, own):
    assert open_runs(own, "broken", plugins=foreign).format.name == "broken"
    assert open_runs(own, format="aegis", plugins=foreign).format.name == "aegis"


def test_format_that_lacks_its_library_is_told_where_no_other_fits(foreign, tmp_path):
    (tmp_path / "data.raw").write_bytes(b"\0")
    with pytest.warns(PluginWarning, match="broken"), pytest.raises(StoreError, match="Not asked: format 'needy'.*pip"):
        open_runs(tmp_path / "data.raw", plugins=foreign)


def test_unknown_format_is_an_error_that_names_the_known_ones(plugins, own):
    with pytest.raises(PluginError, match="unknown format 'whowhat'; did you mean 'whowhen'.*known: aegis, whowhen"):
        open_runs(own, "whowhat", plugins=plugins)


def test_missing_paths_are_errors_at_once(plugins, own, tmp_path):
    with pytest.raises(StoreError, match="nowhere does not exist"):
        open_runs(tmp_path / "nowhere", plugins=plugins)
    with pytest.raises(StoreError, match=r"labels\.jsonl does not exist"):
        open_runs(own, labels=tmp_path / "labels.jsonl", plugins=plugins)
