"""The answer of an attributor: who made which error, where, how sure, and why."""

from __future__ import annotations

from itertools import pairwise

from pydantic import Field, field_validator, model_validator

from aegis_core.errors import RecordError
from aegis_core.records import FileRecord, Record
from aegis_core.taxonomy import check_mode_id

__all__ = ["Attribution", "Blame"]


class Blame(Record):
    """One suspected (agent, mode, step). Confidence lies in [0, 1]; mode or step None: not said."""

    agent: str = Field(pattern=r"\S")
    """Never blank: who names nobody abstains."""
    mode: str | None = None
    step: int | None = Field(default=None, ge=0)
    confidence: float = Field(default=1.0, ge=0, le=1)
    evidence: str = ""

    @field_validator("mode")
    @classmethod
    def _mode(cls, value: str | None) -> str | None:
        return None if value is None else check_mode_id(value)


class Attribution(FileRecord):
    """A predicted set of blames for one run, or an abstention with its reason.

    The surest blame stands first, since ranks are read off the order: one that is followed by a surer one is refused.
    """

    run_id: str
    blames: tuple[Blame, ...] = ()
    abstained: str = ""
    attributor: str = ""

    @model_validator(mode="after")
    def _surest_first(self) -> Attribution:
        for place, (before, after) in enumerate(pairwise(self.blames), 1):
            if after.confidence > before.confidence:
                raise RecordError(
                    f"run {self.run_id}: blame {place} has confidence {before.confidence}, and blame {place + 1} after "
                    f"it {after.confidence}; give the surest first (a confidence that is not said is 1)"
                )
        return self
