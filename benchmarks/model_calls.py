"""How many model calls a proven faulty run costs, against running every arm again from its start.

Live calls are those that a campaign really made. A naive campaign has the same arms and verdicts, but none is served
from a tape, so that each costs what the whole run costs: the model calls on its tape, served or not. Plans that prove
nothing cost calls in both. Nothing here depends on the machine; the intervals are over tasks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aegis_core.campaign.journal import RunRecord
from aegis_core.dataset import Dataset
from aegis_core.errors import AegisError
from aegis_core.store import read
from benchmarks.campaigns import SYSTEMS, generate
from benchmarks.measuring import Estimate, resampled
from benchmarks.reporting import Figure, Goal, Report, machine

__all__ = ["Cost", "check_counts", "costs", "run", "whole_run_calls"]

_GOAL = Goal(at_most=0.5)
_TASKS = 120


@dataclass
class Cost:
    """Model calls for one task: of its clean run, and of all arms of all its plans."""

    live: int = 0
    naive: int = 0
    kept: int = 0
    runs: list[RunRecord] = field(default_factory=list)


def run(rounds: int = 1, systems: Sequence[str] = tuple(SYSTEMS), tasks: int = _TASKS) -> Report:
    """Count the calls of a campaign on each system.

    Args:
        rounds: is of no effect; the counts are the same every time.
        systems: names of `SYSTEMS`.
        tasks: of each campaign.
    """
    del rounds
    figures: list[Figure] = []
    notes: list[str] = []
    for system in systems:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / system
            generate(system, out, tasks)
            spent = costs(out)
        kept = sum(cost.kept for cost in spent)
        figures += _figures(system, spent)
        notes.append(f"{system}: {kept} proven faulty runs of {tasks} tasks; {_by_arm(spent)}")
    return Report(
        benchmark="model_calls",
        title="model calls per proven faulty run, served prefixes against full re-runs of all arms",
        machine=machine(),
        figures=tuple(figures),
        notes=tuple(notes),
    )


def costs(out: Path) -> list[Cost]:
    """What each task of a campaign cost.

    Raises:
        AegisError: the calls of whole runs can't be told from the tapes of this system.
    """
    spent: dict[str, Cost] = {}
    for made in read(out / "journal.jsonl", RunRecord):
        cost = spent.setdefault(made.task_id, Cost())
        cost.live += made.live_model_calls
        cost.naive += whole_run_calls(made)
        cost.runs.append(made)
    for case in Dataset(out / "dataset").cases():
        spent[case.task_id].kept += sum(faulty.kept for faulty in case.faulty)
    for cost in spent.values():
        check_counts(cost.runs)
    return list(spent.values())


def whole_run_calls(made: RunRecord) -> int:
    """The model calls of a run from its start, whether they were made or served."""
    return sum(entry.key.kind == "model" for entry in made.tape.entries)


def check_counts(runs: Iterable[RunRecord]) -> None:
    """A clean run is all live, and a null control that went right repeats it: both say what a whole run costs."""
    clean = 0
    for made in runs:
        if made.arm == "clean":
            clean = made.live_model_calls
        if (made.arm == "clean" or (made.arm == "null" and made.is_right)) and whole_run_calls(made) != clean:
            raise AegisError(
                f"run {made.run_id} ({made.arm}) has {whole_run_calls(made)} model calls on its tape, but its clean "
                f"run made {clean}; the tapes of this system don't say what whole runs cost"
            )


def _figures(system: str, spent: Sequence[Cost]) -> list[Figure]:
    def per_kept(drawn: Sequence[int], *, naive: bool) -> float:
        calls = sum(spent[n].naive if naive else spent[n].live for n in drawn)
        return calls / max(1, sum(spent[n].kept for n in drawn))

    def served(drawn: Sequence[int]) -> float:
        return sum(spent[n].live for n in drawn) / sum(spent[n].naive for n in drawn)

    def estimate(naive: bool) -> Estimate:
        return resampled(lambda drawn: per_kept(drawn, naive=naive), len(spent))

    return [
        Figure(name=f"{system}: calls per proven faulty run", estimate=estimate(naive=False)),
        Figure(name=f"{system}: the same, all arms in full", estimate=estimate(naive=True)),
        Figure(name=f"{system}: served / in full", estimate=resampled(served, len(spent)), goal=_GOAL),
    ]


def _by_arm(spent: Sequence[Cost]) -> str:
    """Live calls and calls in full, by kind of arm."""
    runs = [made for cost in spent for made in cost.runs]
    kinds = dict.fromkeys(made.arm for made in runs)
    parts = []
    for kind in kinds:
        those = [made for made in runs if made.arm == kind]
        live, naive = sum(made.live_model_calls for made in those), sum(map(whole_run_calls, those))
        parts.append(f"{len(those)} {kind} {live}/{naive}")
    return "runs with live/all model calls: " + ", ".join(parts)
