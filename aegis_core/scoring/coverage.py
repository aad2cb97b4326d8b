"""What became of the runs: answered, abstained or not judged; and answers that name what the run does not have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from aegis_core.attribution import Attribution
from aegis_core.records import Record
from aegis_core.scoring.bootstrap import Block, Counts, Samples
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.rules import Rules, Variant
from aegis_core.scoring.runs import Compared, ScoredRun

__all__ = ["Coverage", "CoverageScores", "coverage"]


class Coverage(Record):
    """Counts of runs, and of blames. `runs` is the sum of `answered`, `abstained` and `not_judged`."""

    runs: int = Field(ge=0)
    tasks: int = Field(ge=0)
    """Source tasks that they come from."""
    answered: int = Field(ge=0)
    abstained: int = Field(ge=0)
    not_judged: int = Field(ge=0)
    reasons: dict[str, int]
    """Why runs were not judged, the most frequent reason first."""
    without_blame: int = Field(ge=0)
    """Answered runs in which nobody was blamed."""
    clean: int = Field(ge=0)
    """Runs without any fault."""
    clean_blamed: int = Field(ge=0)
    """Of those, how many somebody was blamed for all the same."""
    environment_only: int = Field(ge=0)
    """Runs whose faults are all the environment's, outside of pairs, agents and steps."""
    other_roles_only: int = Field(ge=0)
    """Runs with faults, none with a role that is to be found: outside of every metric of faults."""
    blames: int = Field(ge=0)
    respelt: int = Field(ge=0)
    """Blames whose agent is found by folding only."""
    strangers: int = Field(ge=0)
    """Blames whose agent is not in the run, folded or not."""
    no_such_step: int = Field(ge=0)
    """Blames at a step that the run does not have."""


def coverage(runs: Sequence[ScoredRun], rules: Rules) -> Coverage:
    """Count what became of the runs."""
    reasons = Counter(run.not_judged for run in runs if run.not_judged)
    abstained = sum(run.prediction is not None and bool(run.prediction.abstained) for run in runs)
    clean = [run for run in runs if not run.truth]
    named = [
        (run, blame, names.agent(blame.agent))
        for run in runs
        for names in (RunNames(run.agents),)
        for blame in run.blames
    ]
    return Coverage(
        runs=len(runs),
        tasks=len({run.group for run in runs}),
        answered=len(runs) - abstained - sum(reasons.values()),
        abstained=abstained,
        not_judged=sum(reasons.values()),
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        without_blame=sum(
            run.prediction is not None and not run.prediction.abstained and not run.blames for run in runs
        ),
        clean=len(clean),
        clean_blamed=sum(bool(run.blames) for run in clean),
        environment_only=sum(_is_environment_only(Compared(run, rules)) for run in runs),
        other_roles_only=sum(bool(run.truth) and not Compared(run, rules).targets for run in runs),
        blames=len(named),
        respelt=sum(agent is not None and agent != blame.agent.strip() for _, blame, agent in named),
        strangers=sum(agent is None for _, _, agent in named),
        no_such_step=sum(blame.step is not None and blame.step >= run.steps for run, blame, _ in named),
    )


def _is_environment_only(run: Compared) -> bool:
    return bool(run.targets) and not run.faults


class CoverageScores:
    """Parse rate (share of runs that could be judged) and abstention rate, over runs that are added one by one."""

    def __init__(self) -> None:
        self._runs: Counts = {}
        self._judged: Counts = {}
        self._abstained: Counts = {}

    @property
    def runs(self) -> int:
        """How many runs were added."""
        return sum(self._runs.values())

    @property
    def tasks(self) -> int:
        """How many source tasks they come from."""
        return len(self._runs)

    def add(self, task: int, prediction: Attribution | None) -> None:
        """Add what was said of one run of a source task."""
        self._runs[task] = self._runs.get(task, 0) + 1
        if prediction is not None:
            self._judged[task] = self._judged.get(task, 0) + 1
            if prediction.abstained:
                self._abstained[task] = self._abstained.get(task, 0) + 1

    def samples(self, block: Block) -> dict[Variant, Samples]:
        """The two rates; NaN where no run was drawn."""
        runs = block.column(self._runs)
        return {
            variant: [part / n if n else math.nan for part, n in zip(block.column(counts), runs, strict=True)]
            for variant, counts in (
                (Variant(measure="parse_rate", of="run"), self._judged),
                (Variant(measure="abstention_rate", of="run"), self._abstained),
            )
        }
