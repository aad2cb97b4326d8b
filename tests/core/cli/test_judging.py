"""`aegis attribute` and `aegis evaluate`, on the trivial attributors and a few runs of Who&When."""

from __future__ import annotations

import json

import pytest

from aegis_core.attributing import DEFAULT
from aegis_core.formats import open_runs


@pytest.fixture
def runs(tmp_path):
    """Eight labelled runs in the form of Who&When, in which the second speaker errs at step 1."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(8):
        speakers = ["Reader", "Solver", "Reporter"]
        run = {
            "question": f"How many bottles are in {number + 2} crates?",
            "question_ID": f"q{number // 2}",
            "history": [{"name": who, "role": "assistant", "content": f"{who} says {number}."} for who in speakers],
            "mistake_agent": "solver" if number else "Solver",
            "mistake_step": "1",
            "mistake_reason": "the secret reason",
        }
        (folder / f"{number}.json").write_text(json.dumps(run))
    return folder


def test_attribute_ranks_and_explains_every_run(aegis, runs):
    done = aegis("attribute", runs, "--attributor", "every-agent")

    assert done.code == 0, done.err
    assert done.out.count("judged by every-agent") == 8
    assert "  1. Reader, no step named, confidence 0.33\n     why: " in done.out
    assert "  3. Reporter, " in done.out


def test_attribute_can_be_asked_about_one_run_by_the_beginning_of_its_id(aegis, runs):
    done = aegis("attribute", runs, "--run", "ag-3", "--attributor", "last-speaker", "--json")

    (found,) = done.json
    assert (found["run_id"], found["attributor"]) == ("ag-3", "last-speaker")
    (suspect,) = found["suspects"]
    assert (suspect["rank"], suspect["agent"], suspect["step"], suspect["said"]) == (
        1,
        "Reporter",
        2,
        "Reporter says 3.",
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ag-9", "none of 8 runs begin with 'ag-9'"),
        ("ag", "8 of 8 runs begin with 'ag': ag-0, ag-1, ag-2, ag-3, ag-4, …"),
    ],
)
def test_attribute_says_which_runs_there_are_instead(aegis, runs, given, said):
    done = aegis("attribute", runs, "--run", given, "--attributor", "last-speaker")

    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_attribute_tells_the_top_alone_if_asked(aegis, runs):
    line = ("attribute", runs, "--run", "ag-3", "--attributor", "every-agent")

    assert aegis(*line, "--top", 1).out.endswith("  and 2 more (--top N tells N of them)\n")
    assert [len(aegis(*line, *more, "--json").json[0]["suspects"]) for more in ((), ("--top", 1))] == [3, 1]


def test_attribute_shows_no_label(aegis, runs):
    for json_too in ((), ("--json",)):
        done = aegis("attribute", runs, "--attributor", "first-speaker", *json_too)
        assert "secret" not in done.out
        assert "mistake" not in done.out
        assert "whowhen" not in done.out


def test_a_learner_is_not_trained_on_the_runs_that_it_judges(aegis, runs):
    done = aegis("attribute", runs, "--attributor", "modal-step", "--train", runs)
    assert (done.code, done.out) == (2, "")
    assert "all are of tasks that are judged" in done.err


def test_a_learner_judges_after_it_was_trained(aegis, runs):
    line = ("attribute", runs, "--run", "ag-3", "--attributor", "modal-step", "--json")

    assert aegis(*line, "--train", runs).json[0]["suspects"][0]["step"] == 1
    untrained = aegis(*line)
    assert (untrained.code, untrained.out) == (2, "")
    assert "'modal-step' is a learner" in untrained.err
    assert "--train DATA" in untrained.err
    needless = aegis("attribute", runs, "--attributor", "random", "--train", runs)
    assert (needless.code, "attributor 'random' is not trained" in needless.err) == (2, True)


def test_attribute_without_a_name_asks_the_default_attributor(aegis, runs):
    done = aegis("attribute", runs, "--run", "ag-3", "--json")

    assert done.json[0]["attributor"] == DEFAULT
    assert done.json[0]["suspects"] or done.json[0]["abstained"]


def test_evaluate_sets_the_trivial_ones_beside_who_was_asked_for(aegis, runs):
    done = aegis("evaluate", runs, "--attributor", "last-speaker", "--resamples", 20)

    assert done.code == 0, done.err
    rows = {line.split("  ")[0]: line for line in done.out.split("who and where")[1].split("\n\n")[0].splitlines()}
    assert (
        rows["last-speaker"].split()
        == "last-speaker 0.0 [0.0, 0.0] 0.0 [0.0, 0.0] 0.0 [0.0, 0.0] 100.0 [100.0, 100.0] 100.0 [100.0, 100.0]".split()
    )
    assert rows["modal-step *"].split()[2] == "100.0"
    assert {"first-speaker", "random, mean of 20 seeds", "every-agent", "first-odd-step", "role-prior *"} <= set(rows)
    assert "runs: 8 runs of 4 source tasks, labels of whowhen" in done.out
    assert "out of 4 folds" in done.out
    assert "last-speaker less" in done.out
    assert "left out: every-agent-top-mode: " in done.out


def test_evaluate_gives_everything_as_json(aegis, runs):
    line = ("evaluate", runs, "--attributor", "random", "--attributor", "modal-step", "--no-baselines")
    trial = aegis(*line, "--resamples", 10, "--seed", 3, "--folds", 2, "--k", "2", "--published", "--json").json

    assert (trial["conditions"]["seed"], trial["conditions"]["rules"]["within"]) == (3, [2])
    assert trial["training"]["folds"] == 2
    (one,) = trial["sets"]
    assert [standing["name"] for standing in one["standings"]] == ["random", "modal-step"]
    assert [(other["first"], other["second"]) for other in one["comparisons"]] == [("random", "modal-step")]
    assert one["standings"][1]["published"]["who_and_when"]["step_accuracy"] == 100


def test_strict_names_are_those_that_are_spelt_alike(aegis, runs):
    line = ("evaluate", runs, "--attributor", "modal-step", "--no-baselines", "--resamples", 0)

    assert "modal-step *   100.0 " in aegis(*line).out
    assert "modal-step *   12.5 " in aegis(*line, "--names", "strict").out


def test_learners_can_be_trained_on_data_of_their_own_without_the_questions_that_are_judged(aegis, runs, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for number in (0, 7):
        run = json.loads((runs / f"{number}.json").read_text())
        run |= {"question_ID": "another", "question": "Another?"} if number else {}
        (other / f"{number}.json").write_text(json.dumps(run))
    done = aegis("evaluate", runs, "--attributor", "modal-step", "--no-baselines", "--train", other)

    assert "* trained on 1 runs of their own; 1 more left out, as their source tasks are judged here." in done.out


@pytest.fixture
def apart(runs, tmp_path):
    """The same runs in a file of trajectories of Aegis, and labels in another, which blame whoever speaks last."""
    read = [one.trajectory for one in open_runs(runs).labelled_runs()]
    fault = {"agent": "Reporter", "step": 2, "origin": "Ann"}
    trajectories, labels = tmp_path / "copied.jsonl", tmp_path / "verdicts.jsonl"
    trajectories.write_text("".join(one.model_dump_json() + "\n" for one in read))
    labels.write_text(
        "".join(json.dumps({"run_id": one.run_id, "case_id": one.task, "faults": [fault]}) + "\n" for one in read)
    )
    return trajectories, labels


def test_labels_may_stand_in_a_file_of_their_own(aegis, apart):
    trajectories, labels = apart
    line = ("evaluate", trajectories, "--attributor", "last-speaker", "--no-baselines", "--resamples", 0)

    done = aegis(*line, "--labels", labels)
    assert "copied.jsonl: 8 runs of 8 source tasks, labels of Ann" in done.out
    assert "last-speaker   100.0  100.0" in done.out
    assert "none of its 8 runs has labels" in aegis(*line).err


def test_learners_learn_from_labels_in_a_file_of_their_own(aegis, runs, apart):
    trajectories, labels = apart
    line = ("attribute", runs, "--run", "ag-3", "--attributor", "modal-step", "--json")

    done = aegis(*line, "--train", trajectories, "--train-labels", labels)
    assert done.json[0]["suspects"][0]["step"] == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--labels", "labels.jsonl"), "labels.jsonl does not exist"),
        (("--labels", "a", "--labels", "b"), "--labels was given 2 times and DATA 1 times"),
        (("--train-labels", "a"), "--train-labels was given 1 times and --train 0 times"),
    ],
)
def test_each_data_needs_its_own_file_of_labels(aegis, runs, more, said):
    done = aegis("evaluate", runs, "--attributor", "random", *more)

    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_two_sets_have_a_table_each(aegis, runs, tmp_path):
    (tmp_path / "more").mkdir()
    for number in (6, 7):
        (runs / f"{number}.json").rename(tmp_path / "more" / f"{number}.json")
    done = aegis("evaluate", runs, tmp_path / "more", "--attributor", "first-speaker", "--no-baselines")

    assert "runs: 6 runs of 3 source tasks" in done.out
    assert "more: 2 runs of 1 source tasks" in done.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--attributor", "sygnals"), "unknown attributor 'sygnals'"),
        (("--attributor", "random", "--k", "0,x"), "--k '0,x': give numbers of steps"),
        (("--attributor", "random", "--fault-roles", "cause,culprit"), "'culprit' is none of cause, carrier, missed"),
        (("--attributor", "random", "--origin", "Bob"), "none of its 8 runs has labels by 'Bob'"),
        (("--attributor", "modal-step", "--folds", "5"), "choose 2 to 4 folds"),
        (("--attributor", "every-agent-top-mode", "--no-baselines"), "no labelled cause says its mode"),
        (("--attributor", "random", "--folds", "5"), "choose 2 to 4 folds"),
    ],
)
def test_what_evaluate_cannot_do_is_exit_code_2(aegis, runs, more, said):
    done = aegis("evaluate", runs, *more)

    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_learner_that_was_asked_for_and_can_t_learn_is_named_and_the_others_are_scored(aegis, runs):
    done = aegis("evaluate", runs, "--attributor", "every-agent-top-mode", "--attributor", "random")

    assert done.code == 1
    assert "left out: every-agent-top-mode: learner 'every-agent-top-mode': no labelled cause" in done.out
    assert "random, mean of 20 seeds" in done.out


def test_evaluate_tells_what_is_doubtful_about_runs_and_labels(aegis, runs):
    line = ("evaluate", runs, "--attributor", "random", "--no-baselines", "--resamples", 0)

    done = aegis(*line)
    assert "doubtful: 7 things in 7 runs, scored as they are written:" in done.out
    assert "  ag-1: label: 'solver' is blamed, who is spelled 'Solver' in the run" in done.out
    assert len(aegis(*line, "--json").json["sets"][0]["doubts"]) == 7


def test_the_environment_counts_if_that_is_asked_for(aegis, runs):
    line = ("evaluate", runs, "--attributor", "random", "--no-baselines", "--resamples", 0, "--json")

    found = [aegis(*line, *more).json["conditions"]["rules"]["environment"] for more in ((), ("--environment",))]
    assert found == [False, True]
    assert "MRR: agent" in aegis(*line[:-1], "--full").out


def test_attribute_tells_what_is_doubtful_about_a_run_and_nothing_of_its_label(aegis, runs):
    run = json.loads((runs / "3.json").read_text())
    del run["question_ID"]
    (runs / "3.json").write_text(json.dumps(run))  # its label is doubtful, too: the agent is spelt otherwise
    line = ("attribute", runs, "--run", "ag-3", "--attributor", "first-speaker")

    assert "  doubtful: question_ID: is missing, so the question itself stands for it\n" in aegis(*line).out
    (found,) = aegis(*line, "--json").json
    assert found["doubts"] == ["question_ID: is missing, so the question itself stands for it"]
