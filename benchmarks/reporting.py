"""What a benchmark comes to: figures with their spread and their goals, on which machine, in words and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.measuring import Estimate

__all__ = ["Figure", "Goal", "Machine", "Report", "load", "machine"]

_LIBRARIES = (
    "aegis-mas",
    "pydantic",
    "pydantic-core",
    "langgraph",
    "langchain-core",
    "autogen-agentchat",
    "smolagents",
    "openinference-instrumentation-langchain",
    "openinference-instrumentation-autogen-agentchat",
    "openinference-instrumentation-smolagents",
    "opentelemetry-instrumentation-langchain",
    "opentelemetry-sdk",
    "orjson",
)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a figure has to reach: one of the two."""

    at_most: float | None = None
    at_least: float | None = None

    def met_by(self, value: float) -> bool:
        """Whether a value reaches it."""
        if self.at_most is not None:
            return value <= self.at_most
        return self.at_least is None or value >= self.at_least

    def __str__(self) -> str:
        return f"goal <= {self.at_most:g}" if self.at_most is not None else f"goal >= {self.at_least:g}"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure. `unit` is "" for ratios and counts."""

    name: str
    estimate: Estimate
    unit: str = ""
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None if there is none."""
        return self.goal.met_by(self.estimate.value) if self.goal is not None else None

    def text(self, width: int) -> str:
        """One line, the name padded to a width."""
        one = self.estimate
        bounds = f"[{one.low:.3g} to {one.high:.3g}, {one.bounds}]" if one.bounds else ""
        verdict = "" if self.goal is None else f"  {self.goal}: {'met' if self.met else 'MISSED'}"
        return f"  {self.name:<{width}} {one.value:>8.4g} {self.unit:<3} {bounds}{verdict}"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where and beside what it was measured. `load` is the machine's load average over a minute, if it tells."""

    processor: str
    cores: int
    python: str
    libraries: dict[str, str]
    load: float | None


@dataclass(frozen=True, kw_only=True)
class Report:
    """The figures of one benchmark. `load_after` is the load over the last minute once it had ended."""

    benchmark: str
    title: str
    machine: Machine
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    load_after: float | None = None

    def data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = asdict(self)
        for figure, given in zip(plain["figures"], self.figures, strict=True):
            figure["met"] = given.met
        return plain

    def text(self) -> str:
        """Some lines for people."""
        where = self.machine
        libraries = ", ".join(f"{name} {number}" for name, number in where.libraries.items())
        width = max((len(figure.name) for figure in self.figures), default=0)
        lines = [
            f"{self.benchmark}: {self.title}",
            f"  {where.processor}, {where.cores} cores, Python {where.python}",
            f"  load {_load_text(where.load)} before, {_load_text(self.load_after)} after",
            f"  {libraries}",
            *(figure.text(width) for figure in self.figures),
            *(f"  {note}" for note in self.notes),
        ]
        return "\n".join(lines)


def machine() -> Machine:
    """The machine, the interpreter and what is installed, now."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        python=platform.python_version(),
        libraries=dict(_installed(_LIBRARIES)),
        load=load(),
    )


def load() -> float | None:
    """How many processes ran or waited for a core over the last minute; None where the system doesn't say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _load_text(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _installed(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
