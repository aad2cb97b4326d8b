"""The difference between two attributors on the same runs, by paired bootstrap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pydantic import Field

from aegis_core.errors import RecordError
from aegis_core.records import FileRecord, Record
from aegis_core.scoring.bootstrap import Samples, check_bootstrap, interval
from aegis_core.scoring.evaluation import check_runs
from aegis_core.scoring.measurement import Measured, Measurement, PartName, measure_together
from aegis_core.scoring.rules import Rules, Variant
from aegis_core.scoring.runs import ScoredRun

__all__ = ["ComparedPart", "Comparison", "Difference", "compare"]


class Difference(Record):
    """One number of two attributors, and the first minus the second with its interval.

    `difference`, `low` and `high` lie between -1 and 1, and are None where a number is not defined, or without an
    interval. `first_is_better` is the share of resamples in which the difference is above 0, ties counted half.
    """

    variant: Variant
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    first_is_better: float | None = None
    runs: int = Field(ge=0)

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class ComparedPart(Record):
    """The differences over all runs, or over those with one target or several."""

    name: PartName
    runs: int = Field(ge=0)
    tasks: int = Field(ge=0)
    differences: tuple[Difference, ...]

    def difference(self, variant: Variant) -> Difference:
        """The difference in this variant.

        Raises:
            RecordError: it was not measured.
        """
        for found in self.differences:
            if found.variant == variant:
                return found
        raise RecordError(f"{variant.title!r} was not measured")


class Comparison(FileRecord):
    """Two attributors on the same runs. In each resample both are scored on the same source tasks."""

    first: str
    second: str
    rules: Rules
    seed: int = Field(ge=0)
    resamples: int = Field(ge=0)
    confidence: float = Field(gt=0, lt=1)
    parts: tuple[ComparedPart, ...]

    def part(self, name: PartName) -> ComparedPart:
        """One part.

        Raises:
            RecordError: no run belongs to it.
        """
        for part in self.parts:
            if part.name == name:
                return part
        raise RecordError(f"the comparison has no part {name!r}, only {', '.join(part.name for part in self.parts)}")


def compare(
    first: Iterable[ScoredRun],
    second: Iterable[ScoredRun],
    *,
    seed: int,
    resamples: int = 1000,
    confidence: float = 0.95,
    rules: Rules | None = None,
    names: tuple[str, str] | None = None,
    measured: tuple[Measured, Measured] | None = None,
) -> Comparison:
    """Compare the answers of two attributors on the same labelled runs.

    The differences are not corrected for how many of them there are: say beforehand which one decides.

    Args:
        first: truth and prediction of every run by one attributor.
        second: those by the other; the same runs with the same truth, in any order.
        seed: decides the resamples.
        resamples: how many resamples of the source tasks, 0 for no intervals.
        confidence: what the intervals cover.
        rules: what counts; None for the defaults.
        names: of the attributors; by default what their predictions say.
        measured: both sides as `measure_together` measured them; without it they are measured here.

    Raises:
        RecordError: the two are not about the same runs, groups and faults; and as `evaluate`.
    """
    check_bootstrap(resamples, confidence)
    rules, one, other = rules or Rules(), check_runs(first), check_runs(second)
    _check_matched(one, other)
    if measured is None:
        ours, theirs = measure_together((one, other), rules, resamples=resamples, seed=seed)
    else:
        ours, theirs = measured
    for side, found in ((one, ours), (other, theirs)):
        found.check(side, rules, resamples=resamples, seed=seed)
    called = names or (_name(one), _name(other))
    return Comparison(
        first=called[0],
        second=called[1],
        rules=rules,
        seed=seed,
        resamples=resamples,
        confidence=confidence,
        parts=tuple(_part(name, part, theirs.parts[name], confidence) for name, part in ours.parts.items()),
    )


def _check_matched(one: Sequence[ScoredRun], other: Sequence[ScoredRun]) -> None:
    """Make sure that both are about the same runs with the same truth, in whatever order."""
    by_id = {run.run_id: run for run in other}
    missing = sorted({run.run_id for run in one} ^ set(by_id))
    if missing:
        raise RecordError(
            f"{len(missing)} runs were scored for one attributor only, for example {missing[0]!r}; a paired comparison "
            "needs both on the same runs"
        )
    for run in one:
        twin = by_id[run.run_id]
        if (twin.truth, twin.group) != (run.truth, run.group):
            raise RecordError(
                f"run {run.run_id} has another truth or group on the two sides; score both from one source"
            )


def _name(runs: Sequence[ScoredRun]) -> str:
    return ", ".join(sorted({run.prediction.attributor for run in runs if run.prediction is not None} - {""}))


def _part(name: PartName, first: Measurement, second: Measurement, confidence: float) -> ComparedPart:
    return ComparedPart(
        name=name,
        runs=first.coverage.runs,
        tasks=first.coverage.tasks,
        differences=tuple(
            _difference(variant, samples, second.samples[variant], first, confidence)
            for variant, samples in first.samples.items()
        ),
    )


def _difference(
    variant: Variant, first: Samples, second: Samples, measured: Measurement, confidence: float
) -> Difference:
    differences = [one - other for one, other in zip(first, second, strict=True)]
    defined = [value for value in differences[1:] if not math.isnan(value)]
    ends = interval(defined, confidence) if measured.coverage.tasks > 1 else None
    better = sum(1.0 if value > 0 else 0.5 if value == 0 else 0.0 for value in defined)
    return Difference(
        variant=variant,
        first=_defined(first[0]),
        second=_defined(second[0]),
        difference=_defined(differences[0]),
        low=ends.low if ends else None,
        high=ends.high if ends else None,
        first_is_better=better / len(defined) if ends else None,
        runs=measured.runs[variant],
    )


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
