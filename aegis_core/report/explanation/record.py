"""What is told of one run: the records of an explanation."""

from __future__ import annotations

from typing import Literal

from aegis_core.faults import (
    ArmKind,
    Evidence,
    FaultRole,
    Moment,
    Observation,
    Outcome,
    PartChange,
    Plan,
    Scope,
    Strategy,
)
from aegis_core.records import FileRecord, Record

__all__ = ["AlteredTurn", "Arm", "Explanation", "LabelledTarget"]


class AlteredTurn(Record):
    """One target of the plan: what was done at it, and what came of it.

    `said_clean` and `said_faulty` are the texts of the agent's turn in the clean run and in this one. With `fired`
    false nothing was altered, and `not_fired` says why.
    """

    moment: Moment
    mode: str
    strategy: Strategy
    scope: Scope
    fired: bool = True
    not_fired: str = ""
    realisation: str
    changes: tuple[PartChange, ...]
    observed_by: tuple[Observation, ...]
    said_clean: tuple[str, ...]
    said_faulty: tuple[str, ...]


class LabelledTarget(AlteredTurn):
    """A target of a labelled run, and whether the label rests on it.

    `step` is the labelled step of the faulty run. `needed` is False for a fault that was proven to fire but was not
    needed for the failure.
    """

    mode_name: str
    definition: str
    role: FaultRole
    step: int | None
    needed: bool
    evidence: Evidence | None


class Arm(Record):
    """One run of the proof. `changes` is what was altered in it, for a sham."""

    arm: ArmKind
    run_id: str
    targets: tuple[int, ...]
    outcome: Outcome | None
    invalid: str
    final_output: str | None
    changes: tuple[PartChange, ...] = ()


class Explanation(FileRecord):
    """All that a run's label rests on; or that it is clean, why it was discarded, or for whose proof it was made.

    `verdict`: `labelled`, `clean`, `discarded`, or `control` for a run that was made for the proof of the run `of`, as
    `kind` says. What only a labelled run has is empty for the others. `same_steps` counts the steps from the start
    that the run shares with its clean twin; `same_inputs` the inputs and calls that were served from the twin's tape
    unaltered. `attempts` are the targets of a run without a label. `invalid` says why a run proves nothing, `missing`
    what can't be told because the campaign's journal is not there.
    """

    run_id: str
    verdict: Literal["labelled", "clean", "discarded", "control"]
    kind: str = ""
    of: str = ""
    case_id: str
    system: str
    task_id: str
    task: str
    answer: str
    checker: str
    clean_run_id: str
    clean_outcome: Outcome
    clean_output: str | None = None
    final_output: str | None = None
    outcome: Outcome | None = None
    same_steps: int = 0
    same_inputs: int = 0
    plan: Plan | None = None
    reason: str = ""
    detail: str = ""
    invalid: str = ""
    missing: str = ""
    attempts: tuple[AlteredTurn, ...] = ()
    targets: tuple[LabelledTarget, ...] = ()
    arms: tuple[Arm, ...] = ()
    sufficient: tuple[tuple[int, ...], ...] = ()
