"""A trial in words: a set's scores, how the first differs from the others, who could not judge, published scorers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aegis_core.scoring.comparison import Difference
from aegis_core.scoring.coverage import Coverage
from aegis_core.scoring.evaluation import Metric
from aegis_core.scoring.measurement import PartName
from aegis_core.scoring.rules import ClassSet, Level, Naming, Variant
from aegis_core.scoring.standings import SetResult, Standing
from aegis_core.scoring.trial import Trial

__all__ = ["trial_text"]

_REASONS = 3
_DOUBTS = 5
_PARTS: tuple[tuple[PartName, str], ...] = (("single", "one fault"), ("multi", "several faults"))
_PAPER: ClassSet = "paper"
_LEVELS: tuple[Level, ...] = ("pair", "agent", "error")


def trial_text(trial: Trial, naming: Naming, *, full: bool = False) -> Iterator[str]:
    """All tables of a trial, a line at a time, columns aligned.

    Args:
        trial: what was measured.
        naming: by which comparison of agents' names; the trial holds both.
        full: also mean reciprocal ranks, macro averages over each class set, runs with one and several faults.
    """
    yield from _caption(trial, naming)
    for result in trial.sets:
        yield ""
        yield from _set(trial, result, naming, full=full)


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


def _set(trial: Trial, result: SetResult, naming: Naming, *, full: bool) -> Iterator[str]:
    whose = result.standings[0].evaluation.origin
    counts = result.standings[0].evaluation.part("all").coverage
    clean = counts.clean
    faultless = f", {clean} of them without any fault" if clean else ""
    left_out = f"; {result.without_labels} more left out, without labels that count" if result.without_labels else ""
    yield (
        f"{result.name}: {result.runs} runs of {result.tasks} source tasks{faultless}, labels of {whose or 'nobody'}"
        f"{left_out}"
    )
    yield from _outside(counts)
    for title, variants in _columns(trial, naming, full=full):
        yield from _table(result, title, variants, "all")
    for part, title in _PARTS if full else ():
        if any(one.name == part for one in result.standings[0].evaluation.parts):
            n = result.standings[0].evaluation.part(part).coverage.runs
            yield from _table(result, f"{title}, n={n}", [*_primary(trial, naming), *_sets(naming)], part)
    yield ""
    yield from _coverage(result)
    yield from _reasons(result)
    yield from _doubts(result)
    yield from _differences(trial, result, naming)
    yield from _published(result)
    for name, reason in result.left_out.items():
        yield f"left out: {name}: {reason}"


def _outside(counts: Coverage) -> Iterator[str]:
    """Runs that have faults, but none that counts."""
    if counts.other_roles_only:
        yield f"{counts.other_roles_only} of them have faults of other roles alone, and no column below goes over them."
    if counts.environment_only:
        yield f"{counts.environment_only} of them have faults of the environment alone, which are no agent's."


def _table(result: SetResult, title: str, variants: Sequence[Variant], part: PartName) -> Iterator[str]:
    """One table of metrics. A measure that goes over fewer runs than the table says over how many."""
    # What the labels don't say can't be scored, for all alike: a mode, or a step.
    first, total = result.standings[0], result.standings[0].evaluation.part(part).coverage.runs
    able = [variant for variant in variants if _found(first, variant, part).runs]
    heads = []
    for variant in able:
        n = _found(first, variant, part).runs
        heads.append(_head(variant) + (f" (n={n})" if n != total else ""))
    rows = [[_called(one), *(_metric(_found(one, variant, part)) for variant in able)] for one in result.standings]
    if able:
        yield ""
        yield from _aligned([title, *heads], rows)


def _columns(trial: Trial, naming: Naming, *, full: bool) -> Iterator[tuple[str, list[Variant]]]:
    """Titles and columns of the tables of metrics."""
    rules = trial.conditions.rules
    yield "who and where", _primary(trial, naming)
    first = [Variant(measure="top", of="agent", names=naming, k=k) for k in rules.top]
    ranks = [Variant(measure="mrr", of="agent", names=naming), Variant(measure="mrr", of="step")] if full else []
    yield "among the first", [*first, *(Variant(measure="top", of="step", k=k) for k in rules.top), *ranks]
    yield "as sets", _sets(naming)
    if full:
        classes: tuple[ClassSet, ...] = ("observed", "union")
        yield "over other classes", [_f1(of, naming, one) for of in _LEVELS for one in classes]


def _sets(naming: Naming) -> list[Variant]:
    return [_f1(of, naming, classes) for of in _LEVELS for classes in (None, _PAPER)]


def _f1(of: Level, naming: Naming, classes: ClassSet | None) -> Variant:
    """Micro F1, or the macro F1 over a class set."""
    return Variant(
        measure="f1",
        of=of,
        average="micro" if classes is None else "macro",
        classes=classes,
        names=None if of == "error" else naming,
    )


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
    if variant.measure == "mrr":
        return f"MRR: {variant.of}"
    classes = f", {variant.classes}" if variant.classes not in {None, _PAPER} else ""
    return f"{'mode' if variant.of == 'error' else variant.of} {'µ' if variant.average == 'micro' else 'M'}F1{classes}"


def _called(one: Standing) -> str:
    name = f"{one.name}, mean of {one.draws} seeds" if one.draws > 1 else one.name
    return f"{name} *" if one.is_trained else name


def _found(one: Standing, variant: Variant, part: PartName) -> Metric:
    return one.evaluation.part(part).metric(variant)


def _metric(metric: Metric) -> str:
    return _numbers(metric.value, metric.low, metric.high, "{:.1f}")


def _numbers(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None:
        return "-"
    ends = f" [{form.format(100 * low)}, {form.format(100 * high)}]" if low is not None and high is not None else ""
    return form.format(100 * value) + ends


def _coverage(result: SetResult) -> Iterator[str]:
    """What became of the runs; blames of what a run does not have, where there are any."""
    counts = [one.evaluation.part("all").coverage for one in result.standings]
    columns = {
        "runs": [one.name for one in result.standings],
        "answered": [one.answered for one in counts],
        "abstained": [one.abstained for one in counts],
        "not judged": [one.not_judged for one in counts],
    }
    if counts[0].clean:
        columns["faultless, yet blamed"] = [one.clean_blamed for one in counts]
    if any(one.strangers for one in counts):
        columns["blames of strangers"] = [one.strangers for one in counts]
    if any(one.no_such_step for one in counts):
        columns["at no such step"] = [one.no_such_step for one in counts]
    yield from _aligned(list(columns), [list(map(str, row)) for row in zip(*columns.values(), strict=True)])


def _doubts(result: SetResult) -> Iterator[str]:
    """What is doubtful about the runs and their labels."""
    if not result.doubts:
        return
    runs = len({one.run_id for one in result.doubts})
    yield f"doubtful: {len(result.doubts)} things in {runs} runs, scored as they are written:"
    for one in result.doubts[:_DOUBTS]:
        yield f"  {one.run_id}: {one.doubt}"
    if len(result.doubts) > _DOUBTS:
        yield f"  and {len(result.doubts) - _DOUBTS} more (--json has them all)"


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
