"""Every metric over all runs and over parts of them, in the data and in every resample."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from aegis_core.errors import RecordError
from aegis_core.scoring.bootstrap import Block, Samples, blocks
from aegis_core.scoring.coverage import CoverageScores
from aegis_core.scoring.localisation import RankScores, agent_rank, joint_distance, step_distance, step_rank
from aegis_core.scoring.rules import Level, Naming, Rules, Variant
from aegis_core.scoring.runs import Compared, ScoredRun
from aegis_core.scoring.sets import SetScores, compared_sets

__all__ = ["PARTS", "Measured", "Measurement", "PartName", "averaged", "measure", "measure_together", "part_of"]

PartName = Literal["all", "single", "multi"]
"""All runs; those with exactly one fault to be found; those with several. Clean runs are in `all` alone."""
PARTS: tuple[PartName, ...] = get_args(PartName)
_NAMINGS: tuple[Naming, ...] = get_args(Naming)
_SETS: tuple[tuple[Level, Naming | None], ...] = (
    *(("pair", naming) for naming in _NAMINGS),
    *(("agent", naming) for naming in _NAMINGS),
    ("error", None),
)


class _Scores(Protocol):
    @property
    def runs(self) -> int: ...

    def samples(self, block: Block) -> Mapping[Variant, Samples]: ...


class Measurement:
    """What is counted over one part of the runs, and what comes of it.

    `members` are the runs of the part. `samples` holds for each variant its value in the data, then in every resample;
    `runs` over how many runs it goes.
    """

    def __init__(self, rules: Rules) -> None:
        self.members: list[ScoredRun] = []
        self.sets = {(level, naming): SetScores(level, naming) for level, naming in _SETS}
        self.agents = {naming: RankScores("agent", naming, rules) for naming in _NAMINGS}
        self.steps = RankScores("step", None, rules)
        self.joint = {naming: RankScores("joint", naming, rules) for naming in _NAMINGS}
        self.coverage = CoverageScores()
        self.samples: dict[Variant, Samples] = {}
        self.runs: dict[Variant, int] = {}

    def take(self, block: Block) -> None:
        """Compute every metric in some more resamples."""
        ranks = (*self.agents.values(), self.steps, *self.joint.values())
        everything: list[_Scores] = [*self.sets.values(), *ranks, self.coverage]
        for scores in everything:
            for variant, values in scores.samples(block).items():
                self.samples.setdefault(variant, []).extend(values)
                self.runs[variant] = scores.runs

    def n_classes(self, variant: Variant) -> int | None:
        """Over how many classes of the data a macro average goes; None for anything else."""
        if variant.classes is None:
            return None
        return next(
            scores.n_classes(variant.classes)
            for (level, naming), scores in self.sets.items()
            if (level, naming) == (variant.of, variant.names)
        )


@dataclass(frozen=True)
class Measured:
    """The parts of one attributor's runs that have any, and under which conditions they were measured."""

    rules: Rules
    resamples: int
    seed: int
    parts: Mapping[PartName, Measurement]

    def check(self, runs: Sequence[ScoredRun], rules: Rules, *, resamples: int, seed: int) -> None:
        """Make sure that it is of these runs, under these conditions.

        Raises:
            RecordError: it is not.
        """
        if (self.rules, self.resamples, self.seed) != (rules, resamples, seed):
            raise RecordError("it was measured by other rules, resamples or seed; measure anew, or give the same")
        if list(self.parts["all"].members) != list(runs):
            raise RecordError("other runs were measured than are scored; give the same runs in the same order")


def part_of(run: Compared) -> PartName:
    """Whether a run has one fault to be found or several; `all` for a run with none. Equal labels are one."""
    n_targets = len({(fault.agent, fault.mode, fault.step) for fault in run.targets})
    return "all" if not n_targets else "single" if n_targets == 1 else "multi"


def measure(runs: Sequence[ScoredRun], rules: Rules, *, resamples: int, seed: int) -> Measured:
    """Every metric over these runs and over the parts that have any, in the data and in resamples of source tasks.

    Tasks are drawn from those of all runs, and a part is what belongs to it in each draw. Runs of the same tasks give
    the same resamples for the same seed, whatever was predicted in them: so two measurements can be compared resample
    by resample.
    """
    (found,) = measure_together([runs], rules, resamples=resamples, seed=seed)
    return found


def measure_together(
    sides: Sequence[Sequence[ScoredRun]], rules: Rules, *, resamples: int, seed: int
) -> tuple[Measured, ...]:
    """The same for several attributors' answers on runs of the same source tasks; the draws are made once.

    Raises:
        RecordError: the sides have other source tasks.
    """
    groups = [sorted({run.group for run in side}) for side in sides]
    if any(other != groups[0] for other in groups):
        raise RecordError("answers on other source tasks can't be measured together; measure each by itself")
    task_of = {group: number for number, group in enumerate(groups[0])} if groups else {}
    counted = [_counted(side, task_of, rules) for side in sides]
    for block in blocks(len(task_of), resamples=resamples, seed=seed) if groups else ():
        for parts in counted:
            for part in parts.values():
                part.take(block)
    return tuple(Measured(rules, resamples, seed, parts) for parts in counted)


def averaged(draws: Sequence[Measured]) -> Measured:
    """The mean of every number over several draws of chance on the same runs, in the data and resample by resample.

    Members, classes and the counts of modes are those of the first draw.
    """
    first = draws[0]
    for name, part in first.parts.items():
        for variant in part.samples if len(draws) > 1 else ():
            columns = zip(*(draw.parts[name].samples[variant] for draw in draws), strict=True)
            part.samples[variant] = [math.fsum(values) / len(draws) for values in columns]
    return first


def _counted(runs: Sequence[ScoredRun], task_of: Mapping[str, int], rules: Rules) -> dict[PartName, Measurement]:
    """The parts that have any runs."""
    found = {name: Measurement(rules) for name in PARTS}
    for run in runs:
        compared = Compared(run, rules)
        parts = [part for name, part in found.items() if name in ("all", part_of(compared))]
        for part in parts:
            part.members.append(run)
        _count(compared, task_of[run.group], rules, parts)
    return {name: part for name, part in found.items() if part.members}


def _count(run: Compared, task: int, rules: Rules, parts: Sequence[Measurement]) -> None:
    for level, naming in _SETS:
        sets = compared_sets(run, level, naming, rules)
        if sets is not None:
            for part in parts:
                part.sets[level, naming].add(task, *sets)
    ranks = {naming: agent_rank(run, naming) for naming in _NAMINGS}
    has_step, place = step_rank(run)
    distance = step_distance(run)
    joint = {naming: joint_distance(run, naming) for naming in _NAMINGS}
    for part in parts:
        for naming, (has_agent, agent_place) in ranks.items():
            if has_agent:
                part.agents[naming].add(task, agent_place)
        if has_step:
            part.steps.add(task, place, distance)
            for naming, off in joint.items():
                part.joint[naming].add(task, None, off)
        part.coverage.add(task, run.prediction)
