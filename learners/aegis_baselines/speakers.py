"""Rules that go by who speaks when. Their confidence is 1 / n with n suspects: as much as is known without reading."""

from __future__ import annotations

from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.learner import Attributor
from aegis_core.trajectory import Trajectory

__all__ = ["EveryAgent", "FirstSpeaker", "LastSpeaker"]


class FirstSpeaker(Attributor):
    """Blames the suspect who speaks first, at that step. Says no mode."""

    name = "first-speaker"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        blames = [
            Blame(agent=agent, step=steps[0], confidence=1 / len(found), evidence="speaks first of all suspects")
            for agent, steps in found.items()
        ]
        return answer(trajectory, self.name, blames[:1])


class LastSpeaker(Attributor):
    """Blames the suspect who speaks last, at that step. Says no mode."""

    name = "last-speaker"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        last = max(((steps[-1], agent) for agent, steps in found.items()), default=None)
        if last is None:
            return answer(trajectory, self.name, ())
        step, agent = last
        evidence = "speaks last of all suspects"
        blame = Blame(agent=agent, step=step, confidence=1 / len(found), evidence=evidence)
        return answer(trajectory, self.name, (blame,))


class EveryAgent(Attributor):
    """Blames every suspect, in the order in which they first speak. Says neither step nor mode."""

    name = "every-agent"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        blames = [Blame(agent=agent, confidence=1 / len(found), evidence="takes part in the run") for agent in found]
        return answer(trajectory, self.name, blames)
