"""What is scored: the words in which a variant of a metric is named, and the rules that all metrics share."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from aegis_core.faults import FaultRole
from aegis_core.records import Record
from aegis_core.taxonomy.modes import MAST

__all__ = ["MAST_IDS", "ClassSet", "Level", "Measure", "Naming", "Rules", "Variant"]

MAST_IDS = tuple(mode.id for mode in MAST)
"""The fixed classes of the paper's macro-F1 over modes."""

Level = Literal["pair", "agent", "error"]
"""What is compared as a set: (agent, mode) pairs, agents, or modes."""
ClassSet = Literal["paper", "observed", "union"]
"""Over which classes a macro average is taken.

`paper`: those in the truth for pairs and agents, the fourteen of MAST for modes, whether they occur or not (paper,
section 5; the fork's `get_numbers.py`). `observed`: those in the truth, for modes too (the fork's "skip zero
support"). `union`: those in the truth or in a prediction (scikit-learn's default).
"""
Naming = Literal["strict", "folded"]
"""Whether agents are compared as they are spelt, or as `RunNames` understands them."""
Measure = Literal["f1", "precision", "recall", "accuracy", "top", "mrr", "parse_rate", "abstention_rate"]


class Variant(Record):
    """Which number it is: a measure with all that its definition depends on. What does not apply is None."""

    measure: Measure
    of: Literal["pair", "agent", "error", "step", "joint", "run"]
    """`pair`, `agent`, `error`: as `Level` says. `joint`: the agent and the step of one and the same cause."""
    average: Literal["micro", "macro"] | None = None
    classes: ClassSet | None = None
    names: Naming | None = None
    within: int | None = Field(default=None, ge=0)
    """How many steps a hit may be off; 0 is exact."""
    k: int | None = Field(default=None, ge=1)
    """How many of the first suspects count."""

    @property
    def title(self) -> str:
        """The variant in words, for example `pair macro f1 (paper classes, folded names)`."""
        measure = f"top-{self.k}" if self.measure == "top" else self.measure.replace("_", " ")
        words = [measure] if self.of == "run" else [word for word in (self.of, self.average, measure) if word]
        remarks = [f"{self.classes} classes"] if self.classes else []
        remarks += [f"{self.names} names"] if self.names else []
        if self.within is not None:
            remarks.append(f"within ±{self.within}" if self.within else "exact")
        return " ".join(words) + (f" ({', '.join(remarks)})" if remarks else "")


class Rules(Record):
    """What counts as true, and how far from it is near enough. The defaults are those of the paper where it has any.

    `roles` are the roles of faults that are to be found. `environment`: whether faults of the environment count at
    the level of modes; they never count as agents, pairs or steps. `within` are the distances for step and joint
    accuracy in steps (0 is exact), `top` the lengths of the list of suspects for top-k accuracy.
    """

    roles: tuple[FaultRole, ...] = Field(default=("cause",), min_length=1)
    environment: bool = False
    within: tuple[int, ...] = (0, 1, 3, 5)
    top: tuple[int, ...] = (3, 5)

    @field_validator("within", "top")
    @classmethod
    def _ascending(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(value)))

    @field_validator("within")
    @classmethod
    def _distances(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if any(distance < 0 for distance in value):
            raise ValueError(f"distances {value} in steps: use 0 (exact) or more")
        return value

    @field_validator("top")
    @classmethod
    def _lengths(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if any(k < 1 for k in value):
            raise ValueError(f"lengths {value} of the list of suspects: use 1 or more")
        return value
