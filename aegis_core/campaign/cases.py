"""One case of a campaign after the other: the clean run of a task, the plans for it, and what becomes of each.

A case depends on its task and the campaign's configuration alone, not on other cases; so cases can be made in any
order, and by several processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from aegis_core.campaign.arms import Arm, Arms, hashed_id, timed
from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.preparation import Ready
from aegis_core.campaign.proof import Judge, Prover, Verdict
from aegis_core.run import Limits
from aegis_core.trajectory import Trajectory

__all__ = ["Cases", "Keep", "Opened", "Source", "case_id_of"]

Keep = Callable[[str, Callable[[], tuple[RunRecord, float]]], RunRecord]
"""Looks a run up by its id, or has it made (which also says how many seconds it took) and keeps it."""


def case_id_of(clean: RunRecord) -> str:
    """The id of the case whose clean run this is."""
    return hashed_id("case", clean.run_id)


@dataclass(frozen=True)
class Opened:
    """A clean run was judged, and so many plans were made for it."""

    clean: RunRecord
    n_plans: int


class Source(Protocol):
    """Where the cases of a campaign come from: this process, or workers."""

    def case(self, ordinal: int) -> Iterator[Opened | Verdict]:
        """What happens in the case of a task (its place, from 0): it is opened, then comes a verdict for each plan.

        All runs of what was told so far are in the journal. Whoever has seen enough stops asking. Cases are asked for
        in ascending order.
        """
        ...


class Cases:
    """Makes cases in this process, a run at a time and only when it is asked for.

    Args:
        ready: the campaign.
        keep: looks runs up and keeps them.
        judge: the evidence of modes.
    """

    def __init__(self, ready: Ready, keep: Keep, judge: Judge) -> None:
        configuration = ready.configuration
        self._ready = ready
        self._keep = keep
        self._arms = Arms(
            factory=ready.factory,
            wrapped=ready.wrapped,
            injector=ready.injector,
            check=ready.check,
            limits=Limits(**configuration.limits.model_dump()),
            seed=configuration.seed,
            digest=configuration.runs_digest(),
        )
        self._prover = Prover(self._run, judge)

    def case(self, ordinal: int) -> Iterator[Opened | Verdict]:
        """See `Source`."""
        task = self._ready.tasks[ordinal]
        clean = self._run(Arm(task, "clean"))
        plans = self._ready.planner.plans(clean, ordinal) if clean.is_right else ()
        yield Opened(clean, len(plans))
        kept: list[Trajectory] = []
        for plan in plans:
            verdict = self._prover.prove(task, plan, clean, case_id=case_id_of(clean), kept=tuple(kept))
            if verdict.run.kept:
                kept.append(verdict.arms[0].trajectory)
            yield verdict

    def _run(self, arm: Arm, clean: RunRecord | None = None, fault: RunRecord | None = None) -> RunRecord:
        return self._keep(self._arms.run_id(arm), lambda: timed(lambda: self._arms.make(arm, clean, fault)))
