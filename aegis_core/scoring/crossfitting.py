"""Out-of-fold answers: whoever has to be trained is never asked about a source task that it was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aegis_core.errors import RecordError
from aegis_core.format import ChosenRuns, LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.scoring.judging import judge
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.runs import ScoredRun, is_environment

__all__ = ["answers", "by_origin", "kept_to_contract"]


def answers(
    judged_by: Attributor | Learner,
    runs: Sequence[LabelledRun],
    *,
    groups: Mapping[str, str],
    folds: Sequence[int] = (),
    training: Sequence[LabelledRun] = (),
    origin: str | None = None,
) -> tuple[ScoredRun, ...]:
    """Truth and prediction of every run, in their order; what an attributor must not say counts as not judged.

    Args:
        judged_by: an attributor, which is asked as it is; or a learner, which is trained first.
        runs: what is asked about, each run with an id of its own.
        groups: the source task of each run by its id.
        folds: the fold of each run, the same for all of a source task. A learner is trained once a fold, on the runs
            of the others, and asked about those of the fold.
        training: what a learner is trained on instead, once. Leave out what shares a source task with `runs`.
        origin: whose labels count, in training too, where there are several.

    Raises:
        LearnerError: the learner can't learn from these runs.
        RecordError: a run has no labels, or several label sets and no `origin`; a learner has nothing to train on.
    """
    if isinstance(judged_by, Attributor):
        found = judge(judged_by, runs, origin=origin, groups=groups)
    elif training:
        trained = judged_by.fit(_only(training, origin), {})
        found = judge(trained, runs, origin=origin, groups=groups)
    elif folds:
        by_fold = [one for fold in sorted(set(folds)) for one in _fold(judged_by, runs, folds, fold, groups, origin)]
        by_id = {one.run_id: one for one in by_fold}
        found = iter([by_id[run.trajectory.run_id] for run in runs])
    else:
        raise RecordError(
            f"learner {judged_by.name!r} has nothing to train on; give training runs, or at least two source tasks to "
            "make folds of"
        )
    return tuple(kept_to_contract(one) for one in found)


def _fold(
    learner: Learner,
    runs: Sequence[LabelledRun],
    folds: Sequence[int],
    fold: int,
    groups: Mapping[str, str],
    origin: str | None,
) -> list[ScoredRun]:
    train = [run for run, own in zip(runs, folds, strict=True) if own != fold]
    test = [run for run, own in zip(runs, folds, strict=True) if own == fold]
    return list(judge(learner.fit(_only(train, origin), {}), test, origin=origin, groups=groups))


def _only(runs: Sequence[LabelledRun], origin: str | None) -> ChosenRuns:
    return ChosenRuns(tuple(by_origin(run, origin) for run in runs))


def by_origin(run: LabelledRun, origin: str | None) -> LabelledRun:
    """The run with the faults of one origin alone; None leaves it as it is."""
    if origin is None:
        return run
    labels = (
        record.model_copy(update={"faults": tuple(fault for fault in record.faults if fault.origin == origin)})
        for record in run.labels
    )
    return replace(run, labels=tuple(labels))


def kept_to_contract(run: ScoredRun) -> ScoredRun:
    """The run as it is, or as not judged if its answer blames an agent or a step that the run does not have.

    An agent is known in any spelling that `RunNames` understands. Blames of the environment name no agent.
    """
    names = RunNames(run.agents)
    for blame in run.blames:
        wrong = ""
        if not is_environment(blame) and names.agent(blame.agent) is None:
            wrong = "an agent that is not in the run"
        elif blame.step is not None and blame.step >= run.steps:
            wrong = "a step that the run does not have"
        if wrong:
            return run.model_copy(update={"prediction": None, "not_judged": f"the answer blames {wrong}"})
    return run
