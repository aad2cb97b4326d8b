"""The step that is most often to blame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from aegis_baselines.counting import Counted, CountingLearner, FailedRun
from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError
from aegis_core.records import FileRecord
from aegis_core.trajectory import Trajectory

__all__ = ["ModalStep", "ModalStepLearner", "StepCounts"]


class StepCounts(FileRecord):
    """How many labelled causes stand at each step, by its index."""

    steps: dict[int, int]


class ModalStep(Counted[StepCounts]):
    """Blames the step at which most training causes stand, of those at which a suspect speaks; and that suspect.

    The earlier step where two have as many; an abstention where none of the run's steps has any. Says no mode. The
    confidence is the step's share of all training causes with a step.
    """

    name = "modal-step"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        speakers = {step: agent for agent, steps in suspects(trajectory).items() for step in steps}
        counts = self.counts.steps
        step = max(sorted(speakers), key=lambda index: counts.get(index, 0), default=None)
        if step is None or step not in counts:
            reason = "no cause of the training runs stands at a step at which a suspect of this run speaks"
            return answer(trajectory, self.name, (), reason if speakers else "")
        total = sum(counts.values())
        evidence = f"{counts[step]} of {total} causes of the training runs stand at step {step}"
        blame = Blame(agent=speakers[step], step=step, confidence=counts[step] / total, evidence=evidence)
        return answer(trajectory, self.name, (blame,))


class ModalStepLearner(CountingLearner[StepCounts]):
    """Counts causes by the index of their step."""

    name = "modal-step"
    record = StepCounts
    makes = ModalStep

    def count(self, failed: Sequence[FailedRun], config: Mapping[str, JsonValue]) -> StepCounts:
        del config
        steps = Counter(cause.step for run in failed for cause in run.causes if cause.step is not None)
        if not steps:
            raise LearnerError(f"learner {self.name!r}: no labelled cause says its step; train on labels with steps")
        return StepCounts(steps=dict(sorted(steps.items())))
