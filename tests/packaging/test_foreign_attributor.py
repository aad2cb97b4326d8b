"""A foreign attributor and a foreign format work after `pip install`, beside another third party's plugin.

The wheel of `examples/plugin_attributor` is installed by pip beside Aegis's, and used from fresh processes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TASK = {"role": "user", "content": "There are 12 crates of 8 bottles each. How many bottles?"}
RIGHT, WRONG = "12 crates x 8 bottles = 96 bottles", "12 crates x 8 bottles = 86 bottles"
ATTRIBUTE = """
import json, sys
import aegis_core
from aegis_core.formats import open_runs
from aegis_core.plugins import default_plugins

source = open_runs(sys.argv[1])
attributor = default_plugins().attributor("answer-origin")
found = attributor.attribute_many(run.trajectory for run in source.labelled_runs())
answers = [one.model_dump(mode="json") for one in found]
print(json.dumps({"core": aegis_core.__file__, "format": source.format.name, "answers": answers}))
"""
EVALUATE = """
import sys
from aegis_core.formats import open_runs
from aegis_core.plugins import default_plugins
from aegis_core.scoring import evaluate, judge

runs = open_runs(sys.argv[1], labels=sys.argv[2]).labelled_runs()
judged = judge(default_plugins().attributor("answer-origin"), runs)
print(evaluate(judged, seed=1, resamples=0).model_dump_json())
"""
CONVERT = """
import sys
from pathlib import Path
from aegis_core.formats import open_runs
from aegis_core.plugins import default_plugins

source = open_runs(sys.argv[1], labels=next(iter(sys.argv[4:]), None))
default_plugins().format(sys.argv[3]).write(source.labelled_runs(), Path(sys.argv[2]))
"""


def _said(name: str, text: str) -> dict[str, str]:
    return {"role": "assistant", "name": name, "content": text}


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Two failed runs: in the first the solver errs, in the second the reporter."""
    runs = (
        [TASK, _said("Reader", "12 crates, 8 bottles each"), _said("Solver", WRONG), _said("Reporter", "Answer: 86")],
        [TASK, _said("Reader", "12 crates, 8 bottles each"), _said("Solver", RIGHT), _said("Reporter", "Answer: 69")],
    )
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"messages": run}) + "\n" for run in runs), encoding="utf-8")
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Labels that agree with the attributor on the agent of the first run alone."""
    path = tmp_path / "labels.jsonl"
    blamed = {"chats-1": "Solver", "chats-2": "Solver"}
    records = (
        {"run_id": run, "case_id": "crates", "faults": [{"agent": agent, "step": 1, "origin": "us"}]}
        for run, agent in blamed.items()
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def _answered(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_both_are_listed_beside_the_plugin_of_another(environment):
    done = environment.aegis("plugins", "--json")
    plugins = {plugin["name"]: plugin for plugin in json.loads(done.stdout)["plugins"]}
    borea = plugins["borea"]
    assert (borea["status"], borea["distribution"], borea["version"]) == ("loaded", "aegis-plugin-attributor", "1.0.0")
    provided = {(item["kind"], item["name"]) for item in borea["provides"]}
    assert provided == {("attributor", "answer-origin"), ("format", "borea-chat")}
    assert plugins["acme"]["status"] == "loaded"


def test_its_file_is_recognised_and_its_attributor_answers_by_name(environment, chats):
    found = _answered(environment.python("-W", "ignore", "-c", ATTRIBUTE, str(chats)))
    assert Path(found["core"]).is_relative_to(environment.site), "Aegis itself comes from its wheel"
    assert found["format"] == "borea-chat"
    first, second = found["answers"]
    assert (first["run_id"], first["blames"][0]["agent"], first["blames"][0]["step"]) == ("chats-1", "Solver", 1)
    assert (second["run_id"], second["blames"][0]["agent"], second["blames"][0]["step"]) == ("chats-2", "Reporter", 2)


def test_its_attributor_is_scored_on_its_file_with_labels_of_ones_own(environment, chats, labels):
    found = _answered(environment.python("-W", "ignore", "-c", EVALUATE, str(chats), str(labels)))
    assert found["attributor"] == "answer-origin"
    (everything,) = [part for part in found["parts"] if part["name"] == "all"]
    assert (everything["coverage"]["runs"], everything["coverage"]["answered"]) == (2, 2)
    accuracies = {
        (metric["variant"]["of"], metric["variant"]["names"], metric["variant"]["within"]): metric["value"]
        for metric in everything["metrics"]
        if metric["variant"]["measure"] == "accuracy"
    }
    assert accuracies["agent", "strict", None] == 0.5, "the first run's agent is right, the second's is not"
    assert (accuracies["step", None, 0], accuracies["step", None, 1]) == (0.5, 1.0)


def test_the_command_attribute_reads_its_file_and_asks_it(environment, chats):
    found = _answered(environment.aegis("attribute", str(chats), "--attributor", "answer-origin", "--json"))
    suspects = {one["run_id"]: [(who["agent"], who["step"]) for who in one["suspects"]] for one in found}
    assert suspects == {"chats-1": [("Solver", 1)], "chats-2": [("Reporter", 2)]}


def test_the_command_evaluate_scores_it_beside_the_baselines(environment, chats, labels, tmp_path):
    own = tmp_path / "own"
    done = environment.python("-W", "ignore", "-c", CONVERT, str(chats), str(own), "aegis", str(labels))
    assert done.returncode == 0, done.stderr
    found = _answered(
        environment.aegis("evaluate", str(own), "--attributor", "answer-origin", "--resamples", "0", "--json")
    )
    (runs,) = found["sets"]
    names = [standing["name"] for standing in runs["standings"]]
    assert (runs["runs"], names[0]) == (2, "answer-origin")
    assert {"first-speaker", "last-speaker"} <= set(names)


def test_its_file_is_converted_into_aegiss_own_and_back(environment, chats, tmp_path):
    own, back = tmp_path / "own", tmp_path / "back.jsonl"
    for arguments in ((chats, own, "aegis"), (own, back, "borea-chat")):
        done = environment.python("-W", "ignore", "-c", CONVERT, *map(str, arguments))
        assert done.returncode == 0, done.stderr
    before, after = ([json.loads(line) for line in path.read_text().splitlines()] for path in (chats, back))
    assert before == after


def test_its_own_tests_pass(environment):
    example = environment.examples["plugin_attributor"]
    done = environment.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=example)
    assert done.returncode == 0, done.stdout + done.stderr
