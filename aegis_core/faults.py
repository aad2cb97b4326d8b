"""The words of intervening and labelling: target, plan, intervention, outcome, proof, fault, case.

These live on the other side of the wall from `Trajectory`: no learner or attributor is ever handed one.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from aegis_core.errors import RecordError
from aegis_core.records import FileRecord, Record
from aegis_core.taxonomy import check_mode_id

__all__ = [
    "ArmKind",
    "ArmResult",
    "Case",
    "Evidence",
    "Fault",
    "FaultRole",
    "FaultyRun",
    "Intervention",
    "Labels",
    "Ledger",
    "Moment",
    "Observation",
    "Outcome",
    "PartChange",
    "Plan",
    "Proof",
    "Scope",
    "Strategy",
    "Target",
]

Strategy = Literal["prompt_injection", "response_corruption", "environment"]
Scope = Literal["persistent", "ephemeral", "outgoing", "belief", "call"]
"""How far an alteration reaches.

`persistent` / `ephemeral`: what the agent sees before it acts, kept in its memory or not. `outgoing` / `belief`:
what it produced, with its own memory keeping the original or not. `call`: one tool call (environment only).
"""
SCOPES: dict[str, tuple[str, ...]] = {
    "prompt_injection": ("persistent", "ephemeral"),
    "response_corruption": ("outgoing", "belief"),
    "environment": ("call",),
}
FaultRole = Literal["cause", "carrier", "missed"]
ArmKind = Literal["clean", "null", "sham", "fault"]


class Moment(Record):
    """A turn of an agent: the n-th activation (from 1) of `agent` on `branch`. True under parallelism."""

    agent: str = Field(min_length=1)
    branch: str = ""
    turn: int = Field(default=1, ge=1)

    def __str__(self) -> str:
        branch = f"[{self.branch}]" if self.branch else ""
        return f"{self.agent}{branch} turn {self.turn}"


class Target(Record):
    """Who is to err, when, in which way, and by which strategy and scope."""

    moment: Moment
    mode: str
    strategy: Strategy
    scope: Scope
    realisation: str | None = None
    """Name of one of the injector's ways to cause the mode; None lets the injector choose by seed."""

    @field_validator("mode")
    @classmethod
    def _mode(cls, value: str) -> str:
        return check_mode_id(value)

    @model_validator(mode="after")
    def _consistent(self) -> Target:
        allowed = SCOPES[self.strategy]
        if self.scope not in allowed:
            raise RecordError(f"target {self.moment}: {self.strategy} has scopes {allowed}, not {self.scope!r}")
        return self


class Plan(Record):
    """The targets of one faulty run and the seed of everything random in it."""

    targets: tuple[Target, ...] = Field(min_length=1)
    seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _consistent(self) -> Plan:
        moments = [target.moment for target in self.targets]
        if len(set(moments)) != len(moments):
            raise RecordError("plan: two targets share one turn; give each a turn of its own")
        return self


class PartChange(Record):
    """The text of one part before and after an alteration."""

    part: str
    before: str
    after: str


class Observation(Record):
    """Where an alteration was seen downstream.

    `how`: `holds` an altered span, or `lacks` a span that the clean twin's input has. `span` is that span.
    """

    moment: Moment
    how: Literal["holds", "lacks"]
    span: str


class Intervention(Record):
    """The ledger entry of one target in one run.

    `changes` are the altered parts; with `fired` false, `reason` says why nothing was altered. For prompt
    injection, `changes` is what was done to the agent's input, not what it then said.
    """

    target: Target
    arm: ArmKind
    fired: bool
    reason: str = ""
    realisation: str = ""
    changes: tuple[PartChange, ...] = ()
    call: int | None = Field(default=None, ge=1)
    """Which call of its kind in the turn was altered (from 1); None for the turn's own input or output."""
    step: int | None = Field(default=None, ge=0)
    """The first step of the target's turn that differs from the clean twin; None where there is none."""
    route: str | None = None
    """Where a hand-off was redirected to, if it was."""
    observed_by: tuple[Observation, ...] = ()
    notes: dict[str, JsonValue] = Field(default_factory=dict)


class Ledger(FileRecord):
    """All interventions of one run."""

    run_id: str
    interventions: tuple[Intervention, ...] = ()


class Outcome(Record):
    """What the checker decided from task and final output."""

    right: bool
    failure: Literal["wrong", "no_answer", "no_end", "crash"] | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Outcome:
        if self.right == (self.failure is not None):
            raise RecordError("outcome: a right run has no kind of failure, a wrong one has exactly one")
        return self


class Fault(Record):
    """A label: this agent made this error at this step.

    `step` is the first step of the target's turn that differs from the clean twin. Only causes are scored by
    default. `origin` is `proof`, or the annotator for imported data. An annotator's fault may have no mode (None: not
    said), and names its agent as the annotator wrote it: another spelling than the run's, or somebody who is not in it.
    """

    agent: str
    mode: str | None = None
    step: int | None = Field(default=None, ge=0)
    role: FaultRole = "cause"
    strategy: Strategy | None = None
    scope: Scope | None = None
    origin: str = Field(default="proof", min_length=1)

    @field_validator("mode")
    @classmethod
    def _mode(cls, value: str | None) -> str | None:
        return None if value is None else check_mode_id(value)

    @model_validator(mode="after")
    def _consistent(self) -> Fault:
        if self.mode is None and self.origin == "proof":
            raise RecordError(
                f"fault of {self.agent}: a proof says which mode; without one, name the annotator in origin"
            )
        return self


class Labels(FileRecord):
    """The faults of one run, apart from its trajectory. Empty for a clean run."""

    written_by_hand: ClassVar[bool] = True
    run_id: str
    case_id: str
    """The case that the run belongs to. For imported runs the id of their source task, so that runs which share it
    can be kept together."""
    faults: tuple[Fault, ...] = ()
    redundant: tuple[Fault, ...] = ()
    """Planned and proven to fire, but not needed for the failure."""


class Evidence(Record):
    """The verdict of a mode's predicate over (clean turn, faulty turn, context), in words."""

    mode: str
    holds: bool
    because: str
    spans: tuple[str, ...] = ()


class ArmResult(Record):
    """One run that was made to prove or refute a fault.

    `targets` are indices into the plan's targets: the subset that was carried out in this arm.
    """

    arm: ArmKind
    run_id: str
    targets: tuple[int, ...]
    outcome: Outcome | None = None
    invalid: str = ""
    """Why the arm proves nothing (drift, not fired, refused, ...); empty for a valid arm."""


class Proof(FileRecord):
    """Everything that a faulty run's label rests on."""

    run_id: str
    case_id: str
    clean_run_id: str
    plan: Plan
    arms: tuple[ArmResult, ...]
    evidence: tuple[Evidence, ...]
    """One per target, in the plan's order."""
    sufficient: tuple[tuple[int, ...], ...]
    """The minimal sets of targets that make the run fail."""


class FaultyRun(Record):
    """One planned faulty run of a case, kept or discarded."""

    run_id: str
    plan: Plan
    kept: bool
    reason: str = ""
    """Why it was discarded; empty if kept."""
    detail: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> FaultyRun:
        if self.kept == bool(self.reason):
            raise RecordError(f"run {self.run_id}: a discarded run has a reason, a kept one has none")
        return self


class Case(FileRecord):
    """One clean run and the faulty runs made from it."""

    case_id: str
    task_id: str
    system: str
    clean_run_id: str
    clean_outcome: Outcome
    faulty: tuple[FaultyRun, ...] = ()
