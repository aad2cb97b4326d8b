"""Every metric over all runs and over parts of them, in the data and in every resample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, get_args

from aegis_core.scoring.bootstrap import Block, Samples, blocks
from aegis_core.scoring.coverage import CoverageScores
from aegis_core.scoring.localisation import RankScores, agent_rank, step_distance, step_rank
from aegis_core.scoring.rules import Level, Naming, Rules, Variant
from aegis_core.scoring.runs import Compared, ScoredRun
from aegis_core.scoring.sets import SetScores, compared_sets

__all__ = ["PARTS", "Measurement", "PartName", "measure", "part_of"]

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
        self.coverage = CoverageScores()
        self.samples: dict[Variant, Samples] = {}
        self.runs: dict[Variant, int] = {}

    def take(self, block: Block) -> None:
        """Compute every metric in some more resamples."""
        everything: list[_Scores] = [*self.sets.values(), *self.agents.values(), self.steps, self.coverage]
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


def part_of(run: Compared) -> PartName:
    """Whether a run has one fault to be found or several; `all` for a run with none. Equal labels are one."""
    n_targets = len({(fault.agent, fault.mode, fault.step) for fault in run.targets})
    return "all" if not n_targets else "single" if n_targets == 1 else "multi"


def measure(runs: Sequence[ScoredRun], rules: Rules, *, resamples: int, seed: int) -> dict[PartName, Measurement]:
    """Every metric over these runs and over the parts that have any, in the data and in resamples of source tasks.

    Tasks are drawn from those of all runs, and a part is what belongs to it in each draw. Runs of the same tasks give
    the same resamples for the same seed, whatever was predicted in them: so two measurements can be compared resample
    by resample.
    """
    task_of = {group: number for number, group in enumerate(sorted({run.group for run in runs}))}
    found = {name: Measurement(rules) for name in PARTS}
    for run in runs:
        compared = Compared(run, rules)
        parts = [part for name, part in found.items() if name in ("all", part_of(compared))]
        for part in parts:
            part.members.append(run)
        _count(compared, task_of[run.group], rules, parts)
    occupied = {name: part for name, part in found.items() if part.members}
    for block in blocks(len(task_of), resamples=resamples, seed=seed):
        for part in occupied.values():
            part.take(block)
    return occupied


def _count(run: Compared, task: int, rules: Rules, parts: Sequence[Measurement]) -> None:
    for level, naming in _SETS:
        sets = compared_sets(run, level, naming, rules)
        if sets is not None:
            for part in parts:
                part.sets[level, naming].add(task, *sets)
    ranks = {naming: agent_rank(run, naming) for naming in _NAMINGS}
    has_step, place = step_rank(run)
    distance = step_distance(run)
    for part in parts:
        for naming, (has_agent, agent_place) in ranks.items():
            if has_agent:
                part.agents[naming].add(task, agent_place)
        if has_step:
            part.steps.add(task, place, distance)
        part.coverage.add(task, run.prediction)
