"""How everything here is measured: contenders take turns in one process, and figures carry their spread.

A round runs every contender once, and each round begins with another one, so that what else the machine does meets
all of them. Ratios are taken within rounds; their intervals come from resampling whole rounds.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Contender", "Estimate", "Rounds", "Sample", "measure", "quartiles", "ratio", "resampled", "timed"]

_RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What one execution took, in seconds: by the clock, and of processor time over all threads."""

    wall_s: float
    cpu_s: float


Contender = Callable[[], Sample]
"""Does the work once and says what it took; what it does before and after the timed part is its own affair."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure between two bounds."""

    value: float
    low: float
    high: float
    bounds: str
    """What the bounds are, in words."""


@dataclass(frozen=True)
class Rounds:
    """The samples of all contenders, by name; the n-th ones were taken in the n-th round."""

    samples: Mapping[str, tuple[Sample, ...]]

    def wall(self, name: str) -> list[float]:
        """Seconds by the clock, by round."""
        return [sample.wall_s for sample in self.samples[name]]

    def cpu(self, name: str) -> list[float]:
        """Seconds of processor time, by round."""
        return [sample.cpu_s for sample in self.samples[name]]


def timed(work: Callable[[], Any]) -> Sample:  # Any: whatever the work returns is dropped
    """Do the work once, after a collection of garbage, and say what it took."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Sample(cpu_s=time.process_time() - cpu, wall_s=time.perf_counter() - wall)


def measure(contenders: Mapping[str, Contender], *, rounds: int, warmups: int = 1) -> Rounds:
    """Let contenders take turns.

    Args:
        contenders: by name.
        rounds: that count, at least 1.
        warmups: rounds before those, which do not count.
    """
    names = list(contenders)
    taken: dict[str, list[Sample]] = {name: [] for name in names}
    for number in range(-warmups, rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            sample = contenders[name]()
            if number >= 0:
                taken[name].append(sample)
    return Rounds({name: tuple(samples) for name, samples in taken.items()})


def quartiles(values: Sequence[float]) -> Estimate:
    """Median and quartiles of at least one value."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return Estimate(value=middle, low=low, high=high, bounds="quartiles")


def resampled(figure: Callable[[Sequence[int]], float], size: int) -> Estimate:
    """A figure of all rounds (or tasks), and where 95 % of it lie when rounds are drawn anew with repetition.

    Args:
        figure: of the rounds with these indices, of which some occur several times.
        size: how many rounds there are.
    """
    rng = random.Random(_SEED)
    drawn = sorted(figure(rng.choices(range(size), k=size)) for _ in range(_RESAMPLES))
    tail = round(_RESAMPLES * 0.025)
    return Estimate(value=figure(range(size)), low=drawn[tail], high=drawn[-tail - 1], bounds="95 % bootstrap")


def ratio(over: Sequence[float], under: Sequence[float]) -> Estimate:
    """Median of one list by median of another, whose n-th values belong together."""

    def figure(rounds: Sequence[int]) -> float:
        return statistics.median(over[n] for n in rounds) / statistics.median(under[n] for n in rounds)

    return resampled(figure, len(over))
