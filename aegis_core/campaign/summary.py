"""What a campaign comes to, in numbers, and how far it is."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field

from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.proof import REASONS, Verdict
from aegis_core.records import FileRecord, Record

__all__ = ["Progress", "Summary", "Tally", "Yield"]


class Yield(Record):
    """How many plans were tried and how many proven."""

    planned: int = Field(ge=0)
    kept: int = Field(ge=0)


class Summary(FileRecord):
    """The counts of a campaign. A label is a fault that is a cause; mappings are sorted by name.

    `clean_failures` are clean runs by kind of failure, for which no fault is planned. `discarded` has every reason
    that occurred, in the order of `REASONS`. `without_plan` are right clean runs in which nothing could be planned.
    `yields` are by `mode strategy realisation`, of plans with a single target. `live_model_calls` were really made,
    not served from a tape.
    """

    tasks: int = Field(ge=0)
    clean_right: int = Field(ge=0)
    clean_failures: dict[str, int]
    without_plan: int = Field(ge=0)
    planned: int = Field(ge=0)
    kept: int = Field(ge=0)
    kept_with_two_targets: int = Field(ge=0)
    discarded: dict[str, int]
    labels: int = Field(ge=0)
    redundant: int = Field(ge=0)
    labels_by_mode: dict[str, int]
    labels_by_agent: dict[str, int]
    labels_by_strategy: dict[str, int]
    yields: dict[str, Yield]
    runs: int = Field(ge=0)
    live_model_calls: int = Field(ge=0)


class Progress(Record):
    """How far a campaign is. `event` says what has just ended: a clean run, a plan, or everything.

    `runs_made` and `runs_found` count runs made now, and runs of an earlier session that were looked up.
    """

    event: Literal["clean", "plan", "done"]
    task: int = Field(ge=0)
    """Number of the task that is being worked on, from 1."""
    tasks: int = Field(ge=1)
    clean_right: int = Field(ge=0)
    planned: int = Field(ge=0)
    kept: int = Field(ge=0)
    runs_made: int = Field(ge=0)
    runs_found: int = Field(ge=0)


class Tally:
    """Counts clean runs and verdicts as they come."""

    def __init__(self) -> None:
        self.tasks = 0
        self.clean_right = 0
        self.planned = 0
        self.kept = 0
        self._without_plan = 0
        self._pairs = 0
        self._redundant = 0
        self._runs = 0
        self._calls = 0
        self._failures: Counter[str] = Counter()
        self._discarded: Counter[str] = Counter()
        self._modes: Counter[str] = Counter()
        self._agents: Counter[str] = Counter()
        self._strategies: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._proven: Counter[str] = Counter()

    def clean(self, run: RunRecord, n_plans: int) -> None:
        """A clean run was judged, and so many plans were made for it."""
        self.tasks += 1
        self._count_runs(run.live_model_calls)
        if run.is_right:
            self.clean_right += 1
            self._without_plan += not n_plans
        else:
            kind = run.outcome.failure if run.outcome is not None else None
            self._failures[kind or run.invalid.partition(":")[0]] += 1

    def verdict(self, verdict: Verdict) -> None:
        """A plan was proven or discarded."""
        self.planned += 1
        self._count_runs(*verdict.live_model_calls)
        targets = verdict.run.plan.targets
        way = f"{targets[0].mode} {targets[0].strategy} {targets[0].realisation or 'any'}"
        self._tried[way] += len(targets) == 1
        if verdict.labels is None:
            self._discarded[verdict.run.reason] += 1
            return
        self.kept += 1
        self._proven[way] += len(targets) == 1
        self._pairs += len(targets) > 1
        self._redundant += len(verdict.labels.redundant)
        self._modes.update(fault.mode for fault in verdict.labels.faults if fault.mode is not None)
        for fault in verdict.labels.faults:
            self._agents[fault.agent] += 1
            self._strategies[f"{fault.strategy}/{fault.scope}"] += 1

    def _count_runs(self, *live_model_calls: int) -> None:
        self._runs += len(live_model_calls)
        self._calls += sum(live_model_calls)

    def summary(self) -> Summary:
        """The counts so far."""
        return Summary(
            tasks=self.tasks,
            clean_right=self.clean_right,
            clean_failures=dict(sorted(self._failures.items())),
            without_plan=self._without_plan,
            planned=self.planned,
            kept=self.kept,
            kept_with_two_targets=self._pairs,
            discarded={reason: self._discarded[reason] for reason in REASONS if self._discarded[reason]},
            labels=self._modes.total(),
            redundant=self._redundant,
            labels_by_mode=dict(sorted(self._modes.items())),
            labels_by_agent=dict(sorted(self._agents.items())),
            labels_by_strategy=dict(sorted(self._strategies.items())),
            yields={
                way: Yield(planned=tried, kept=self._proven[way]) for way, tried in sorted(self._tried.items()) if tried
            },
            runs=self._runs,
            live_model_calls=self._calls,
        )
