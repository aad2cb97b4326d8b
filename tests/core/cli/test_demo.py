"""`aegis demo`: a whole campaign on a LangGraph team, small here."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def test_without_langgraph_it_says_how_to_install_it(aegis, tmp_path):
    if find_spec("langgraph"):
        pytest.skip("langgraph is installed")
    done = aegis("demo", "--out", tmp_path / "demo")
    assert (done.code, done.out) == (3, "")
    assert "needs langgraph" in done.err
    assert 'pip install "aegis-mas[langgraph]"' in done.err


def test_it_prints_the_counts_and_a_label_to_explain(aegis, tmp_path):
    pytest.importorskip("langgraph")
    done = aegis("demo", "--out", tmp_path / "demo", "--tasks", 6)
    assert done.code == 0, done.err
    for title in ("clean runs: 6, ", "faulty runs: ", "discarded, by reason", "labels by mode", "labels by agent"):
        assert f"{title}" in done.out
    hint = done.out.splitlines()[-1]
    assert hint.startswith(f"why a label is true: aegis explain {tmp_path / 'demo'} ")
    told = aegis("explain", tmp_path / "demo", hint.split()[-1])
    assert told.code == 0
    assert "The controls did not" in told.out


def test_json_is_the_only_thing_on_standard_output(aegis, tmp_path):
    pytest.importorskip("langgraph")
    done = aegis("demo", "--out", tmp_path / "demo", "--tasks", 2, "--json")
    assert done.json["summary"]["tasks"] == 2
    assert done.code == (0 if done.json["summary"]["kept"] else 1)


def test_without_langchain_it_says_how_to_install_it(aegis, tmp_path, monkeypatch):
    pytest.importorskip("langgraph")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "langchain" else find_spec(name))
    done = aegis("demo", "--out", tmp_path / "demo")
    assert (done.code, done.out) == (3, "")
    assert "pip install 'aegis-mas[demo]'" in done.err
