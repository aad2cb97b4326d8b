"""Runs as (speaker, text): from logs of real systems, and from teams of the simulated world."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aegis_core as aegis
from aegis_core.adapter import System
from aegis_core.errors import StoreError
from aegis_core.formats import open_runs
from aegis_core.world import generate_tasks

__all__ = ["DATA", "Corpus", "Line", "real_corpora", "world_corpus"]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Where the development part of the public logs is looked for."""
_ROUTING = re.compile(r"\s*\((?:->|thought|termination)[^)]*\)\s*$")


@dataclass(frozen=True)
class Line:
    """What one speaker said at once."""

    speaker: str
    text: str


@dataclass(frozen=True)
class Corpus:
    """Runs of one origin, each a sequence of lines without the task itself."""

    name: str
    runs: tuple[tuple[Line, ...], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All that was said, in order."""
        return tuple(line.text for run in self.runs for line in run)


def real_corpora(folder: Path = DATA) -> tuple[Corpus, ...]:
    """Who&When (both parts), MAS-SIM and AgentRx (tau-bench; its Magentic runs are Who&When's hand-crafted ones).

    Raises:
        StoreError: the folder is not there.
    """
    if not folder.is_dir():
        raise StoreError(f"no public logs in {folder}: realism can't be measured without real runs to compare with")
    return (
        Corpus("Who&When, algorithm-generated", tuple(_who_and_when(folder / "whowhen/algorithm_generated"))),
        Corpus("Who&When, hand-crafted", tuple(_who_and_when(folder / "whowhen/hand_crafted"))),
        Corpus("MAS-SIM", tuple(map(_mas_sim, sorted((folder / "mas_sim/otel").glob("*.json"))))),
        Corpus("AgentRx, tau-bench", tuple(_tau_bench(folder / "agentrx/tau_failed.json"))),
    )


def world_corpus(factories: Mapping[str, Callable[..., System]], tasks: int, seed: int) -> Corpus:
    """Clean runs of teams of plain functions, each on the same seeded tasks.

    Args:
        factories: of the teams, by name; each takes `seed`.
        tasks: how many.
        seed: of tasks and of the simulated model.
    """
    runs = []
    for factory in factories.values():
        for task in generate_tasks(tasks, seed):
            system = factory(seed=seed)
            with aegis.record(system) as recording:
                system.app(task.text)
            assert recording.trajectory is not None  # the block was left
            steps = recording.trajectory.steps
            runs.append(tuple(Line(step.agent, step.text) for step in steps if step.kind in ("message", "plan")))
    return Corpus("the simulated world", tuple(runs))


def _who_and_when(folder: Path) -> Iterator[tuple[Line, ...]]:
    for trajectory in open_runs(folder, "whowhen").trajectories():
        lines = (Line(_ROUTING.sub("", step.agent), step.text) for step in trajectory.steps)
        yield tuple(line for line in lines if line.speaker != "human" and line.text.strip())


def _mas_sim(path: Path) -> tuple[Line, ...]:
    spans = sorted(_json(path)["spans"], key=lambda span: span["start_time_unix_ns"])
    said = (
        (span["attributes"].get("gen_ai.agent.name"), span["attributes"].get("agent.output_message")) for span in spans
    )
    return tuple(
        Line(str(speaker), text) for speaker, text in said if speaker and isinstance(text, str) and text.strip()
    )


def _tau_bench(path: Path) -> Iterator[tuple[Line, ...]]:
    for run in _json(path):
        said = ((message.get("role"), message.get("content")) for message in run["traj"])
        yield tuple(
            Line(str(speaker), text)
            for speaker, text in said
            if speaker in ("assistant", "user") and (text or "").strip()
        )


def _json(path: Path) -> Any:  # Any: foreign data
    return json.loads(path.read_text(encoding="utf-8"))
