"""Agent, step and joint accuracy, top-k and mean reciprocal rank: where the true cause stands among the suspects.

Suspects are the blames in their order, each agent (or step) once. A run with several causes is hit if any of them is:
the question is whether the list leads to a cause, not whether it holds all. A blame that names no step, or blames the
environment, is an answer all the same and takes its rank. Runs count whose truth names an agent (or a step) that is to
be found; an abstention and a run that could not be judged are wrong.

Joint accuracy asks for agent and step of one and the same cause: the agent of one and the step of another don't count.
It goes over the runs with a cause whose step is known, as step accuracy does; how many steps a hit may be off, too.

Who&When (arXiv 2505.00212) calls accuracy what is here accuracy with `strict` names, and with the exact step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from aegis_core.scoring.bootstrap import Block, Counts, Samples
from aegis_core.scoring.rules import Naming, Rules, Variant
from aegis_core.scoring.runs import Compared, is_environment

_Of = Literal["agent", "step", "joint"]

__all__ = ["RankScores", "agent_rank", "joint_distance", "rank", "step_distance", "step_rank"]


def rank(suspects: Iterable[str | int | None], wanted: AbstractSet[str | int]) -> int | None:
    """The place (from 1) of the first suspect that is wanted, counting each once; None if none is.

    None among the suspects is an answer that names nobody: it takes a place each time.
    """
    seen: set[str | int] = set()
    place = 0
    for suspect in suspects:
        if suspect is None:
            place += 1
        elif suspect not in seen:
            place += 1
            seen.add(suspect)
            if suspect in wanted:
                return place
    return None


def agent_rank(run: Compared, naming: Naming) -> tuple[bool, int | None]:
    """Whether the truth names an agent, and the place of the first suspect agent that is a cause."""
    spell = run.names.strict if naming == "strict" else run.names.folded
    wanted = {spell(fault.agent) for fault in run.faults}
    return bool(wanted), rank((None if is_environment(blame) else spell(blame.agent) for blame in run.said), wanted)


def step_rank(run: Compared) -> tuple[bool, int | None]:
    """Whether the truth names a step, and the place of the first suspect step at which a cause stands."""
    wanted = _true_steps(run)
    return bool(wanted), rank((None if is_environment(blame) else blame.step for blame in run.said), wanted)


def step_distance(run: Compared) -> int | None:
    """How many steps the first blame is away from the nearest cause; None where either names no step."""
    first = _placed(run)
    if first is None:
        return None
    return min((abs(first[1] - step) for step in _true_steps(run)), default=None)


def joint_distance(run: Compared, naming: Naming) -> int | None:
    """How many steps the first blame is away from the nearest cause of the agent that it blames; None without one."""
    first = _placed(run)
    if first is None:
        return None
    agent, step_said = first
    spell = run.names.strict if naming == "strict" else run.names.folded
    blamed = spell(agent)
    steps = (fault.step for fault in run.faults if fault.step is not None and spell(fault.agent) == blamed)
    return min((abs(step_said - step) for step in steps), default=None)


def _placed(run: Compared) -> tuple[str, int] | None:
    """Agent and step of the first blame, if it names a step that the run has; one beyond its end is near nothing."""
    first = run.said[0] if run.said else None
    if first is None or first.step is None or first.step >= run.steps or is_environment(first):
        return None
    return first.agent, first.step


def _true_steps(run: Compared) -> set[int]:
    return {fault.step for fault in run.faults if fault.step is not None}


class RankScores:
    """Accuracy, top-k and mean reciprocal rank over runs that are added one by one; of `joint` accuracy alone.

    Args:
        of: what was looked for.
        naming: how agents were compared; None for steps.
        rules: `within` and `top`.
    """

    def __init__(self, of: _Of, naming: Naming | None, rules: Rules) -> None:
        self._of: _Of = of
        self._naming, self._rules = naming, rules
        self._runs: Counts = {}
        self._ranks: dict[int, Counts] = {}
        self._near: dict[int, Counts] = {}

    @property
    def runs(self) -> int:
        """How many runs were added."""
        return sum(self._runs.values())

    def add(self, task: int, place: int | None, distance: int | None = None) -> None:
        """Add one run of a source task: the place of the first hit, and how many steps the first blame is off."""
        _count(self._runs, task)
        if place is not None:
            _count(self._ranks.setdefault(place, {}), task)
        for within in self._rules.within:
            if distance is not None and distance <= within:
                _count(self._near.setdefault(within, {}), task)

    def samples(self, block: Block) -> dict[Variant, Samples]:
        """Accuracy, top-k and mean reciprocal rank; NaN where no run was drawn."""
        runs = block.column(self._runs)
        if self._of == "joint":
            return self._accuracies(block, runs)
        places = sorted(self._ranks)
        columns = {place: block.column(self._ranks[place]) for place in places}

        def mean(weights: Mapping[int, float]) -> Samples:
            totals = [0.0] * block.size
            for place, weight in weights.items():
                totals = [total + weight * hits for total, hits in zip(totals, columns[place], strict=True)]
            return [total / n if n else math.nan for total, n in zip(totals, runs, strict=True)]

        def top(k: int) -> Samples:
            return mean({place: 1.0 for place in places if place <= k})

        found = {self._variant("top", k=k): top(k) for k in self._rules.top}
        found[self._variant("mrr")] = mean({place: 1 / place for place in places})
        if self._of == "agent":
            found[self._variant("accuracy")] = top(1)
        else:
            found |= self._accuracies(block, runs)
        return found

    def _accuracies(self, block: Block, runs: Sequence[int]) -> dict[Variant, Samples]:
        """Accuracy within so many steps."""
        found = {}
        for within in self._rules.within:
            near = block.column(self._near.get(within, {}))
            found[self._variant("accuracy", within=within)] = [
                hits / n if n else math.nan for hits, n in zip(near, runs, strict=True)
            ]
        return found

    def _variant(
        self, measure: Literal["accuracy", "top", "mrr"], k: int | None = None, within: int | None = None
    ) -> Variant:
        return Variant(measure=measure, of=self._of, names=self._naming, k=k, within=within)


def _count(counts: Counts, task: int) -> None:
    counts[task] = counts.get(task, 0) + 1
