"""The resampled figures are those of the data that was drawn."""

from __future__ import annotations

import math
import random

import pytest

from aegis_core.errors import RecordError
from aegis_core.scoring import Rules, bootstrap, compare, evaluate
from aegis_core.scoring.measurement import measure, measure_together

MODES = ("FM-1.1", "FM-2.4", "acme:slip", "-")


def words(chance, agents):
    chosen = chance.sample(agents, chance.randrange(3))
    return ", ".join(f"{agent} {chance.choice(MODES)} {chance.randrange(6)}" for agent in chosen)


def test_each_resample_scores_like_a_dataset_of_the_drawn_tasks(scored):
    chance = random.Random(21)
    runs = [
        scored(
            words(chance, ("Planner", "Solver", "Critic")),
            chance.choice([None, *[words(chance, ("Planner", "solver", "Critic", "Coder"))] * 6]),
            run_id=f"r{i}",
            group=f"q{chance.randrange(8)}",
        )
        for i in range(24)
    ]
    groups = sorted({run.group for run in runs})
    n_resamples = 25
    measured = measure(runs, Rules(), resamples=n_resamples, seed=6)
    random_ = random.Random(6).random
    for resample in range(1, n_resamples + 1):
        drawn = [groups[int(random_() * len(groups))] for _ in groups]
        copies = [run for group in drawn for run in runs if run.group == group]
        alone = measure(copies, Rules(), resamples=0, seed=0)
        for name, part in measured.parts.items():
            if name not in alone.parts:
                assert all(math.isnan(values[resample]) for values in part.samples.values())
                continue
            for variant, values in part.samples.items():
                expected = alone.parts[name].samples[variant][0]
                assert values[resample] == pytest.approx(expected, nan_ok=True), (resample, name, variant.title)


def sides(scored):
    """Answers of two attributors on eighty runs of forty tasks, so many that columns are kept, and runs of others."""
    runs = [("Solver FM-1.1 4", f"r{i}", f"q{i % 40}") for i in range(80)]
    one = [scored(true, true if i % 3 else "", run_id=name, group=group) for i, (true, name, group) in enumerate(runs)]
    other = [scored(true, "Critic FM-1.1 4", run_id=name, group=group) for true, name, group in runs]
    return one, other


def test_measured_together_is_what_each_gives_alone(scored, monkeypatch):
    monkeypatch.setattr(bootstrap, "_MANY", 10)
    both = sides(scored)
    together = measure_together(both, Rules(), resamples=30, seed=2)
    monkeypatch.setattr(bootstrap, "_MANY", 1_000)
    for runs, found in zip(both, together, strict=True):
        alone = measure(runs, Rules(), resamples=30, seed=2)
        assert {name: part.samples for name, part in found.parts.items()} == {
            name: part.samples for name, part in alone.parts.items()
        }


def test_what_was_measured_takes_the_place_of_measuring(scored):
    one, other = sides(scored)
    ours, theirs = measure_together([one, other], Rules(), resamples=30, seed=2)
    assert evaluate(one, seed=2, resamples=30, measured=ours) == evaluate(one, seed=2, resamples=30)
    assert compare(one, other, seed=2, resamples=30, measured=(ours, theirs)) == compare(
        one, other, seed=2, resamples=30
    )


def test_what_was_measured_of_other_runs_or_otherwise_is_refused(scored):
    one, other = sides(scored)
    ours, theirs = measure_together([one, other], Rules(), resamples=30, seed=2)
    with pytest.raises(RecordError, match="other rules, resamples or seed"):
        evaluate(one, seed=3, resamples=30, measured=ours)
    with pytest.raises(RecordError, match="other runs were measured"):
        evaluate(one, seed=2, resamples=30, measured=theirs)
    with pytest.raises(RecordError, match="other runs were measured"):
        compare(one, other, seed=2, resamples=30, measured=(theirs, ours))


def test_answers_on_other_source_tasks_are_not_measured_together(scored):
    with pytest.raises(RecordError, match="other source tasks"):
        measure_together([[scored("", "", group="q1")], [scored("", "", group="q2")]], Rules(), resamples=1, seed=0)
