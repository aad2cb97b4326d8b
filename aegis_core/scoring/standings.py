"""Several attributors on one set of runs: each one's scores, and the first compared with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pydantic import Field

from aegis_core.errors import RecordError
from aegis_core.records import Record
from aegis_core.scoring.bootstrap import check_bootstrap
from aegis_core.scoring.comparison import Comparison, compare
from aegis_core.scoring.evaluation import Evaluation, check_runs, evaluate
from aegis_core.scoring.measurement import Measured, averaged, measure_together
from aegis_core.scoring.published import aegis_fork, who_and_when
from aegis_core.scoring.rules import Rules
from aegis_core.scoring.runs import ScoredRun

__all__ = ["Conditions", "Doubt", "PublishedScores", "SetResult", "Standing", "set_result"]


class Conditions(Record):
    """What holds for all who are scored.

    `origin`: whose labels count, None where there is one annotator only. `folds`: how many for those that are trained,
    None for five, or as many as there are source tasks; `pooled`: whether they are trained on all sets together, and
    not on each by itself. `seed` decides folds and resamples. `resamples` of the source tasks, 0 for no intervals;
    these cover `confidence`. `published`: whether published scorers are asked too.
    """

    origin: str | None = None
    folds: int | None = Field(default=None, ge=2)
    pooled: bool = False
    seed: int = Field(default=0, ge=0)
    resamples: int = Field(default=1000, ge=0)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    rules: Rules = Rules()
    published: bool = False


class PublishedScores(Record):
    """What published scorers make of the same answers; None where they don't apply to the labels."""

    who_and_when: who_and_when.WhoAndWhenScores | None
    aegis_fork: aegis_fork.ForkScores | None


class Standing(Record):
    """One attributor or learner on one set. `is_trained`: a learner, which saw labels of other source tasks first.

    `draws`: over how many seeds its numbers are the mean, where it goes by chance; what is counted (coverage, scores of
    single modes, published scorers) is of the first seed alone.
    """

    name: str
    is_trained: bool
    draws: int = Field(default=1, ge=1)
    evaluation: Evaluation
    published: PublishedScores | None


class Doubt(Record):
    """What the reader found doubtful about a run or its label, in a sentence."""

    run_id: str
    doubt: str


class SetResult(Record):
    """All of them on one set of runs, and the first compared with each of the others."""

    name: str
    runs: int = Field(ge=0)
    tasks: int = Field(ge=0)
    without_labels: int = Field(ge=0)
    """Runs that were left out: nobody labelled them, or not the origin that counts."""
    left_out: dict[str, str]
    """Who could not be trained on this set, with the reason."""
    doubts: tuple[Doubt, ...] = ()
    """Repairs and contradictions in the runs that are scored, in their order."""
    standings: tuple[Standing, ...]
    comparisons: tuple[Comparison, ...]


def set_result(
    name: str,
    answers: Mapping[str, Sequence[ScoredRun]],
    conditions: Conditions,
    *,
    trained: AbstractSet[str],
    left_out: Mapping[str, str],
    without_labels: int,
    more: Mapping[str, Sequence[Sequence[ScoredRun]]] | None = None,
    tell: Callable[[str], None],
) -> SetResult:
    """Score one set.

    Args:
        name: of the set.
        answers: truth and prediction of the same runs, by the name of whoever gave them.
        conditions: what holds for all.
        trained: the names of those that were trained.
        left_out: the names of those that could not be trained, with the reason.
        without_labels: how many runs were left out.
        more: what those who go by chance answer with other seeds; their numbers are means.
        tell: is told what comes next, in a few words.

    Raises:
        RecordError: nobody gave answers; and as `evaluate` and `compare`.
    """
    if not answers:
        reasons = "; ".join(f"{who}: {reason}" for who, reason in left_out.items())
        raise RecordError(f"{name}: nobody is left to judge it: {reasons or 'name an attributor'}")
    tell(f"{name}: drawing resamples and measuring {len(answers)} attributors")
    check_bootstrap(conditions.resamples, conditions.confidence)
    draws = {who: [check_runs(one) for one in (runs, *(more or {}).get(who, ()))] for who, runs in answers.items()}
    found = iter(
        measure_together(
            [one for drawn in draws.values() for one in drawn],
            conditions.rules,
            resamples=conditions.resamples,
            seed=conditions.seed,
        )
    )
    measured = {who: averaged([next(found) for _ in drawn]) for who, drawn in draws.items()}
    standings = []
    for who, runs in answers.items():
        tell(f"{name}: scoring {who}")
        standing = _standing(who, runs, measured[who], conditions, is_trained=who in trained)
        standings.append(standing.model_copy(update={"draws": len(draws[who])}))
    return SetResult(
        name=name,
        runs=len(runs),
        tasks=len({run.group for run in runs}),
        without_labels=without_labels,
        left_out=dict(left_out),
        standings=tuple(standings),
        comparisons=tuple(_comparisons(name, answers, measured, conditions, tell)),
    )


def _comparisons(
    name: str,
    answers: Mapping[str, Sequence[ScoredRun]],
    measured: Mapping[str, Measured],
    conditions: Conditions,
    tell: Callable[[str], None],
) -> Iterator[Comparison]:
    """The first with each of the others."""
    (first, ours), *others = answers.items()
    for who, theirs in others:
        tell(f"{name}: comparing {first} with {who}")
        yield compare(
            ours, theirs, seed=conditions.seed, resamples=conditions.resamples, confidence=conditions.confidence,
            rules=conditions.rules, names=(first, who), measured=(measured[first], measured[who]),
        )  # fmt: skip


def _standing(
    name: str, runs: Sequence[ScoredRun], measured: Measured, conditions: Conditions, *, is_trained: bool
) -> Standing:
    rules = conditions.rules
    evaluation = evaluate(
        runs, seed=conditions.seed, resamples=conditions.resamples, confidence=conditions.confidence, rules=rules,
        attributor=name, measured=measured,
    )  # fmt: skip
    published = _published(runs, rules) if conditions.published else None
    return Standing(name=name, is_trained=is_trained, evaluation=evaluation, published=published)


def _published(runs: Sequence[ScoredRun], rules: Rules) -> PublishedScores:
    mistakes = who_and_when.mistakes_of(runs, rules)
    has_steps = any(mistake is not None for mistake in mistakes.values())
    has_modes = any(fault.mode for run in runs for fault in run.truth)
    return PublishedScores(
        who_and_when=who_and_when.score(who_and_when.log_of(runs), mistakes) if has_steps else None,
        aegis_fork=_fork(runs, rules) if has_modes else None,
    )


def _fork(runs: Sequence[ScoredRun], rules: Rules) -> aegis_fork.ForkScores | None:
    try:
        return aegis_fork.score(aegis_fork.records_of(runs, rules))
    except RecordError:  # nothing could be judged, and so it leaves out every record
        return None
