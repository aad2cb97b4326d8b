"""A trial: several attributors and learners on several sets of labelled runs, under the same conditions."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

from pydantic import Field

from aegis_core.errors import LearnerError, PluginWarning, RecordError
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor, Learner
from aegis_core.records import FileRecord, Record
from aegis_core.scoring.crossfitting import CrossFitted, FoldedRun, answers, fitted
from aegis_core.scoring.folds import assign_folds, tasks_in_order
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.runs import ScoredRun, is_environment, labelled_by, truth_of
from aegis_core.scoring.standings import Conditions, Doubt, SetResult, set_result

__all__ = ["FOLDS", "SEEDS", "ByChance", "Contestant", "RunSet", "Training", "Trial", "hold_trial"]

FOLDS = 5
"""How many folds where nobody says it."""
SEEDS = 20
"""Over how many seeds the numbers of an attributor are the mean that goes by chance."""
_ENOUGH_ANSWERS = 10_000
"""With more runs there are fewer seeds: the mean over many runs is as sure."""


@runtime_checkable
class ByChance(Protocol):
    """An attributor whose answers depend on a seed, so that one answer alone says little."""

    def reseeded(self, number: int) -> Attributor:
        """The same with another seed, one for each number from 1."""


@dataclass(frozen=True)
class Contestant:
    """Who takes part, and its name. `is_optional`: left out, and said so, where runs are too few for folds."""

    name: str
    judge: Attributor | Learner
    is_optional: bool = False


@dataclass(frozen=True)
class RunSet:
    """Labelled runs that are scored together, and their name."""

    name: str
    runs: tuple[LabelledRun, ...]


class Training(Record):
    """What learners were trained on.

    With `folds`: the other folds of the set that is judged, or of all sets if `pooled`. Without: `runs` runs of their
    own; `shared` more were left out, as their source task is one of those that are judged.
    """

    folds: int | None = None
    pooled: bool = False
    runs: int | None = Field(default=None, ge=0)
    shared: int | None = Field(default=None, ge=0)


class Trial(FileRecord):
    """The result, with all that the numbers depend on. `training` is None where nobody had to be trained."""

    conditions: Conditions
    training: Training | None
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

    Learners are trained once a fold. A source task is in one fold, whichever sets it occurs in. A learner that can't
    learn from a set, or breaks off, is left out there with its reason; if it is the first, nobody is compared.

    Args:
        sets: the runs. Those without labels that count are left out.
        contestants: who judges, at least one. The first is compared with each of the others.
        conditions: what holds for all.
        training: runs to train learners on instead. Those that share a source task with the sets are left out.
        tell: is told what comes next, in a few words.

    Raises:
        RecordError: a set has no labelled runs, one id stands for two runs, there are several origins to choose from,
            folds can't be made, or nobody is left who could learn from the runs.
    """
    ground = _Ground(sets, conditions, training)
    given: list[dict[str, tuple[ScoredRun, ...]]] = [{} for _ in sets]
    more: list[dict[str, list[tuple[ScoredRun, ...]]]] = [{} for _ in sets]
    left_out: list[dict[str, str]] = [{} for _ in sets]
    for who in contestants:
        hearing = _Hearing(who.judge, ground)
        for number, one in enumerate(sets):
            tell(f"{one.name}: asking {who.name}")
            try:
                given[number][who.name] = hearing.answers(number)
                more[number][who.name] = hearing.more_answers(number)
            except (LearnerError, RecordError) as error:
                # The runs were checked beforehand, so a RecordError can only be that there are too few for folds.
                can_t_learn = isinstance(error, LearnerError) or who.is_optional
                if not (can_t_learn and isinstance(who.judge, Learner)):
                    raise
                left_out[number][who.name] = str(error)
    trained = frozenset(who.name for who in contestants if isinstance(who.judge, Learner))
    results = [
        set_result(
            one.name, given[number], conditions, trained=trained, left_out=left_out[number],
            without_labels=len(one.runs) - len(ground.labelled[number]), more=more[number], tell=tell,
        )
        for number, one in enumerate(sets)
    ]  # fmt: skip
    first = contestants[0].name
    results = [
        _finished(one, labelled, conditions.origin, compared=first in found)
        for one, found, labelled in zip(results, given, ground.labelled, strict=True)
    ]
    has_trained = any(trained & set(found) for found in given)
    return Trial(conditions=conditions, training=ground.training if has_trained else None, sets=tuple(results))


def _finished(result: SetResult, runs: Sequence[LabelledRun], origin: str | None, *, compared: bool) -> SetResult:
    """The result with what is doubtful about the runs, and without comparisons where the first was left out."""
    doubts = tuple(doubt for run in runs for doubt in _doubts(run, origin))
    return result.model_copy(update={"comparisons": result.comparisons if compared else (), "doubts": doubts})


class _Ground:
    """The runs with their source tasks and folds, and what learners are trained on instead, if anything."""

    def __init__(self, sets: Sequence[RunSet], conditions: Conditions, training: Sequence[LabelledRun]) -> None:
        self.conditions = conditions
        self.labelled = [_labelled(one, conditions.origin) for one in sets]
        runs = [run for labelled in self.labelled for run in labelled]
        _check(runs, conditions.origin)
        labelled = list(labelled_by(training, conditions.origin))
        everything = [*runs, *labelled]  # by their place, as runs to train on may have the ids of others
        tasks = tasks_in_order(everything, map(str, range(len(everything))))
        self.tasks = tasks[: len(runs)]
        judged = set(self.tasks)
        self.own = [run for run, task in zip(labelled, tasks[len(runs) :], strict=True) if task not in judged]
        self._shared = len(labelled) - len(self.own)
        if training and not self.own:
            raise RecordError(
                f"none of {len(training)} runs is left to train on: they have no labels that count, or share their "
                "source tasks with the runs that are judged"
            )
        if conditions.folds is not None and not training:
            _ = self.folds  # what was asked for is refused even where nobody has to be trained

    @cached_property
    def folds(self) -> tuple[int, ...]:
        """The fold of each run; made when a learner is first asked, since others need none."""
        wanted = self.conditions.folds or min(FOLDS, max(2, len(set(self.tasks))))
        return assign_folds(self.tasks, wanted, seed=self.conditions.seed)

    def runs(self, number: int, *, folded: bool) -> list[FoldedRun]:
        """The runs of one set."""
        first = sum(len(labelled) for labelled in self.labelled[:number])
        places = range(first, first + len(self.labelled[number]))
        return [
            FoldedRun(run, self.tasks[place], self.folds[place] if folded else 0)
            for run, place in zip(self.labelled[number], places, strict=True)
        ]

    @property
    def training(self) -> Training:
        """How those that had to be trained were trained."""
        if self.own:
            return Training(runs=len(self.own), shared=self._shared)
        return Training(folds=max(self.folds) + 1, pooled=self.conditions.pooled)


class _Hearing:
    """One contestant, asked about set after set; what it was trained for one set is kept for the next."""

    def __init__(self, judge: Attributor | Learner, ground: _Ground) -> None:
        self._judge, self._ground, self._origin = judge, ground, ground.conditions.origin
        self._pooled: CrossFitted | None = None
        self._fitted: Attributor | None = None

    def answers(self, number: int) -> tuple[ScoredRun, ...]:
        """What it says of the runs of one set."""
        ground = self._ground
        if isinstance(self._judge, Attributor):
            return answers(self._judge, ground.runs(number, folded=False), self._origin)
        if ground.own:
            self._fitted = self._fitted or fitted(self._judge, ground.own, self._origin)
            return answers(self._fitted, ground.runs(number, folded=False), self._origin)
        runs = ground.runs(number, folded=True)
        if not ground.conditions.pooled:
            return CrossFitted(self._judge, runs, self._origin).answers(runs)
        if self._pooled is None:
            everything = [run for other in range(len(ground.labelled)) for run in ground.runs(other, folded=True)]
            self._pooled = CrossFitted(self._judge, everything, self._origin)
        return self._pooled.answers(runs)

    def more_answers(self, number: int) -> list[tuple[ScoredRun, ...]]:
        """What it says with other seeds, if it goes by chance."""
        if isinstance(self._judge, Learner) or not isinstance(self._judge, ByChance):
            return []
        runs = self._ground.runs(number, folded=False)
        seeds = range(1, min(SEEDS, _ENOUGH_ANSWERS // len(runs)))
        try:
            others = [_reseeded(self._judge, seed) for seed in seeds]
        except (Exception, SystemExit) as error:  # boundary to a plugin: its first seed stands for all
            warnings.warn(
                f"aegis: {self._judge.name!r} can't be given another seed ({type(error).__name__}: {error}); its "
                "figures are of one seed. This is a fault of the attributor, report it to whoever wrote it",
                PluginWarning,
                stacklevel=2,
            )
            return []
        return [answers(other, runs, self._origin) for other in others]


def _reseeded(judge: ByChance, seed: int) -> Attributor:
    other: object = judge.reseeded(seed)
    if not isinstance(other, Attributor):
        raise TypeError(f"`reseeded` returned a {type(other).__name__}, and no Attributor")
    return other


def _doubts(run: LabelledRun, origin: str | None) -> Iterator[Doubt]:
    """What the reader says; and where it says nothing of it, labels of agents that the run does not have."""
    run_id = run.trajectory.run_id
    for doubt in run.doubts:
        yield Doubt(run_id=run_id, doubt=doubt)
    names = RunNames(agent.path for agent in run.trajectory.agents)
    blamed = dict.fromkeys(fault.agent for fault in truth_of(run, origin) if not is_environment(fault))
    for agent in blamed:
        if names.agent(agent) is None and not any(f"{agent!r} is blamed" in doubt for doubt in run.doubts):
            yield Doubt(run_id=run_id, doubt=f"label: {agent!r} is blamed, who is not in the run")


def _labelled(one: RunSet, origin: str | None) -> tuple[LabelledRun, ...]:
    """The runs of a set that can be scored.

    Raises:
        RecordError: there are none.
    """
    runs = tuple(labelled_by(one.runs, origin))
    if not runs:
        whose = f" by {origin!r}" if origin else ""
        raise RecordError(f"{one.name}: none of its {len(one.runs)} runs has labels{whose}, so nothing can be scored")
    return runs


def _check(runs: Sequence[LabelledRun], origin: str | None) -> None:
    """Make sure that the runs can be scored before anybody is asked, which may take long."""
    for run in runs:
        truth_of(run, origin)
    twice = [run_id for run_id, n in Counter(run.trajectory.run_id for run in runs).items() if n > 1]
    if twice:
        raise RecordError(
            f"{len(twice)} run ids occur more than once, for example {twice[0]!r}; give each file once, and score "
            "files with other runs under the same ids one by one"
        )
