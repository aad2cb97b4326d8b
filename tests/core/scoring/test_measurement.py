"""The resampled figures are those of the data that was drawn."""

from __future__ import annotations

import math
import random

import pytest

from aegis_core.scoring import Rules
from aegis_core.scoring.measurement import measure

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
        for name, part in measured.items():
            if name not in alone:
                assert all(math.isnan(values[resample]) for values in part.samples.values())
                continue
            for variant, values in part.samples.items():
                expected = alone[name].samples[variant][0]
                assert values[resample] == pytest.approx(expected, nan_ok=True), (resample, name, variant.title)
