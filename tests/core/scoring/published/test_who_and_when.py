"""The scorer of Who&When as published, against figures worked out by hand from its text."""

from __future__ import annotations

import pytest

from aegis_core.errors import RecordError
from aegis_core.scoring.published.who_and_when import Mistake, log_of, mistakes_of, read_log, score

LOG = """Some words before.
Prediction for 1.json:
Agent Name: Data_Expert
Step Number: 12
Reason for Mistake: it reads the wrong table.
Prediction for 2.json:
agent name:   WebSurfer
STEP NUMBER: 3
Prediction for 3.json:
Agent Name: Data Analyst
Step Number: 4
Prediction for 4.json:
Agent Name: WebSurfer
I can't say at which step.
Prediction for 5.json:
Agent Name: Planner
Step Number: 1
Prediction for 5.json:
Agent Name: Critic
Step Number: 2
"""


def test_answers_are_read_as_the_published_patterns_find_them():
    assert read_log(LOG) == {
        "1.json": Mistake("Data_Expert", "12"),
        "2.json": Mistake("WebSurfer", "3"),
        "3.json": Mistake("Data", "4"),
        "5.json": Mistake("Critic", "2"),
    }


@pytest.mark.parametrize(
    ("file", "label", "agent_hit", "step_hit"),
    [
        ("1.json", Mistake("Data_Expert", "12"), 1, 1),
        ("1.json", Mistake("Expert", "1"), 1, 1),  # both occur within the answer
        ("1.json", Mistake("Data_Expert", "2"), 1, 1),
        ("1.json", Mistake("Data_Expert", "3"), 1, 0),
        ("2.json", Mistake("Websurfer", "3"), 0, 1),  # the case differs
        ("3.json", Mistake("Data Analyst", "4"), 0, 1),  # its name is cut at the space
        ("4.json", Mistake("WebSurfer", "3"), 0, 0),  # no step: the agent is lost too
        ("5.json", Mistake("Planner", "1"), 0, 0),  # the later answer counts
        ("5.json", Mistake("", ""), 1, 1),  # an empty label occurs in everything
        ("5.json", None, 0, 0),
        ("6.json", Mistake("WebSurfer", "3"), 0, 0),  # no answer
    ],
)
def test_an_answer_is_right_if_the_label_occurs_in_it(file, label, agent_hit, step_hit):
    found = score(LOG, {file: label})
    assert (found.agent_accuracy, found.step_accuracy) == (100 * agent_hit, 100 * step_hit)


def test_the_sums_are_divided_by_all_files():
    labels = {
        "1.json": Mistake("Expert", "1"),
        "2.json": Mistake("WebSurfer", "5"),
        "4.json": Mistake("WebSurfer", "5"),
        "7.json": None,
    }
    found = score(LOG, labels)
    assert (found.files, found.parsed) == (4, 4)
    assert (found.agent_accuracy, found.step_accuracy) == (50, 25)


def test_no_files_are_an_error():
    with pytest.raises(RecordError, match="no labelled files"):
        score(LOG, {})


def test_scored_runs_become_a_log_and_labels(scored, fault):
    tool = fault("Solver", "env:timeout", 0, strategy="environment", scope="call")
    runs = [
        scored("Expert - 1", "Data_Expert FM-1.1 12, Expert FM-1.1 1", run_id="r1"),
        scored((tool, fault("Critic", step=2)), "Critic - 2", run_id="r2"),
        scored("Solver - 3", "Solver FM-1.1", run_id="r3"),
        scored("Solver - 3", None, run_id="r4"),
        scored("Solver", "Solver - 3", run_id="r5"),
    ]
    assert mistakes_of(runs) == {
        "0.json": Mistake("Expert", "1"),
        "1.json": Mistake("Critic", "2"),
        "2.json": Mistake("Solver", "3"),
        "3.json": Mistake("Solver", "3"),
        "4.json": None,
    }
    found = score(log_of(runs), mistakes_of(runs))
    assert (found.files, found.parsed, found.agent_accuracy, found.step_accuracy) == (5, 3, 40, 40)
