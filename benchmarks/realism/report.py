"""The report: the world and each real corpus, side by side and by distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from aegis_core.adapter import System
from aegis_core.world import teams
from benchmarks.measuring import Estimate
from benchmarks.realism import embedding
from benchmarks.realism.corpora import DATA, Corpus, real_corpora, world_corpus
from benchmarks.realism.measures import MEASURES, Measure, described
from benchmarks.reporting import Figure, Report, machine

__all__ = ["run"]

_SEED = 3
_TASKS = 30
_DRAWS = 5


def run(rounds: int = _DRAWS) -> Report:
    """Compare the world with real logs.

    Args:
        rounds: how many samples of words and steps each distance is the middle of.
    """
    if not DATA.is_dir():
        return _report((), [f"not measured: there are no public logs in {DATA}"])
    world = world_corpus(_factories(), _TASKS, _SEED)
    real = real_corpora()
    measures = {name: (unit, measure) for name, (unit, measure) in MEASURES.items()}
    if embedding.is_there():
        measures["steps told apart by an encoder"] = ("", embedding.told_apart)
    figures = [
        Figure(name=f"{name}: {label}", estimate=estimate, unit="")
        for name, (_, measure) in measures.items()
        for label, estimate in _distances(measure, world, real, rounds)
    ]
    notes = [*_descriptions((world, *real))]
    notes += [f"{name}, in {unit}" for name, (unit, _) in measures.items() if unit]
    if not embedding.is_there():
        notes.append(f"embedding distance was not measured: pip install {embedding.NEEDS}")
    return _report(figures, notes)


def _report(figures: Sequence[Figure], notes: Sequence[str]) -> Report:
    return Report(
        benchmark="realism",
        title="distance of the simulated world from real logs, beside those of real logs from each other",
        machine=machine(),
        figures=tuple(figures),
        notes=tuple(notes),
    )


def _factories() -> Mapping[str, Callable[..., System]]:
    return {name: getattr(teams, name) for name in teams.__all__ if callable(getattr(teams, name))}


def _distances(measure: Measure, world: Corpus, real: Sequence[Corpus], draws: int) -> Iterator[tuple[str, Estimate]]:
    for corpus in real:
        yield f"world to {corpus.name}", _middle(measure, world, corpus, draws)
    between = [_middle(measure, one, other, draws) for n, one in enumerate(real) for other in real[n + 1 :]]
    values = sorted(estimate.value for estimate in between)
    yield "between two real ones", _spread(values, "least and greatest")
    halves = sorted(_middle(measure, *_halves(corpus), draws).value for corpus in real)
    yield "between halves of one", _spread(halves, "least and greatest")


def _middle(measure: Measure, one: Corpus, other: Corpus, draws: int) -> Estimate:
    values = sorted(measure(one, other, Random(f"{_SEED}/{number}")) for number in range(draws))
    return _spread(values, "least and greatest draw")


def _halves(corpus: Corpus) -> tuple[Corpus, Corpus]:
    return Corpus(corpus.name, corpus.runs[::2]), Corpus(corpus.name, corpus.runs[1::2])


def _descriptions(corpora: Sequence[Corpus]) -> Iterator[str]:
    for corpus in corpora:
        figures = described(corpus, Random(_SEED))
        yield f"{corpus.name}: " + ", ".join(f"{name} {value:.3g}" for name, value in figures.items())


def _spread(ordered: Sequence[float], bounds: str) -> Estimate:
    return Estimate(value=ordered[len(ordered) // 2], low=ordered[0], high=ordered[-1], bounds=bounds)
