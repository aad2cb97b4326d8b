"""Who&When as published: three runs that come with the tests, and all 80 of the development part where it is there."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from aegis_core.formats.whowhen.reader import WhoWhen
from aegis_core.scoring.names import RunNames

LEAKS = ("mistake_agent", "mistake_step", "mistake_reason", "mistake_type", "is_correct", "ground_truth")


def test_excerpts_are_read_with_their_doubts(whowhen):
    runs = {run.trajectory.run_id: run for run in WhoWhen().read(whowhen)}
    assert {run_id: run.doubts for run_id, run in runs.items()} == {
        "ag-14": ("label: 'Culinary_Awards_Expert' is blamed, but 'Computer_terminal' speaks at step 2",),
        "hc-22": ("label: 'FileSurfer' is blamed, but 'WebSurfer' speaks at step 4",),
        "hc-24": ("question: differs from the first message, which the human speaks, in more than white space",),
    }
    assert {run_id: len(run.trajectory.steps) for run_id, run in runs.items()} == {"ag-14": 10, "hc-22": 24, "hc-24": 5}


def test_texts_are_those_of_the_files(whowhen):
    for path in whowhen.glob("*/*.json"):
        (run,) = WhoWhen().read(path)
        history = json.loads(path.read_text(encoding="utf-8"))["history"]
        assert [step.text for step in run.trajectory.steps] == [item["content"] for item in history]


@pytest.fixture
def files(development):
    """The JSON of all files of the development part, by run id."""
    found = {}
    for short, folder in (("ag", "algorithm_generated"), ("hc", "hand_crafted")):
        for path in (development / "whowhen" / folder).glob("*.json"):
            found[f"{short}-{path.stem}"] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def runs(development):
    """All runs of the development part, by id."""
    return {run.trajectory.run_id: run for run in WhoWhen().read(development / "whowhen")}


def of(runs, subset):
    return [run for run_id, run in runs.items() if run_id.startswith(subset)]


def fault(run):
    return run.labels[0].faults[0]


def test_all_files_load_and_count_as_published(runs):
    ag, hc = of(runs, "ag"), of(runs, "hc")
    assert (len(ag), len(hc)) == (53, 27)
    assert sum(len(run.trajectory.steps) for run in ag) == 459
    assert len({step.agent for run in ag for step in run.trajectory.steps}) == 91
    assert sum(step.agent == "Computer_terminal" for run in ag for step in run.trajectory.steps) == 125
    assert Counter(step.content[0].data["role"] for run in ag for step in run.trajectory.steps) == {
        "user": 295,
        "assistant": 164,
    }
    lengths = [len(run.trajectory.steps) for run in hc]
    assert (sum(lengths), min(lengths), max(lengths)) == (1285, 5, 130)


def test_routing_labels_count_as_published(runs):
    steps = [step for run in of(runs, "hc") for step in run.trajectory.steps]
    assert Counter((step.agent, step.kind, *step.addressed_to) for step in steps) == {
        ("Orchestrator", "thought"): 669,
        ("Orchestrator", "handoff", "WebSurfer"): 265,
        ("WebSurfer", "message"): 246,
        ("human", "message"): 27,
        ("Orchestrator", "handoff", "FileSurfer"): 21,
        ("FileSurfer", "message"): 20,
        ("Orchestrator", "message"): 11,
        ("Orchestrator", "handoff", "Assistant"): 11,
        ("Assistant", "message"): 9,
        ("Orchestrator", "handoff", "ComputerTerminal"): 3,
        ("ComputerTerminal", "tool_result"): 3,
    }


def test_labels_count_as_published(runs):
    assert Counter(fault(run).step for run in of(runs, "ag")) == dict(enumerate((8, 16, 4, 4, 3, 8, 4, 1, 5)))
    blamed = {"WebSurfer": 15, "Orchestrator": 9, "Websurfer": 1, "FileSurfer": 1, "Assistant": 1}
    assert Counter(fault(run).agent for run in of(runs, "hc")) == blamed


def test_mismatches_of_label_and_speaker_are_those_published(runs):
    told = {run_id for run_id, run in runs.items() if any("speaks at step" in doubt for doubt in run.doubts)}
    assert told == {"ag-14", "ag-59", "hc-20", "hc-22", "hc-49"}
    spelled = {run_id for run_id, run in runs.items() if any("is spelled" in doubt for doubt in run.doubts)}
    assert spelled == {"hc-11"}

    labelled = [(fault(run), run.trajectory.steps[fault(run).step], run) for run in of(runs, "hc")]
    raw = sum(label.agent != step.content[0].data["role"] for label, step, _ in labelled)
    stripped = sum(label.agent != step.agent for label, step, _ in labelled)
    folded = sum(
        RunNames(agent.path for agent in run.trajectory.agents).agent(label.agent) != step.agent
        for label, step, run in labelled
    )
    assert (raw, stripped, folded) == (13, 4, 3)


def test_nothing_else_is_doubted_but_three_questions(runs):
    others = {run_id for run_id, run in runs.items() if any(not doubt.startswith("label: ") for doubt in run.doubts)}
    assert others == {"hc-24", "hc-45", "hc-49"}
    assert all("white space" in doubt for run_id in others for doubt in runs[run_id].doubts if "label" not in doubt)


def test_questions_of_both_subsets_are_one_group(runs, files):
    assert {run_id: run.group for run_id, run in runs.items()} == {
        run_id: file["question_ID"] for run_id, file in files.items()
    }
    ag, hc = ({run.group for run in of(runs, subset)} for subset in ("ag", "hc"))
    assert sum(run.group in ag for run in of(runs, "hc")) == len(ag & hc) == 23


def test_trajectories_hold_messages_question_prompts_and_nothing_else(runs, files):
    for run_id, run in runs.items():
        file, trajectory = files[run_id], run.trajectory
        assert [step.text for step in trajectory.steps] == [item["content"] for item in file["history"]]
        assert [step.content[0].data["role"] for step in trajectory.steps] == [item["role"] for item in file["history"]]
        bare = trajectory.model_dump(exclude={"steps": {"__all__": {"text", "content"}}, "task": True})
        for agent in bare["agents"]:
            assert agent.pop("role") == file.get("system_prompt", {}).get(agent["path"], "")
        texts = json.dumps(bare)
        assert not [field for field in LEAKS if field in texts or (field in run.source and field in trajectory.task)]
        assert file["mistake_reason"] not in trajectory.model_dump_json()
        assert all(str(run.source[field]) == str(file[field]) for field in LEAKS if field in file)


def test_other_data_beside_it_are_not_taken_for_it(development):
    for folder in ("agentrx", "agentrx/magentic", "mas_sim", "mas_sim/otel", "otel_spans"):
        assert (development / folder).is_dir()
        assert not WhoWhen().sniff(development / folder)
    assert WhoWhen().sniff(development / "whowhen")
    assert not WhoWhen().sniff(development / "agentrx" / "tau_failed.json")
