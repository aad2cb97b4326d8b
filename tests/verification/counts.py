"""The counts in `summary.json`, counted again from the records."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from statistics import fmean, median
from typing import Any

from aegis_core.dataset import layout
from aegis_core.faults import Fault
from tests.verification.material import Files, Violation

__all__ = ["count_doubts", "counted"]

_NEAR = 1e-5
"""Figures with a fraction are written rounded."""


def count_doubts(files: Files) -> Iterator[Violation]:
    """Each count that is another than the records give."""
    path = files.dataset.path / layout.SUMMARY
    if not path.exists():
        yield Violation(layout.SUMMARY, "counts", "there is no summary")
        return
    said, found = json.loads(path.read_text(encoding="utf-8")), counted(files)
    for name in sorted({*said, *found} - {"schema_version"}):
        if not _alike(said.get(name), found.get(name)):
            words = f"{name} is given as {said.get(name)}; the records give {found.get(name)}"
            yield Violation(layout.SUMMARY, "counts", words)


def _alike(said: object, found: object) -> bool:
    if isinstance(said, dict) and isinstance(found, dict):
        return said.keys() == found.keys() and all(_alike(said[name], found[name]) for name in said)
    if isinstance(said, int | float) and isinstance(found, int | float):
        return math.isclose(said, found, abs_tol=_NEAR)
    return said == found


def counted(files: Files) -> dict[str, Any]:  # Any: counts, and mappings of them
    """What a summary has to say, by the names in the file."""
    cases = list(files.cases.values())
    tried = [entry for case in cases for entry in case.faulty]
    causes = [(fault, run_id) for run_id, labels in files.labels.items() for fault in labels.faults]
    causes = [(fault, run_id) for fault, run_id in causes if fault.role == "cause"]
    lengths = {run_id: len(run.steps) for run_id, run in files.trajectories.items()}
    faulty = {run_id for run_id, labels in files.labels.items() if labels.faults}
    thirds = [(fault.mode, _third(fault, lengths.get(run_id, 0))) for fault, run_id in causes]
    thirds = [(mode, third) for mode, third in thirds if third]
    faults = [fault for fault, _ in causes]
    return {
        "tasks": len(files.tasks),
        "cases": len(cases),
        "clean_runs": len({case.clean_run_id for case in cases}),
        "clean_runs_right": len({case.clean_run_id for case in cases if case.clean_outcome.right}),
        "faulty_runs_planned": len(tried),
        "faulty_runs_kept": len([entry for entry in tried if entry.kept]),
        "discarded": dict(Counter(entry.reason for entry in tried if not entry.kept)),
        "labels": len(faults),
        "redundant": sum(len(labels.redundant) for labels in files.labels.values()),
        "by_mode": dict(Counter(fault.mode for fault in faults)),
        "by_agent": dict(Counter(fault.agent for fault in faults)),
        "by_strategy": dict(Counter(map(_site, faults))),
        "by_mode_and_strategy": {
            mode: dict(Counter(_site(fault) for fault in faults if fault.mode == mode))
            for mode in {fault.mode for fault in faults}
        },
        "by_third": {name: sum(third == name for _, third in thirds) for name in ("first", "second", "last")},
        "steps_clean": _spread([n for run_id, n in lengths.items() if run_id not in faulty]),
        "steps_faulty": _spread([n for run_id, n in lengths.items() if run_id in faulty]),
        "mode_agent_bits": _shared_bits([(fault.mode, fault.agent) for fault in faults]),
        "mode_third_bits": _shared_bits(thirds),
    }


def _site(fault: Fault) -> str:
    return f"{fault.strategy}/{fault.scope}"


def _third(fault: Fault, steps: int) -> str:
    if fault.step is None or fault.step >= steps:
        return ""
    return ("first", "second", "last")[fault.step * 3 // steps]


def _spread(lengths: Sequence[int]) -> dict[str, float]:
    if not lengths:
        return dict.fromkeys(("runs", "least", "median", "mean", "most"), 0)
    middle, mean = median(lengths), fmean(lengths)
    return {"runs": len(lengths), "least": min(lengths), "median": middle, "mean": mean, "most": max(lengths)}


def _shared_bits(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Mutual information as the entropies of both sides less that of the pairs."""
    return max(0.0, _bits(one for one, _ in pairs) + _bits(other for _, other in pairs) - _bits(pairs))


def _bits(items: Iterable[Hashable]) -> float:
    counts = Counter(items)
    return -sum(n / counts.total() * math.log2(n / counts.total()) for n in counts.values())
