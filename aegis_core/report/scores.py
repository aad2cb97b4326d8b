"""A trial in words: a set's scores, how the first differs from the others, who could not judge, published scorers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aegis_core.scoring.comparison import Difference
from aegis_core.scoring.evaluation import Metric
from aegis_core.scoring.rules import Naming, Variant
from aegis_core.scoring.standings import SetResult, Standing
from aegis_core.scoring.trial import Trial

__all__ = ["trial_text"]

_REASONS = 3


def trial_text(trial: Trial, naming: Naming) -> Iterator[str]:
    """All tables of a trial, a line at a time, columns aligned.

    Args:
        trial: what was measured.
        naming: by which comparison of agents' names; the trial holds both.
    """
    yield from _caption(trial, naming)
    for result in trial.sets:
        yield ""
        yield from _set(trial, result, naming)


def _caption(trial: Trial, naming: Naming) -> Iterator[str]:
    conditions, rules = trial.conditions, trial.conditions.rules
    yield "Per cent" + (
        f"; in brackets {conditions.confidence:.0%} bootstrap intervals over source tasks "
        f"({conditions.resamples} resamples, seed {conditions.seed})."
        if conditions.resamples
        else ", without intervals."
    )
    spelling = "as they are spelt" if naming == "strict" else "folded (case, spacing, punctuation, routing, path)"
    yield f"Names of agents are compared {spelling}. To be found: faults with role {', '.join(rules.roles)}."
    yield "Both: agent and step of one and the same fault, over the runs whose labels say a step."
    yield "Macro averages go over the paper's classes: those in the truth, for modes the fourteen of MAST."
    training = trial.training
    if training is None:
        return
    if training.folds is not None:
        where = "all sets together" if training.pooled else "the same set"
        yield f"* trained on labels of {where}, out of {training.folds} folds; a source task is in one fold only."
        return
    shared = f"; {training.shared} more left out, as their source tasks are judged here" if training.shared else ""
    yield f"* trained on {training.runs} runs of their own{shared}."


def _set(trial: Trial, result: SetResult, naming: Naming) -> Iterator[str]:
    whose = result.standings[0].evaluation.origin
    clean = result.standings[0].evaluation.part("all").coverage.clean
    faultless = f", {clean} of them without any fault" if clean else ""
    left_out = f"; {result.without_labels} more left out, without labels" if result.without_labels else ""
    yield (
        f"{result.name}: {result.runs} runs of {result.tasks} source tasks{faultless}, labels of {whose or 'nobody'}"
        f"{left_out}"
    )
    for title, variants in _columns(trial, naming):
        # What the labels don't say can't be scored, for all alike: a mode, or a step.
        able = [variant for variant in variants if any(_found(one, variant).runs for one in result.standings)]
        rows = [[_called(one), *(_metric(_found(one, variant)) for variant in able)] for one in result.standings]
        if able:
            yield ""
            yield from _aligned([title, *map(_head, able)], rows)
    yield ""
    counted = ["runs", "answered", "abstained", "not judged", *(["faultless, yet blamed"] if clean else [])]
    yield from _aligned(counted, [[one.name, *_coverage(one)][: len(counted)] for one in result.standings])
    yield from _reasons(result)
    yield from _differences(trial, result, naming)
    yield from _published(result)
    for name, reason in result.left_out.items():
        yield f"left out: {name}: {reason}"


def _columns(trial: Trial, naming: Naming) -> Iterator[tuple[str, list[Variant]]]:
    """Titles and columns of the tables of metrics."""
    rules = trial.conditions.rules
    yield "who and where", _primary(trial, naming)
    first = [Variant(measure="top", of="agent", names=naming, k=k) for k in rules.top]
    yield "among the first", [*first, *(Variant(measure="top", of="step", k=k) for k in rules.top)]
    yield "as sets", [
        Variant(measure="f1", of=of, average=average, classes="paper" if average == "macro" else None,
                names=None if of == "error" else naming)
        for of in ("pair", "agent", "error")
        for average in ("micro", "macro")
    ]  # fmt: skip


def _main(trial: Trial, naming: Naming) -> list[Variant]:
    """Who, where, and both, as exactly as was asked for."""
    nearest = trial.conditions.rules.within[:1]
    return [
        Variant(measure="accuracy", of="agent", names=naming),
        *(Variant(measure="accuracy", of="step", within=within) for within in nearest),
        *(Variant(measure="accuracy", of="joint", names=naming, within=within) for within in nearest),
    ]


def _primary(trial: Trial, naming: Naming) -> list[Variant]:
    return [
        *_main(trial, naming),
        *(Variant(measure="accuracy", of="step", within=within) for within in trial.conditions.rules.within[1:]),
    ]


def _head(variant: Variant) -> str:
    if variant.measure == "accuracy":
        what = "both" if variant.of == "joint" else variant.of
        return what if variant.within is None else f"{what} ±{variant.within}" if variant.within else f"{what} exact"
    if variant.measure == "top":
        return f"{variant.k}: {variant.of}"
    return f"{'mode' if variant.of == 'error' else variant.of} {'µ' if variant.average == 'micro' else 'M'}F1"


def _called(one: Standing) -> str:
    name = f"{one.name}, mean of {one.draws} seeds" if one.draws > 1 else one.name
    return f"{name} *" if one.is_trained else name


def _found(one: Standing, variant: Variant) -> Metric:
    return one.evaluation.part("all").metric(variant)


def _metric(metric: Metric) -> str:
    return _numbers(metric.value, metric.low, metric.high, "{:.1f}")


def _numbers(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None:
        return "-"
    ends = f" [{form.format(100 * low)}, {form.format(100 * high)}]" if low is not None and high is not None else ""
    return form.format(100 * value) + ends


def _coverage(one: Standing) -> list[str]:
    counted = one.evaluation.part("all").coverage
    return [str(n) for n in (counted.answered, counted.abstained, counted.not_judged, counted.clean_blamed)]


def _reasons(result: SetResult) -> Iterator[str]:
    """Why runs were not judged; they count as wrong."""
    for one in result.standings:
        reasons = one.evaluation.part("all").coverage.reasons
        for reason, count in list(reasons.items())[:_REASONS]:
            yield f"could not be judged, and counted as wrong: {one.name}, {count} runs: {reason}"
        if len(reasons) > _REASONS:
            yield f"  and {len(reasons) - _REASONS} more reasons (--json has them all)"


def _differences(trial: Trial, result: SetResult, naming: Naming) -> Iterator[str]:
    if not result.comparisons:
        return
    variants = [*_main(trial, naming), Variant(measure="f1", of="pair", average="micro", names=naming)]
    shown = [
        variant
        for variant in variants
        if any(one.part("all").difference(variant).difference is not None for one in result.comparisons)
    ]
    if not shown:
        return
    yield ""
    yield from _aligned(
        [f"{result.comparisons[0].first} less", *(_head(variant) for variant in shown)],
        [
            [one.second, *(_difference(one.part("all").difference(variant)) for variant in shown)]
            for one in result.comparisons
        ],
    )
    yield "Paired on the same resamples, ! where the interval leaves out 0; not corrected for how many are looked at."


def _difference(found: Difference) -> str:
    return _numbers(found.difference, found.low, found.high, "{:+.1f}") + (" !" if found.is_clear else "")


def _published(result: SetResult) -> Iterator[str]:
    heads: list[str] = []
    rows: list[list[str]] = []
    for one in result.standings:
        if one.published is None:
            return
        cells: dict[str, str] = {}
        theirs, fork = one.published.who_and_when, one.published.aegis_fork
        if theirs is not None:
            cells |= {"W&W agent": f"{theirs.agent_accuracy:.1f}", "W&W step": f"{theirs.step_accuracy:.1f}"}
        for name, level in (("pair", fork.pair), ("agent", fork.agent), ("mode", fork.error)) if fork else ():
            cells |= {
                f"fork {name} µF1": f"{100 * level.micro_f1:.1f}", f"fork {name} MF1": f"{100 * level.macro_f1:.1f}"
            }  # fmt: skip
        heads += [head for head in cells if head not in heads]
        rows.append([_called(one), *(cells.get(head, "-") for head in heads)])
    if heads:
        yield ""
        yield from _aligned(["as published", *heads], [row + ["-"] * (len(heads) + 1 - len(row)) for row in rows])
        yield "By the published scorers, with their faults: to compare with printed figures, not to judge by."


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
