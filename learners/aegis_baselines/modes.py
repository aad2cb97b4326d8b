"""The mode that is most often to blame, for everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from aegis_baselines.counting import Counted, CountingLearner, FailedRun
from aegis_baselines.frequency import commonest
from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError
from aegis_core.records import FileRecord
from aegis_core.trajectory import Trajectory

__all__ = ["EveryAgentTopMode", "EveryAgentTopModeLearner", "ModeCounts"]


class ModeCounts(FileRecord):
    """How many labelled causes each mode has."""

    modes: dict[str, int]


class EveryAgentTopMode(Counted[ModeCounts]):
    """Blames every suspect, in the order in which they first speak, with the commonest mode of the training causes.

    Where most agents err in most runs, this beats what reads the texts badly. The first mode by id among equals. Says
    no step. The confidence is 1 / n with n suspects, times the mode's share of the training causes that say a mode.
    """

    name = "every-agent-top-mode"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        mode = commonest(self.counts.modes)
        total = sum(self.counts.modes.values())
        number = self.counts.modes.get(mode or "", 0)
        evidence = f"takes part in the run; {number} of {total} causes of the training runs are {mode}"
        blames = [
            Blame(agent=agent, mode=mode, confidence=number / total / len(found), evidence=evidence) for agent in found
        ]
        return answer(trajectory, self.name, blames)


class EveryAgentTopModeLearner(CountingLearner[ModeCounts]):
    """Counts causes by mode."""

    name = "every-agent-top-mode"
    record = ModeCounts
    makes = EveryAgentTopMode

    def count(self, failed: Sequence[FailedRun], config: Mapping[str, JsonValue]) -> ModeCounts:
        del config
        modes = Counter(cause.mode for run in failed for cause in run.causes if cause.mode is not None)
        if not modes:
            raise LearnerError(f"learner {self.name!r}: no labelled cause says its mode; train on labels with modes")
        return ModeCounts(modes=dict(sorted(modes.items())))
