"""Counting a dataset: runs, labels, and what mode can be guessed from place alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from pydantic import Field

from aegis_core.dataset import layout
from aegis_core.dataset.dataset import Dataset
from aegis_core.faults import Fault
from aegis_core.records import FileRecord, Record

__all__ = ["Spread", "Statistics", "statistics"]

_THIRDS = ("first", "second", "last")


class Spread(Record):
    """How a number is spread over runs; all zero where there are none."""

    runs: int = Field(ge=0)
    least: int = Field(ge=0)
    median: float = Field(ge=0)
    mean: float = Field(ge=0)
    most: int = Field(ge=0)


class Statistics(FileRecord):
    """The counts of a dataset. All mappings are sorted by name, but `discarded`, which has the most frequent first.

    A label is a fault with the role `cause`; one whose annotator said no mode counts as mode `unknown`, and tells
    nothing of the dependence of modes. Mutual information is the plug-in estimate in bits over labels: 0 where
    agent (or third of the run) says nothing about the mode. With n labels, a modes and b agents or thirds it comes
    out too high by about (a - 1)(b - 1) / (2 n ln 2) where there is no dependence at all.
    """

    tasks: int = Field(ge=0)
    cases: int = Field(ge=0)
    clean_runs: int = Field(ge=0)
    clean_runs_right: int = Field(ge=0)
    faulty_runs_planned: int = Field(ge=0)
    faulty_runs_kept: int = Field(ge=0)
    discarded: dict[str, int]
    """Faulty runs by the reason for which they were discarded."""
    labels: int = Field(ge=0)
    redundant: int = Field(ge=0)
    """Faults that were proven to fire but were not needed for the failure."""
    by_mode: dict[str, int]
    by_agent: dict[str, int]
    by_strategy: dict[str, int]
    """By strategy and scope, as `strategy/scope`."""
    by_mode_and_strategy: dict[str, dict[str, int]]
    by_third: dict[str, int]
    """By the third of the run in which the labelled step stands: `first`, `second`, `last`."""
    steps_clean: Spread
    steps_faulty: Spread
    mode_agent_bits: float = Field(ge=0)
    mode_third_bits: float = Field(ge=0)


def statistics(dataset: Dataset) -> Statistics:
    """Count a dataset; reads trajectories and labels, and cases and tasks where there are any.

    Raises:
        StoreError: a file is bad, or labels name a run or a step that the dataset does not have, or proven ones an
            agent. What an annotator calls an agent is counted as it stands.
    """
    causes: list[tuple[Fault, str]] = []
    clean_steps: list[int] = []
    faulty_steps: list[int] = []
    redundant = 0
    for run in dataset.labelled_runs():
        n_steps = len(run.trajectory.steps)
        for labels in run.labels:
            causes += [(fault, _third(fault, n_steps)) for fault in labels.faults if fault.role == "cause"]
            redundant += len(labels.redundant)
        (faulty_steps if any(labels.faults for labels in run.labels) else clean_steps).append(n_steps)
    faults = [fault for fault, _ in causes]
    thirds = [(fault.mode, third) for fault, third in causes if third]
    cases = tuple(dataset.cases()) if dataset.has(layout.CASES) else ()
    clean = {case.clean_run_id: case.clean_outcome.right for case in cases}
    planned = [run for case in cases for run in case.faulty]
    reasons = Counter(run.reason for run in planned if not run.kept)
    return Statistics(
        tasks=len(dataset.ids(layout.TASKS)) if dataset.has(layout.TASKS) else 0,
        cases=len(cases),
        clean_runs=len(clean),
        clean_runs_right=sum(clean.values()),
        faulty_runs_planned=len(planned),
        faulty_runs_kept=sum(run.kept for run in planned),
        discarded=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        labels=len(faults),
        redundant=redundant,
        by_mode=_count(_mode(fault) for fault in faults),
        by_agent=_count(fault.agent for fault in faults),
        by_strategy=_count(_site(fault) for fault in faults),
        by_mode_and_strategy={
            mode: _count(_site(fault) for fault in faults if _mode(fault) == mode)
            for mode in sorted({_mode(fault) for fault in faults})
        },
        by_third={name: sum(third == name for _, third in thirds) for name in _THIRDS},
        steps_clean=_spread(clean_steps),
        steps_faulty=_spread(faulty_steps),
        mode_agent_bits=_information([(fault.mode, fault.agent) for fault in faults]),
        mode_third_bits=_information(thirds),
    )


def _third(fault: Fault, steps: int) -> str:
    """The third of its run in which a fault stands; "" if its step is not known."""
    return "" if fault.step is None else _THIRDS[3 * fault.step // steps]


def _mode(fault: Fault) -> str:
    return fault.mode or "unknown"


def _site(fault: Fault) -> str:
    return f"{fault.strategy or 'unknown'}/{fault.scope or 'unknown'}"


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _spread(counts: Sequence[int]) -> Spread:
    if not counts:
        return Spread(runs=0, least=0, median=0, mean=0, most=0)
    return Spread(runs=len(counts), least=min(counts), median=median(counts), mean=fmean(counts), most=max(counts))


def _information(pairs: Sequence[tuple[str | None, str]]) -> float:
    """Mutual information of the two members over all pairs that have both, in bits.

    Rounded, so that its bytes are everywhere alike.
    """
    pairs = [(one, other) for one, other in pairs if one is not None]
    n = len(pairs)
    left, right = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    bits = math.fsum(
        count / n * math.log2(count * n / (left[one] * right[other])) for (one, other), count in Counter(pairs).items()
    )
    return round(max(0.0, bits), 6)
