"""Proves or refutes a plan: makes its arms in the cheapest order and decides what its label rests on.

A faulty run is kept if its targets fired and changed the text, were observed, the run fails, each mode's evidence
holds, and the null and sham controls of the same plan are right. It is discarded with exactly one reason.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aegis_core.campaign.arms import Arm
from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.tasks import Task
from aegis_core.campaign.turn_context import turn_context
from aegis_core.errors import InjectionError
from aegis_core.faults import (
    ArmResult,
    Evidence,
    Fault,
    FaultyRun,
    Labels,
    Plan,
    Proof,
    Target,
)
from aegis_core.run.observation import altered_places, first_difference, overheard
from aegis_core.taxonomy.evidence import TurnContext
from aegis_core.trajectory import Trajectory

__all__ = ["MAX_TARGETS", "REASONS", "Prover", "Verdict"]

REASONS = (
    "drift",
    "refused",
    "not fired",
    "still right",
    "crash",
    "no end",
    "not observed",
    "overheard",
    "mode not realised",
    "null control failed",
    "fragile site",
    "arms differ",
    "redundant",
)
"""Why a faulty run is discarded.

`overheard`: another agent was itself shown what was injected into the target's input, so that the failure may be the
work of that one. `refused` is also said of a plan whose sham control could not be made. `redundant`: the run is, step
by step, the same as one that was kept before for the same clean run, so a second label would contradict the first or
double it. `arms differ`: with fewer targets, another text stood at a site and was altered in another way or place, so
that the arm says nothing of the alteration in the faulty run.
"""
MAX_TARGETS = 4
"""All subsets of a plan's targets are run, and these are 15 already."""

_ENDLESS_MODES = frozenset({"FM-1.3", "FM-1.5"})
"""Modes whose nature it is that a run does not end; of any other, a run without an end proves nothing."""

MakeArm = Callable[[Arm, RunRecord, RunRecord | None], RunRecord]
"""Makes or looks up an arm, from the clean run and (for a sham) the fault arm."""
Judge = Callable[[str, TurnContext], Evidence]
"""Says whether a mode happened."""


@dataclass(frozen=True)
class Verdict:
    """What became of a plan.

    `arms` are all runs made for it, the fault arm first; of a discarded one they may be left out. `proof` and `labels`
    are there if it was kept. `live_model_calls` are those of each run made for it.
    """

    run: FaultyRun
    arms: tuple[RunRecord, ...]
    live_model_calls: tuple[int, ...]
    proof: Proof | None = None
    labels: Labels | None = None


class _Discard(Exception):
    """Not an error: how a plan leaves the proof."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Prover:
    """Proves plans.

    Args:
        make: makes or looks up an arm.
        judge: the evidence of the modes.
    """

    def __init__(self, make: MakeArm, judge: Judge) -> None:
        self._make = make
        self._judge = judge

    def prove(
        self, task: Task, plan: Plan, clean: RunRecord, *, case_id: str, kept: tuple[Trajectory, ...] = ()
    ) -> Verdict:
        """Prove one plan on the clean run of a task.

        Args:
            kept: faulty runs of this clean run that were kept before.

        Raises:
            InjectionError: the plan has more targets than all subsets of can be run.
        """
        if len(plan.targets) > MAX_TARGETS:
            raise InjectionError(f"a plan has {len(plan.targets)} targets; at most {MAX_TARGETS} can be proven")
        trial = _Trial(self._make, self._judge, task, plan, clean)
        try:
            proof, labels = trial.prove(case_id, kept)
        except _Discard as discard:
            run = FaultyRun(
                run_id=trial.arms[0].run_id, plan=plan, kept=False, reason=discard.reason, detail=discard.detail
            )
            return Verdict(run, tuple(trial.arms), trial.live_model_calls)
        kept_run = FaultyRun(run_id=proof.run_id, plan=plan, kept=True)
        return Verdict(kept_run, tuple(trial.arms), trial.live_model_calls, proof, labels)


class _Trial:
    """The proof of one plan, while it is under way."""

    def __init__(self, make: MakeArm, judge: Judge, task: Task, plan: Plan, clean: RunRecord) -> None:
        self._make = make
        self._judge = judge
        self._task = task
        self._plan = plan
        self._clean = clean
        self._all = tuple(range(len(plan.targets)))
        self.arms: list[RunRecord] = []

    @property
    def live_model_calls(self) -> tuple[int, ...]:
        return tuple(arm.live_model_calls for arm in self.arms)

    def prove(self, case_id: str, kept: tuple[Trajectory, ...]) -> tuple[Proof, Labels]:
        fault = self._arm(Arm(self._task, "fault", self._plan, self._all))
        self._check_failure(fault, "")
        self._check_observed(fault)
        self._check_private(fault)
        evidence = self._evidence(fault)
        self._check_null()
        self._check_sham(fault)
        sufficient = self._sufficient(fault)
        if any(_same_run(fault.trajectory, other) for other in kept):
            raise _Discard("redundant", "the same run was kept before for another plan")
        labels = self._labels(fault, case_id, sufficient)
        proof = Proof(
            run_id=fault.run_id,
            case_id=case_id,
            clean_run_id=self._clean.run_id,
            plan=self._plan,
            arms=tuple(_result(arm) for arm in (self._clean, *self.arms)),
            evidence=evidence,
            sufficient=sufficient,
        )
        return proof, labels

    def _arm(self, arm: Arm, fault: RunRecord | None = None) -> RunRecord:
        record = self._make(arm, self._clean, fault)
        self.arms.append(record)
        return record

    def _check_failure(self, arm: RunRecord, name: str) -> None:
        """The arm is valid and failed in a way that proves the modes of its targets."""
        if arm.invalid:
            reason, _, detail = arm.invalid.partition(": ")
            raise _Discard(reason, name + detail)
        if arm.is_right:
            raise _Discard("still right", name + _answer(arm))
        failure = arm.outcome.failure if arm.outcome is not None else None
        detail = name + (arm.outcome.detail if arm.outcome is not None else "")
        if failure == "crash":
            raise _Discard("crash", detail)
        if failure == "no_end" and not all(self._plan.targets[i].mode in _ENDLESS_MODES for i in arm.targets):
            raise _Discard("no end", detail)

    def _check_observed(self, fault: RunRecord) -> None:
        for entry in fault.ledger.interventions:
            moment = entry.target.moment
            if first_difference(self._clean.trajectory, fault.trajectory, moment) is None:
                raise _Discard("not observed", f"the steps of {moment} are those of the clean run")
            if not entry.observed_by:
                raise _Discard("not observed", f"no other agent's input shows what was altered in {moment}")

    def _check_private(self, fault: RunRecord) -> None:
        """What was injected into an agent's input was seen by that agent alone, or by one that was told the same."""
        told = {
            entry.target.moment.agent: " ".join(" ".join(change.after.split()) for change in entry.changes)
            for entry in fault.ledger.interventions
        }
        for entry in fault.ledger.interventions:
            seen = overheard(entry, faulty=fault.trajectory, clean_tape=self._clean.tape, faulty_tape=fault.tape)
            heard = [one for one in seen if one.span not in told.get(one.moment.agent, "")]
            if heard:
                detail = f"{heard[0].moment} was shown what {entry.target.moment} was told: {heard[0].span!r}"
                raise _Discard("overheard", detail)

    def _evidence(self, fault: RunRecord) -> tuple[Evidence, ...]:
        found = []
        for entry in fault.ledger.interventions:
            verdict = self._judge(entry.target.mode, turn_context(entry, self._task, self._clean, fault))
            if not verdict.holds:
                raise _Discard("mode not realised", f"{entry.target.mode} in {entry.target.moment}: {verdict.because}")
            found.append(verdict)
        return tuple(found)

    def _check_null(self) -> None:
        null = self._arm(Arm(self._task, "null", self._plan, self._all))
        if not null.is_right:
            raise _Discard("null control failed", null.invalid or _words(null))

    def _check_sham(self, fault: RunRecord) -> None:
        sham = self._arm(Arm(self._task, "sham", self._plan, self._all), fault)
        if sham.invalid:
            reason, _, detail = sham.invalid.partition(": ")
            raise _Discard(reason, f"sham control: {detail}")
        if not sham.is_right:
            raise _Discard("fragile site", _words(sham))

    def _sufficient(self, fault: RunRecord) -> tuple[tuple[int, ...], ...]:
        """The minimal subsets of targets that make the run fail; the whole is known to.

        A target that alone finds nothing to alter leaves the clean run as it is, so it does not suffice. What alone
        drifts, crashes or does not end leaves open which target is to blame.
        """
        failing = [self._all]
        for subset in _proper_subsets(self._all):
            arm = self._arm(Arm(self._task, "fault", self._plan, subset))
            if arm.invalid.startswith(("refused", "not fired")):
                continue
            self._check_same_edits(arm, fault)
            if arm.is_right:
                continue
            self._check_failure(arm, f"targets {list(subset)} alone: ")
            failing.append(subset)
        minimal = [one for one in failing if not any(set(other) < set(one) for other in failing)]
        return tuple(sorted(minimal, key=lambda subset: (len(subset), subset)))

    def _check_same_edits(self, arm: RunRecord, fault: RunRecord) -> None:
        """Each target altered in a smaller arm what it altered in the faulty run, in the same way."""
        made = {entry.target: entry for entry in fault.ledger.interventions}
        for entry in arm.ledger.interventions:
            whole = made[entry.target]
            same = entry.realisation == whole.realisation
            if not same or altered_places(entry.changes) != altered_places(whole.changes):
                place = f"{entry.target.moment} was altered otherwise than in the faulty run"
                raise _Discard("arms differ", f"targets {list(arm.targets)} alone: {place}")

    def _labels(self, fault: RunRecord, case_id: str, sufficient: tuple[tuple[int, ...], ...]) -> Labels:
        needed = {index for subset in sufficient for index in subset}
        faults = [self._fault(fault, target) for target in self._plan.targets]
        return Labels(
            run_id=fault.run_id,
            case_id=case_id,
            faults=tuple(found for index, found in enumerate(faults) if index in needed),
            redundant=tuple(found for index, found in enumerate(faults) if index not in needed),
        )

    def _fault(self, fault: RunRecord, target: Target) -> Fault:
        step = first_difference(self._clean.trajectory, fault.trajectory, target.moment)
        agent = fault.trajectory.agent(target.moment.agent)
        return Fault(
            agent=agent.path,
            mode=target.mode,
            step=step.index if step is not None else None,
            strategy=target.strategy,
            scope=target.scope,
        )


def _same_run(one: Trajectory, other: Trajectory) -> bool:
    return one.model_copy(update={"run_id": other.run_id}) == other


def _proper_subsets(indices: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(indices)):
        yield from itertools.combinations(indices, size)


def _result(arm: RunRecord) -> ArmResult:
    return ArmResult(arm=arm.arm, run_id=arm.run_id, targets=arm.targets, outcome=arm.outcome, invalid=arm.invalid)


def _words(arm: RunRecord) -> str:
    if arm.outcome is None or arm.outcome.failure is None:
        return arm.invalid
    return f"{arm.outcome.failure}: {arm.outcome.detail}" if arm.outcome.detail else arm.outcome.failure


def _answer(arm: RunRecord) -> str:
    return f"the answer is {(arm.trajectory.final_output or '')[:80]!r}"
