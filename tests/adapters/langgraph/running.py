"""Running graphs under the adapter, as the campaign does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_core.faults import ArmKind, Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.trajectory import Trajectory
from aegis_langgraph.adapter import LangGraphAdapter

ADAPTER = LangGraphAdapter()
Build = Callable[[], Any]


class Appends(Injector):
    """Appends a word to the last editable text, or puts the text back unchanged."""

    name = "appends"

    def __init__(self, word: str = " ALTERED", route: str | None = None) -> None:
        self._word, self._route = word, route

    def realisations(self) -> tuple[Realisation, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        found = [part for part in context.parts if part.editable]
        if not found and self._route is None:
            return Refused("there is nothing to alter")
        texts = {found[-1].id: found[-1].text + self._word} if found else {}
        return Edits(texts=texts, realisation="append", route=self._route)


@dataclass(frozen=True)
class Ran:
    """One run, with what the graph returned."""

    run: Run
    result: Any

    @property
    def trajectory(self) -> Trajectory:
        return self.run.trajectory()

    @property
    def canonical(self) -> tuple[Any, Tape, Any]:
        return canonical(self.run.trajectory(), self.run.tape(), self.run.ledger())

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """(agent, kind, text) of all steps."""
        return [(step.agent, step.kind, step.text) for step in self.trajectory.steps]

    @property
    def texts(self) -> list[str]:
        return [step.text for step in self.trajectory.steps]


def invoked(app: Any, given: Any) -> Any:
    return app.invoke(given)


def ainvoked(app: Any, given: Any) -> Any:
    return asyncio.run(app.ainvoke(given))


def ran(
    app: Any,
    given: Any,
    *,
    replay: Replay | None = None,
    interventions: Interventions | None = None,
    limits: Limits | None = None,
    use: Callable[[Any, Any], Any] = invoked,
) -> Ran:
    """Run a graph under the adapter; nothing may be left over."""
    info = RunInfo(run_id="run", adapter="langgraph", agents=ADAPTER.agents(app))
    run = Run(info, replay=replay, interventions=interventions, limits=limits, normalise=ADAPTER.normalise)
    with ADAPTER.attach(app, run) as attachment:
        result = use(attachment.app, given)
    assert run.trouble == ""
    assert attachment.watcher.is_idle()  # type: ignore[attr-defined]
    return Ran(run, result)


class Live(Replay):
    """Serves nothing and compares nothing: for a rebuilt graph that is live from the start."""

    def __init__(self) -> None:
        super().__init__(Tape(run_id="none"), ())

    def turn_begins(self, moment: Moment, digest: str) -> str:
        return ""

    def serve(self, key: Any, digest: str) -> None:
        return None

    def made_anew(self, key: Any) -> str:
        return ""


def target(
    agent: str, strategy: Strategy, scope: Scope, *, turn: int = 1, branch: str = "", mode: str = "FM-2.6"
) -> Target:
    return Target(moment=Moment(agent=agent, branch=branch, turn=turn), mode=mode, strategy=strategy, scope=scope)


def altered(
    build: Build,
    given: Any,
    clean: Ran,
    *targets: Target,
    injector: Injector | None = None,
    arm: ArmKind = "fault",
    level: Any = "node",
    use: Callable[[Any, Any], Any] = invoked,
) -> Ran:
    """Serve a clean run up to the first target, alter, and go live."""
    plan = Plan(targets=targets, seed=1)
    interventions = Interventions(plan, injector or Appends(), arm=arm)
    replay = Replay(clean.canonical[1], interventions.targets, level)
    return ran(build(), given, replay=replay, interventions=interventions, use=use)


def served(build: Build, given: Any, clean: Ran, *, level: Any = "node", use: Any = invoked) -> Ran:
    """Serve a clean run to its end."""
    return ran(build(), given, replay=Replay(clean.canonical[1], (), level), use=use)
