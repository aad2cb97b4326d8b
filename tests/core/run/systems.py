"""A small real system of plain functions, and scripted injectors, for the tests of `aegis_core.run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aegis_core as aegis
from aegis_core.adapter import Adapter
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.trajectory import Trajectory

calls: list[str] = []


@aegis.model
def echo(prompt: str) -> str:
    calls.append(prompt)
    return f"<{prompt}>"


@aegis.agent("Planner")
def plan(question: str) -> str:
    return "plan: " + echo(question)


@aegis.agent("Solver")
def solve(plan_text: str) -> str:
    draft = echo(plan_text)
    return "result: " + echo(draft)


@aegis.agent("Reporter", pure=True)
def report(result: str) -> str:
    return f"report of {result}"


@aegis.trace
def relay(question: str) -> str:
    return report(solve(plan(question)))


class Scripted(Injector):
    """Applies a function to each editable text."""

    name = "scripted"

    def __init__(self, change: Callable[[str], str] = lambda text: text + " ALTERED") -> None:
        self._change = change
        self.contexts: list[InjectionContext] = []

    def realisations(self) -> tuple[Realisation, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        self.contexts.append(context)
        texts = {part.id: self._change(part.text) for part in context.parts if part.editable}
        return Edits(texts=texts, realisation="scripted")


def target(agent: str, strategy: Strategy, scope: Scope, turn: int = 1, branch: str = "") -> Target:
    return Target(moment=Moment(agent=agent, turn=turn, branch=branch), mode="FM-1.1", strategy=strategy, scope=scope)


def recorded(adapter: Adapter, app: Any, task: str) -> tuple[Trajectory, Tape, str]:
    """A clean run: trajectory, tape, result."""
    run = Run(RunInfo(run_id="clean", task=task), normalise=adapter.normalise)
    with adapter.attach(app, run) as attachment:
        result = adapter.start(attachment.app, task)
    calls.clear()
    return run.trajectory(), run.tape(), result


def rerun(
    adapter: Adapter,
    app: Any,
    task: str,
    tape: Tape,
    *targets: Target,
    injector: Injector | None = None,
    limits: Limits | None = None,
    **more: Any,
) -> tuple[Run, Any]:
    """A run that is served from the tape up to the targets."""
    planned = Plan(targets=targets, seed=1) if targets else None
    interventions = Interventions(planned, injector or Scripted(), **more) if planned else None
    run = Run(
        RunInfo(run_id="rerun", task=task),
        replay=Replay(tape, targets, "node"),
        interventions=interventions,
        limits=limits,
        normalise=adapter.normalise,
    )
    with adapter.attach(app, run) as attachment:
        return run, adapter.start(attachment.app, task)
