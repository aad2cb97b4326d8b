"""The evaluation of one attributor: every metric by name, with its interval, for all runs and by number of targets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from pydantic import Field

from aegis_core.errors import RecordError
from aegis_core.records import FileRecord, Record
from aegis_core.scoring.bootstrap import check_bootstrap, interval
from aegis_core.scoring.coverage import Coverage, coverage
from aegis_core.scoring.measurement import Measured, Measurement, PartName, measure
from aegis_core.scoring.rules import Rules, Variant
from aegis_core.scoring.runs import ScoredRun
from aegis_core.scoring.sets import ModeScore

__all__ = ["Evaluation", "Metric", "Part", "check_runs", "evaluate"]


class Metric(Record):
    """One number. `value`, `low` and `high` lie between 0 and 1.

    `low` and `high` are the ends of the bootstrap interval; None where there are no resamples, or one source task
    alone. `value` is None where no run counts. `runs` is how many do, `n_classes` over how many classes a macro
    average goes.
    """

    variant: Variant
    value: float | None
    low: float | None = None
    high: float | None = None
    runs: int = Field(ge=0)
    n_classes: int | None = None


class Part(Record):
    """The metrics of all runs, or of those with one target (`single`) or several (`multi`)."""

    name: PartName
    coverage: Coverage
    metrics: tuple[Metric, ...]
    modes: tuple[ModeScore, ...]
    """How well each mode was found, regardless of the agent."""

    def metric(self, variant: Variant) -> Metric:
        """The number of this variant.

        Raises:
            RecordError: it was not measured; the message lists the measures that were.
        """
        for metric in self.metrics:
            if metric.variant == variant:
                return metric
        known = ", ".join(metric.variant.title for metric in self.metrics)
        raise RecordError(f"{variant.title!r} was not measured; measured were: {known}")


class Evaluation(FileRecord):
    """What an attributor is worth on labelled runs, with all that the numbers depend on.

    Intervals are percentile intervals of a bootstrap that draws source tasks; they cover `confidence` of `resamples`
    resamples. `single` and `multi` are missing among the parts where there are no such runs; clean runs are in `all`
    only.
    """

    attributor: str
    origin: str
    """Whose labels were taken for the truth."""
    rules: Rules
    seed: int = Field(ge=0)
    resamples: int = Field(ge=0)
    confidence: float = Field(gt=0, lt=1)
    parts: tuple[Part, ...]

    def part(self, name: PartName) -> Part:
        """One part.

        Raises:
            RecordError: no run belongs to it.
        """
        for part in self.parts:
            if part.name == name:
                return part
        raise RecordError(f"the evaluation has no part {name!r}, only {', '.join(part.name for part in self.parts)}")


def evaluate(
    runs: Iterable[ScoredRun],
    *,
    seed: int,
    resamples: int = 1000,
    confidence: float = 0.95,
    rules: Rules | None = None,
    attributor: str = "",
    measured: Measured | None = None,
) -> Evaluation:
    """Score the answers of one attributor.

    Args:
        runs: truth and prediction of every run, each run once; `judge` makes them.
        seed: decides the resamples; the same seed and runs, in any order, give the same evaluation.
        resamples: how many resamples of the source tasks, 0 for no intervals.
        confidence: what the intervals cover.
        rules: what counts; None for the defaults.
        attributor: its name; by default what the predictions say.
        measured: these runs as `measure_together` measured them; without it they are measured here.

    Raises:
        RecordError: there are no runs, or one occurs twice; there is no bootstrap with these numbers; or something
            else was measured.
    """
    check_bootstrap(resamples, confidence)
    rules, scored = rules or Rules(), check_runs(runs)
    if measured is None:
        measured = measure(scored, rules, resamples=resamples, seed=seed)
    measured.check(scored, rules, resamples=resamples, seed=seed)
    named = Counter(run.prediction.attributor for run in scored if run.prediction is not None)
    return Evaluation(
        attributor=attributor or ", ".join(sorted(filter(None, named))),
        origin=", ".join(sorted({fault.origin for run in scored for fault in run.truth})),
        rules=rules,
        seed=seed,
        resamples=resamples,
        confidence=confidence,
        parts=tuple(_part(name, part, rules, confidence) for name, part in measured.parts.items()),
    )


def check_runs(runs: Iterable[ScoredRun]) -> tuple[ScoredRun, ...]:
    """The runs, if there are any and each is there once.

    Raises:
        RecordError: there are none, or some occur twice.
    """
    scored = tuple(runs)
    if not scored:
        raise RecordError("there are no runs to score; give at least one labelled run")
    twice = [run_id for run_id, n in Counter(run.run_id for run in scored).items() if n > 1]
    if twice:
        raise RecordError(
            f"{len(twice)} runs occur more than once, for example {twice[0]!r}; each counts once, so give each an id "
            "of its own, or leave the copies out"
        )
    return scored


def _part(name: PartName, measured: Measurement, rules: Rules, confidence: float) -> Part:
    counted = coverage(measured.members, rules)
    metrics = []
    for variant, samples in measured.samples.items():
        ends = interval(samples[1:], confidence) if counted.tasks > 1 else None
        metrics.append(
            Metric(
                variant=variant,
                value=None if math.isnan(samples[0]) else samples[0],
                low=ends.low if ends else None,
                high=ends.high if ends else None,
                runs=measured.runs[variant],
                n_classes=measured.n_classes(variant),
            )
        )
    return Part(name=name, coverage=counted, metrics=tuple(metrics), modes=measured.sets["error", None].modes())
