"""A trial: several attributors and learners on several sets of labelled runs, under the same conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import Field

from aegis_core.errors import LearnerError, RecordError
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.records import FileRecord, Record
from aegis_core.scoring.crossfitting import answers
from aegis_core.scoring.folds import assign_folds, source_tasks
from aegis_core.scoring.runs import ScoredRun, labelled_by, truth_of
from aegis_core.scoring.standings import Conditions, SetResult, set_result

__all__ = ["FOLDS", "Contestant", "RunSet", "Training", "Trial", "hold_trial"]

FOLDS = 5
"""How many folds where nobody says it."""


@dataclass(frozen=True)
class Contestant:
    """Who takes part, and under which name. `is_optional`: left out, and said so, where it can't learn from the runs."""

    name: str
    judge: Attributor | Learner
    is_optional: bool = False


@dataclass(frozen=True)
class RunSet:
    """Labelled runs that are scored together, and their name."""

    name: str
    runs: tuple[LabelledRun, ...]


class Training(Record):
    """What learners were trained on: the other folds of all sets together, or (`folds` None) runs of their own.

    `runs` is how many there are. `shared` counts runs of their own that were left out, as their source task is one of
    those that are judged.
    """

    folds: int | None
    runs: int = Field(ge=0)
    shared: int = Field(default=0, ge=0)


class Trial(FileRecord):
    """The result, with all that the numbers depend on."""

    conditions: Conditions
    training: Training | None
    """None where nobody had to be trained."""
    left_out: dict[str, str]
    """Who could not take part, with the reason."""
    sets: tuple[SetResult, ...]


def hold_trial(
    sets: Sequence[RunSet],
    contestants: Sequence[Contestant],
    conditions: Conditions,
    *,
    training: Sequence[LabelledRun] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Trial:
    """Have everybody judge the same runs, and score them set by set.

    Learners are trained once a fold, on all sets together; a source task is in one fold, whichever sets it occurs in.

    Args:
        sets: the runs. Those without labels that count are left out.
        contestants: who judges, at least one. The first is compared with each of the others.
        conditions: what holds for all.
        training: runs to train learners on instead. Those that share a source task with the sets are left out.
        tell: is told what comes next, in a few words.

    Raises:
        RecordError: there are no labelled runs, one id stands for two runs, there are several origins to choose from,
            or folds can't be made.
        LearnerError: somebody who is not optional can't learn from these runs.
    """
    origin = conditions.origin
    chosen = [_labelled(one, origin) for one in sets]
    runs = _checked([run for one in chosen for run in one.runs], origin)
    ground = _Ground(runs, conditions, tuple(labelled_by(training, origin)))
    if training and not ground.training:
        raise RecordError(
            "no run to train on is left: those that were given have no labels that count, or share their source tasks "
            "with the runs that are judged"
        )
    given, left_out = _ask(contestants, ground, tell)
    results = []
    for one, whole in zip(chosen, sets, strict=True):
        ids = {run.trajectory.run_id for run in one.runs}
        results.append(
            set_result(
                one.name,
                {name: [run for run in found if run.run_id in ids] for name, found in given.items()},
                conditions,
                trained=frozenset(who.name for who in contestants if isinstance(who.judge, Learner)),
                without_labels=len(whole.runs) - len(one.runs),
                tell=tell,
            )
        )
    return Trial(conditions=conditions, training=ground.used, left_out=left_out, sets=tuple(results))


def _labelled(one: RunSet, origin: str | None) -> RunSet:
    """The set with the runs that can be scored.

    Raises:
        RecordError: there are none.
    """
    runs = tuple(labelled_by(one.runs, origin))
    if not runs:
        whose = f" by {origin!r}" if origin else ""
        raise RecordError(f"{one.name}: none of {len(one.runs)} runs has labels{whose}, so nothing can be scored")
    return RunSet(one.name, runs)


def _checked(runs: Sequence[LabelledRun], origin: str | None) -> tuple[LabelledRun, ...]:
    """The runs, once it is sure that they can be scored: before anybody is asked, which may take long."""
    for run in runs:
        truth_of(run, origin)
    twice = [run_id for run_id, n in Counter(run.trajectory.run_id for run in runs).items() if n > 1]
    if twice:
        raise RecordError(
            f"{len(twice)} run ids occur more than once, for example {twice[0]!r}; give each file once, and files with "
            "other runs under the same ids apart"
        )
    return tuple(runs)


class _Ground:
    """Runs, source tasks, and what learners are trained on. Folds are made when the first learner is asked.

    Args:
        runs: all runs that are judged.
        conditions: folds, seed and origin.
        training: labelled runs to train on instead of folds.
    """

    def __init__(
        self, runs: tuple[LabelledRun, ...], conditions: Conditions, training: tuple[LabelledRun, ...]
    ) -> None:
        self._runs, self._conditions = runs, conditions
        # Ids of the two sides may be the same; positions are not.
        both = [*runs, *training]
        named = source_tasks([_renamed(run, str(position)) for position, run in enumerate(both)])
        tasks = [named[str(position)] for position in range(len(both))]
        judged = set(tasks[: len(runs)])
        self._groups = {run.trajectory.run_id: task for run, task in zip(runs, tasks, strict=False)}
        self.training = tuple(run for run, task in zip(training, tasks[len(runs) :], strict=True) if task not in judged)
        self._shared = len(training) - len(self.training)
        self._folds: tuple[int, ...] = ()
        self.used: Training | None = None

    def answers(self, judge: Attributor | Learner) -> tuple[ScoredRun, ...]:
        """The answers of one contestant to all runs."""
        if isinstance(judge, Learner):
            self._prepare()
        return answers(
            judge, self._runs, groups=self._groups, folds=self._folds, training=self.training,
            origin=self._conditions.origin,
        )  # fmt: skip

    def _prepare(self) -> None:
        if self.used is not None:
            return
        if self.training:
            self.used = Training(folds=None, runs=len(self.training), shared=self._shared)
            return
        groups = list(self._groups.values())
        folds = self._conditions.folds or min(FOLDS, max(2, len(set(groups))))
        self._folds = assign_folds(groups, folds, seed=self._conditions.seed)
        self.used = Training(folds=folds, runs=len(self._runs))


def _renamed(run: LabelledRun, run_id: str) -> LabelledRun:
    return LabelledRun(run.trajectory.model_copy(update={"run_id": run_id}), group=run.group)


def _ask(
    contestants: Sequence[Contestant], ground: _Ground, tell: Callable[[str], None]
) -> tuple[dict[str, tuple[ScoredRun, ...]], dict[str, str]]:
    """The answers by name, and who was left out with the reason."""
    given: dict[str, tuple[ScoredRun, ...]] = {}
    left_out: dict[str, str] = {}
    for who in contestants:
        tell(f"asking {who.name}")
        try:
            given[who.name] = ground.answers(who.judge)
        except (LearnerError, RecordError) as error:
            # The runs were checked beforehand: what a RecordError means here is that folds can't be made.
            if not (who.is_optional and isinstance(who.judge, Learner)):
                raise
            left_out[who.name] = str(error)
    return given, left_out
