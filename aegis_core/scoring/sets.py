r"""Pair, agent and error F1: truth and prediction of each run compared as sets.

Definitions: paper, section 5, and the fork's `evaluation/get_numbers.py`, exactly where the variant says `paper` and
`strict`. For a run with true set G and predicted set P, TP is |G ∩ P|, FP |P \ G| and FN |G \ P|; a run without
both adds nothing. Micro: these are summed over runs, then F1 = 2 TP / (2 TP + FP + FN). Macro: the same for each class
alone, then the plain mean over the classes of the class set. Wherever it would be 0/0, the number is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from operator import add
from typing import Literal

from pydantic import Field

from aegis_core.attribution import Blame
from aegis_core.faults import Fault
from aegis_core.records import Record
from aegis_core.scoring.bootstrap import Block, Counts, Samples
from aegis_core.scoring.rules import MAST_IDS, ClassSet, Level, Measure, Naming, Rules, Variant
from aegis_core.scoring.runs import Compared

__all__ = ["Item", "ModeScore", "SetScores", "compared_sets"]

Item = tuple[str, ...]
"""A member of a set: (agent, mode), (agent,) or (mode,)."""
_PAPER_MODES = frozenset((mode,) for mode in MAST_IDS)


class ModeScore(Record):
    """How well one mode was found: counts over runs, and precision, recall and F1 from them (0/0 is 0)."""

    mode: str
    true_positives: int = Field(ge=0)
    false_positives: int = Field(ge=0)
    false_negatives: int = Field(ge=0)
    precision: float
    recall: float
    f1: float


def compared_sets(
    run: Compared, level: Level, naming: Naming | None, rules: Rules
) -> tuple[frozenset[Item], frozenset[Item]] | None:
    """The true and the predicted set of a run at a level; None if the run is outside of that level.

    A run is outside if it has faults but none that the level scores (they are the environment's, or have other
    roles), or if one of those that are to be found lacks its mode, at the levels that compare modes. A clean run is
    inside with an empty truth. Blames of the environment are passed over where its faults are.
    """
    with_environment = level == "error" and rules.environment
    true, said = (run.targets, run.said) if with_environment else (run.faults, run.blames)
    if not true and not run.is_clean:
        return None
    if level != "agent" and not all(fault.mode for fault in true):
        return None
    spell = run.names.folded if naming == "folded" else run.names.strict
    return _items(true, level, spell), _items(said, level, spell)


def _items(blamed: Iterable[Fault | Blame], level: Level, spell: Callable[[str], str]) -> frozenset[Item]:
    if level == "error":
        return frozenset((one.mode,) for one in blamed if one.mode)
    if level == "agent":
        return frozenset((agent,) for one in blamed if (agent := spell(one.agent)))
    return frozenset((agent, one.mode) for one in blamed if one.mode and (agent := spell(one.agent)))


class SetScores:
    """F1 of one level and one way of naming agents, over runs that are added one by one."""

    def __init__(self, level: Level, naming: Naming | None) -> None:
        self._level, self._naming = level, naming
        self._runs: Counts = {}
        self._total: tuple[Counts, Counts, Counts] = ({}, {}, {})
        self._classes: dict[Item, tuple[Counts, Counts, Counts]] = {}
        """TP, FP and FN by source task."""

    @property
    def runs(self) -> int:
        """How many runs were added."""
        return sum(self._runs.values())

    def add(self, task: int, true: AbstractSet[Item], said: AbstractSet[Item]) -> None:
        """Add the sets of one run of a source task."""
        self._runs[task] = self._runs.get(task, 0) + 1
        for kind, items in enumerate((true & said, said - true, true - said)):
            if items:
                total = self._total[kind]
                total[task] = total.get(task, 0) + len(items)
            for item in items:
                if item not in self._classes:
                    self._classes[item] = ({}, {}, {})
                counts = self._classes[item][kind]
                counts[task] = counts.get(task, 0) + 1

    def samples(self, block: Block) -> dict[Variant, Samples]:
        """Micro precision, recall and F1, and macro F1 over each class set; NaN where no run was drawn."""
        drawn = block.column(self._runs)
        found = {**self._micro(block), **self._macro(block)}
        return {
            variant: [value if n else math.nan for value, n in zip(values, drawn, strict=True)]
            for variant, values in found.items()
        }

    def modes(self) -> tuple[ModeScore, ...]:
        """The score of each mode: the fourteen of MAST, then others that occur, by name."""
        others = sorted(item for item in self._classes if item not in _PAPER_MODES)
        return tuple(
            _mode_score(item[0], self._classes.get(item, ({}, {}, {}))) for item in [*sorted(_PAPER_MODES), *others]
        )

    def n_classes(self, classes: ClassSet) -> int:
        """Over how many classes a macro average of the data is taken."""
        if classes == "paper" and self._level == "error":
            return len(_PAPER_MODES)
        return sum(classes == "union" or bool(tp or fn) for tp, _, fn in self._classes.values())

    def _micro(self, block: Block) -> dict[Variant, Samples]:
        counts = list(zip(*map(block.column, self._total), strict=True))
        return {
            self._variant("precision", "micro"): [_ratio(tp, tp + fp) for tp, fp, _ in counts],
            self._variant("recall", "micro"): [_ratio(tp, tp + fn) for tp, _, fn in counts],
            self._variant("f1", "micro"): [_ratio(2 * tp, 2 * tp + fp + fn) for tp, fp, fn in counts],
        }

    def _macro(self, block: Block) -> dict[Variant, Samples]:
        """Means over classes. The class sets share the sum: a class that is not in the truth has an F1 of 0."""
        total, of_paper = [0.0] * block.size, [0.0] * block.size
        observed, extra = [0] * block.size, [0] * block.size
        for item in sorted(self._classes):  # sorted: sums of floats depend on their order
            both, said, true = self._classes[item]
            tp, fp, fn = block.column(both), block.column(said), block.column(true)
            support = list(map(add, tp, fn))
            if min(support):
                observed = [n + 1 for n in observed]
            else:  # a rare class, or one that is only predicted: it is not in every resample
                observed = [n + (known > 0) for n, known in zip(observed, support, strict=True)]
                extra = [n + (false > 0 and not known) for n, false, known in zip(extra, fp, support, strict=True)]
            if both:
                f1 = [
                    2 * n / (n + known + false) if n else 0.0 for n, known, false in zip(tp, support, fp, strict=True)
                ]
                total = list(map(add, total, f1))
                if item in _PAPER_MODES:
                    of_paper = list(map(add, of_paper, f1))
        is_error = self._level == "error"
        means: dict[ClassSet, tuple[list[float], list[int]]] = {
            "paper": (of_paper, [len(_PAPER_MODES)] * block.size) if is_error else (total, observed),
            "observed": (total, observed),
            "union": (total, list(map(add, observed, extra))),
        }
        return {
            self._variant("f1", "macro", classes): list(map(_ratio, sums, numbers))
            for classes, (sums, numbers) in means.items()
        }

    def _variant(
        self, measure: Measure, average: Literal["micro", "macro"], classes: ClassSet | None = None
    ) -> Variant:
        return Variant(measure=measure, of=self._level, average=average, classes=classes, names=self._naming)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _mode_score(mode: str, counts: tuple[Counts, Counts, Counts]) -> ModeScore:
    tp, fp, fn = (sum(by_task.values()) for by_task in counts)
    return ModeScore(
        mode=mode,
        true_positives=tp,
        false_positives=fp,
        false_negatives=fn,
        precision=_ratio(tp, tp + fp),
        recall=_ratio(tp, tp + fn),
        f1=_ratio(2 * tp, 2 * tp + fp + fn),
    )
