"""The contracts of attributors, and of what trains them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from aegis_core.attribution import Attribution
from aegis_core.format import LabelledRuns
from aegis_core.trajectory import Trajectory

__all__ = ["Attributor", "Learner"]


class Attributor(ABC):
    """Says who made which error in a failed run, from its trajectory alone."""

    name: str

    @abstractmethod
    def attribute(self, trajectory: Trajectory) -> Attribution:
        """Blames for one run, naming only its own agents and steps, or an abstention."""

    def attribute_many(self, trajectories: Iterable[Trajectory]) -> Iterator[Attribution]:
        """The same for many runs, in their order; override it where batches are faster."""
        return map(self.attribute, trajectories)


class Learner(ABC):
    """Makes an attributor from labelled runs."""

    name: str

    @abstractmethod
    def fit(self, runs: LabelledRuns, config: Mapping[str, JsonValue]) -> Attributor:
        """Train on labelled runs: a `Dataset`, what `open_runs` gives, or the training part of a split (`ChosenRuns`).

        The same runs, configuration and seed give the same attributor.

        Raises:
            LearnerError: nothing can be learnt from these runs, or with this configuration.
        """

    @abstractmethod
    def save(self, attributor: Attributor, path: Path) -> None:
        """Write a trained attributor into a folder, as JSON or safetensors, never pickle."""

    @abstractmethod
    def load(self, path: Path) -> Attributor:
        """Read what `save` wrote."""
