"""Running agents under the adapter, as users and campaigns do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_core.campaign.controls import NullInjector
from aegis_core.faults import ArmKind, Moment, Plan, Scope, Strategy, Target
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.testing.marking import MARK, Marks
from aegis_core.trajectory import Step, Trajectory
from aegis_smolagents.adapter import SmolagentsAdapter

__all__ = ["ADAPTER", "MARK", "Ran", "ran", "target"]

ADAPTER = SmolagentsAdapter()
TASK = "How many crates does hall 27 hold?"


@dataclass(frozen=True)
class Ran:
    """One run, with what the system returned, or raised."""

    run: Run
    result: Any
    error: BaseException | None

    @property
    def trajectory(self) -> Trajectory:
        return self.run.trajectory()

    @property
    def tape(self) -> Tape:
        return canonical(self.run.trajectory(), self.run.tape(), self.run.ledger())[1]

    @property
    def canonical(self) -> tuple[Any, Tape, Any]:
        return canonical(self.run.trajectory(), self.run.tape(), self.run.ledger())

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trajectory.steps

    @property
    def told(self) -> list[tuple[str, str, str]]:
        """(agent, kind, text) of all steps."""
        return [(step.agent, step.kind, step.text) for step in self.steps]

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """(agent, kind) of all steps."""
        return [(step.agent, step.kind) for step in self.steps]

    @property
    def fired(self) -> bool:
        return all(entry.fired for entry in self.run.ledger().interventions)

    @property
    def reasons(self) -> list[str]:
        return [entry.reason for entry in self.run.ledger().interventions]


def target(agent: str, strategy: Strategy, scope: Scope, turn: int = 1, branch: str = "") -> Target:
    return Target(moment=Moment(agent=agent, turn=turn, branch=branch), mode="FM-2.6", strategy=strategy, scope=scope)


def ran(
    app: Any,
    task: str = TASK,
    *targets: Target,
    use: Callable[[Any, str], Any] = lambda app, task: app.run(task),
    served: Tape | None = None,
    arm: ArmKind = "fault",
    limits: Limits | None = None,
) -> Ran:
    """Run it, served from a tape if there is one, and altered if there are targets."""
    injector = NullInjector() if arm == "null" else Marks()
    interventions = Interventions(Plan(targets=targets, seed=1), injector, arm=arm) if targets else None
    run = Run(
        RunInfo(run_id="run", adapter=ADAPTER.name, agents=ADAPTER.agents(app)),
        replay=Replay(served, targets) if served is not None else None,
        interventions=interventions,
        normalise=ADAPTER.normalise,
        limits=limits,
    )
    with ADAPTER.attach(app, run) as attachment:
        try:
            return Ran(run, use(attachment.app, task), None)
        except Exception as error:
            return Ran(run, None, error)
