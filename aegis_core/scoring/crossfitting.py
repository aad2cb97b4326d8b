"""Out-of-fold answers: whoever has to be trained is never asked about a source task that it was trained on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aegis_core.errors import LearnerError
from aegis_core.format import ChosenRuns, LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.scoring.judging import judge, unshared
from aegis_core.scoring.runs import ScoredRun

__all__ = ["CrossFitted", "FoldedRun", "answers", "by_origin", "fitted"]


@dataclass(frozen=True)
class FoldedRun:
    """A labelled run, its source task, and the fold that this task is in (0 where there are none)."""

    run: LabelledRun
    task: str
    fold: int = 0


class CrossFitted:
    """A learner that is trained once a fold, on the runs of the other folds, when it is first asked about that fold.

    Args:
        learner: who learns.
        runs: what it is trained on; runs of one source task in one fold.
        origin: whose labels it learns from, where there are several.
    """

    def __init__(self, learner: Learner, runs: Sequence[FoldedRun], origin: str | None = None) -> None:
        self._learner, self._runs, self._origin = learner, runs, origin
        self._trained: dict[int, Attributor] = {}

    def answers(self, runs: Sequence[FoldedRun]) -> tuple[ScoredRun, ...]:
        """Truth and prediction of every run, in their order; raises as `fitted` and `answers` do."""
        found: dict[str, ScoredRun] = {}
        for fold in sorted({one.fold for one in runs}):
            trained = self._without(fold)
            asked = [one for one in runs if one.fold == fold]
            found.update((one.run_id, one) for one in answers(trained, asked, self._origin))
        return tuple(found[one.run.trajectory.run_id] for one in runs)

    def _without(self, fold: int) -> Attributor:
        if fold not in self._trained:
            others = (one.run for one in self._runs if one.fold != fold)
            self._trained[fold] = fitted(self._learner, others, self._origin)
        return self._trained[fold]


def fitted(learner: Learner, runs: Iterable[LabelledRun], origin: str | None = None) -> Attributor:
    """Train a learner, on the labels of one origin if one is named.

    Raises:
        LearnerError: nothing can be learnt from these runs, or the learner broke off; then the message names it.
    """
    chosen = ChosenRuns(tuple(unshared(by_origin(run, origin)) for run in runs))
    try:
        return learner.fit(chosen, {})
    except LearnerError:
        raise
    except (Exception, SystemExit) as error:  # boundary to a plugin
        raise LearnerError(
            f"learner {learner.name!r} could not be trained: {type(error).__name__}: {error}; this is a fault of the "
            "learner, report it to whoever wrote it"
        ) from error


def by_origin(run: LabelledRun, origin: str | None) -> LabelledRun:
    """The run with the faults of one origin alone; None leaves it as it is."""
    if origin is None:
        return run
    labels = (
        record.model_copy(update={"faults": tuple(fault for fault in record.faults if fault.origin == origin)})
        for record in run.labels
    )
    return replace(run, labels=tuple(labels))


def answers(attributor: Attributor, runs: Sequence[FoldedRun], origin: str | None = None) -> tuple[ScoredRun, ...]:
    """Truth and prediction of every run, in their order, as it was said.

    An agent or a step that the run does not have is a wrong answer like any other, and `Coverage` counts it.

    Raises:
        RecordError: a run has no labels, or several label sets and no `origin` says which counts.
    """
    groups: Mapping[str, str] = {one.run.trajectory.run_id: one.task for one in runs}
    found = judge(attributor, [one.run for one in runs], origin=origin, groups=groups)
    return tuple(found)
