"""Distances between corpora are 0 for equals, grow with the difference, and say so where nothing can be measured."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aegis_core.world.teams import chain_team
from benchmarks.realism import report
from benchmarks.realism.corpora import Corpus, Line, world_corpus
from benchmarks.realism.measures import MEASURES, doublings, repeated_phrases, speakers


def corpus(*runs: str) -> Corpus:
    """Runs of lines `speaker: text`, divided by |."""
    return Corpus("made up", tuple(tuple(Line(*line.split(": ")) for line in run.split(" | ")) for run in runs))


TALK = corpus("a: the red house stands here | b: fine, it does | a: so be it then", "a: one two three | b: four five")


@pytest.mark.parametrize("name", MEASURES)
def test_a_corpus_is_at_no_distance_from_itself(name: str) -> None:
    _, measure = MEASURES[name]
    assert measure(TALK, TALK, Random(1)) == pytest.approx(0, abs=1e-9) or name == "vocabulary"


def test_lengths_that_are_twice_as_large_are_one_doubling_away() -> None:
    assert doublings([100] * 9, [201] * 9) == pytest.approx(1, abs=0.01)


def test_who_speaks_is_counted_by_run() -> None:
    (first, _) = TALK.runs
    assert speakers(first) == {"members": 2.0, "busiest": pytest.approx(2 / 3), "told": 1.0}


def test_phrases_count_only_if_another_run_has_them() -> None:
    alone = corpus("a: we go to town and we go to town", "a: the cat sat on the mat")
    shared = corpus("a: we go to town", "b: we go to town")
    assert (repeated_phrases(alone, Random(1)), repeated_phrases(shared, Random(1))) == (0.0, 1.0)


def test_the_world_s_runs_are_what_its_members_say_without_the_task() -> None:
    world = world_corpus({"chain": chain_team}, tasks=2, seed=1)
    assert len(world.runs) == 2
    assert {line.speaker for run in world.runs for line in run} >= {"Planner", "Solver", "Reporter"}
    assert all(text.strip() for text in world.texts)


def test_without_public_logs_nothing_is_measured_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(report, "DATA", tmp_path / "none")
    made = report.run(1)
    assert not made.figures
    assert "not measured" in made.notes[0]
