"""The scorer of Who&When, as published.

Source: `ag2ai/Agents_Failure_Attribution` (arXiv 2505.00212), `Automated_FA/evaluate.py`, commit f4d2b6d; the fault is
its issue 14.

Faults that are kept:

- Agent and step are right if the true one occurs *within* the predicted one: step 1 is found in step 12, agent
  `Expert` in `Data_Expert`, and an empty label in everything.
- Of a name only the first run of letters, digits and underscores is read: `Data Analyst` becomes `Data`.
- An answer that lacks either name or step loses both; of two answers for one file the later counts.
- Names are compared with their case.

Files without an answer do count as wrong: the sums are divided by all files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import Field

from aegis_core.errors import RecordError
from aegis_core.records import Record
from aegis_core.scoring.rules import Rules
from aegis_core.scoring.runs import Compared, ScoredRun

__all__ = ["Mistake", "WhoAndWhenScores", "log_of", "mistakes_of", "read_log", "score"]

_MARK = "Prediction for"
_ANSWER = re.compile(rf"{_MARK} (?P<file>[^:]+\.json):(?P<text>.*?)(?={_MARK}|\Z)", re.DOTALL)
_AGENT = re.compile(r"Agent Name:\s*(\w+)", re.IGNORECASE)
_STEP = re.compile(r"Step Number:\s*(\d+)", re.IGNORECASE)


class Mistake(NamedTuple):
    """An agent and a step (counted from 0), as they are written."""

    agent: str
    step: str


class WhoAndWhenScores(Record):
    """What the script prints. Accuracies are in per cent of all files."""

    files: int = Field(ge=0)
    parsed: int = Field(ge=0)
    """Files with an answer in which name and step were found."""
    agent_accuracy: float
    step_accuracy: float


def read_log(log: str) -> dict[str, Mistake]:
    """The answers in a log of the published judges, by file name, as far as the script's patterns find them."""
    answers: dict[str, Mistake] = {}
    for answer in _ANSWER.finditer(log):
        agent, step = _AGENT.search(answer["text"]), _STEP.search(answer["text"])
        if agent and step:
            answers[answer["file"].strip()] = Mistake(agent[1], step[1])
    return answers


def score(log: str, labels: Mapping[str, Mistake | None]) -> WhoAndWhenScores:
    """Score a log against the labels of all files.

    Args:
        log: what the published judges write: `Prediction for 1.json:`, then `Agent Name: …` and `Step Number: …`.
        labels: the labelled mistake by file name; None where the file lacks agent or step.

    Raises:
        RecordError: there are no files. The script prints 0 there.
    """
    if not labels:
        raise RecordError("there are no labelled files to score; give the label of each file")
    answers = read_log(log)
    judged = [(label, answers[file]) for file, label in labels.items() if label is not None and file in answers]
    return WhoAndWhenScores(
        files=len(labels),
        parsed=len(answers),
        agent_accuracy=100 * sum(label.agent in answer.agent for label, answer in judged) / len(labels),
        step_accuracy=100 * sum(label.step in answer.step for label, answer in judged) / len(labels),
    )


def log_of(runs: Iterable[ScoredRun]) -> str:
    """The first blame of every run as a log of the published judges; the n-th run (from 0) is `n.json`.

    A run that could not be judged, or in which nobody was blamed, has an empty answer.
    """
    lines = []
    for number, run in enumerate(runs):
        lines.append(f"{_MARK} {number}.json:")
        for blame in run.blames[:1]:
            lines.append(f"Agent Name: {blame.agent}")
            lines += [] if blame.step is None else [f"Step Number: {blame.step}"]
    return "\n".join(lines)


def mistakes_of(runs: Iterable[ScoredRun], rules: Rules | None = None) -> dict[str, Mistake | None]:
    """The labels of the same files: the first fault that is to be found, None if it lacks a step or there is none."""
    labels: dict[str, Mistake | None] = {}
    for number, run in enumerate(runs):
        true = Compared(run, rules or Rules()).faults
        step = true[0].step if true else None
        labels[f"{number}.json"] = None if step is None else Mistake(true[0].agent, str(step))
    return labels
