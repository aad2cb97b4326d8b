"""Blame by seeded chance."""

from __future__ import annotations

import random

from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.learner import Attributor
from aegis_core.taxonomy import MAST
from aegis_core.trajectory import Trajectory

__all__ = ["Random"]


class Random(Attributor):
    """Blames one suspect, each as likely as the others; one of its steps, likewise; and one of MAST's fourteen modes.

    The confidence is that of the agent, 1 / n with n suspects. What is drawn depends on the seed and the id of the run
    alone, not on which runs were judged before.

    Args:
        seed: another seed, another answer.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def reseeded(self, number: int) -> Random:
        """The same with another seed, one for each number from 1."""
        return Random(self.seed + number)

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        if not found:
            return answer(trajectory, self.name, ())
        draw = random.Random(f"{self.seed} {trajectory.run_id}")
        agent = draw.choice(list(found))
        blame = Blame(
            agent=agent,
            step=draw.choice(found[agent]),
            mode=draw.choice(MAST).id,
            confidence=1 / len(found),
            evidence=f"drawn by chance, seed {self.seed}",
        )
        return answer(trajectory, self.name, (blame,))
