"""The contracts of attributors, and of what trains them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from aegis_core.attribution import Attribution
from aegis_core.trajectory import Trajectory

if TYPE_CHECKING:
    from aegis_core.dataset import Dataset

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
    """Makes an attributor from a dataset."""

    name: str

    @abstractmethod
    def fit(self, dataset: Dataset, config: Mapping[str, JsonValue]) -> Attributor:
        """Train on a dataset. The same dataset, configuration and seed give the same attributor."""

    @abstractmethod
    def save(self, attributor: Attributor, path: Path) -> None:
        """Write a trained attributor into a folder, as JSON or safetensors, never pickle."""

    @abstractmethod
    def load(self, path: Path) -> Attributor:
        """Read what `save` wrote."""
