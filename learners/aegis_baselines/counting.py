"""What the counting learners share: which labels they count, and how their counts are kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import JsonValue

from aegis_core import store
from aegis_core.errors import LearnerError
from aegis_core.format import LabelledRuns
from aegis_core.learner import Attributor, Learner
from aegis_core.records import FileRecord
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.runs import is_environment
from aegis_core.trajectory import Trajectory

__all__ = ["Cause", "Counted", "CountingLearner", "FailedRun", "failed_runs"]

C = TypeVar("C", bound=FileRecord)


@dataclass(frozen=True)
class Cause:
    """One labelled cause. `agent` is an agent of the run, None where the label names a stranger."""

    agent: str | None
    mode: str | None
    step: int | None


@dataclass(frozen=True)
class FailedRun:
    """A run with at least one cause; causes that several annotators agree on stand once."""

    trajectory: Trajectory
    causes: tuple[Cause, ...]


def failed_runs(runs: LabelledRuns) -> Iterator[FailedRun]:
    """The runs that have causes, of whatever origin; the environment's faults, carriers and missed ones don't count."""
    for run in runs.labelled_runs():
        names = RunNames(agent.path for agent in run.trajectory.agents)
        faults = [fault for labels in run.labels for fault in labels.faults]
        causes = dict.fromkeys(
            Cause(names.agent(fault.agent), fault.mode, fault.step)
            for fault in faults
            if fault.role == "cause" and not is_environment(fault)
        )
        if causes:
            yield FailedRun(run.trajectory, tuple(causes))


class Counted(Attributor, Generic[C]):
    """An attributor that knows nothing but counts."""

    def __init__(self, counts: C) -> None:
        self.counts = counts


class CountingLearner(Learner, Generic[C]):
    """Counts the causes of failed runs; its attributor is a file of counts."""

    record: type[C]
    makes: type[Counted[C]]
    options: tuple[str, ...] = ()

    @abstractmethod
    def count(self, failed: Sequence[FailedRun], config: Mapping[str, JsonValue]) -> C:
        """The counts of at least one run.

        Raises:
            LearnerError: a value of the configuration is wrong, or there is nothing to count.
        """

    def fit(self, runs: LabelledRuns, config: Mapping[str, JsonValue]) -> Counted[C]:
        if unknown := sorted(set(config) - set(self.options)):
            known = ", ".join(self.options) or "none"
            raise LearnerError(f"learner {self.name!r} has no options {', '.join(unknown)}; known: {known}")
        failed = tuple(failed_runs(runs))
        if not failed:
            raise LearnerError(f"learner {self.name!r}: no run has a labelled cause; train on runs with labels")
        return self.makes(self.count(failed, config))

    def save(self, attributor: Attributor, path: Path) -> None:
        if not isinstance(attributor, self.makes):
            raise LearnerError(
                f"learner {self.name!r} can't save a {type(attributor).__name__}; use what its `fit` gave"
            )
        store.write_document(path / self._file, attributor.counts)

    def load(self, path: Path) -> Counted[C]:
        return self.makes(store.read_document(path / self._file, self.record))

    @property
    def _file(self) -> str:
        return f"{self.name}.json"
