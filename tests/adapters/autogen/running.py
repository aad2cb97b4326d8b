"""Running AutoGen systems under the adapter, as `aegis.record` and as a campaign do it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_autogen.adapter import AutoGenAdapter
from aegis_core.faults import ArmKind, Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.trajectory import Step, Trajectory

ADAPTER = AutoGenAdapter()
TASK = "Count the crates."
Build = Callable[[], Any]


class Appends(Injector):
    """Appends a word to the last editable text, and may send a hand-off elsewhere."""

    name = "appends"

    def __init__(self, word: str = " ALTERED", route: str | None = None) -> None:
        self._word, self._route = word, route

    def realisations(self) -> tuple[Realisation, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        found = [part for part in context.parts if part.editable]
        if (not found or not self._word) and self._route is None:
            return Refused("there is nothing to alter")
        texts = {found[-1].id: found[-1].text + self._word} if found and self._word else {}
        return Edits(texts=texts, realisation="append", route=self._route)


@dataclass(frozen=True)
class Ran:
    """One run, with what came out of it."""

    run: Run
    result: Any
    error: BaseException | None
    app: Any

    @property
    def trajectory(self) -> Trajectory:
        return self.run.trajectory()

    @property
    def canonical(self) -> tuple[Any, Tape, Any]:
        return canonical(self.run.trajectory(), self.run.tape(), self.run.ledger())

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trajectory.steps

    @property
    def told(self) -> list[str]:
        """agent:kind of all steps, in order."""
        return [f"{step.agent}:{step.kind}" for step in self.steps]

    @property
    def said(self) -> list[tuple[str, str]]:
        """(agent, text) of what agents said."""
        spoken = ("message", "handoff", "plan")
        return [(step.agent, step.text) for step in self.steps if step.kind in spoken]

    def of(self, agent: str, kind: str = "message") -> list[Step]:
        return [step for step in self.steps if (step.agent, step.kind) == (agent, kind)]


async def started(app: Any) -> Any:
    return await app.run(task=TASK)


def ran(
    app: Any,
    *,
    replay: Replay | None = None,
    interventions: Interventions | None = None,
    limits: Limits | None = None,
    use: Callable[[Any], Any] = started,
    raises: bool = False,
) -> Ran:
    """Run a system under the adapter, on an event loop of its own; nothing may be left over."""
    info = RunInfo(run_id="run", adapter="autogen", agents=ADAPTER.agents(app))
    run = Run(info, replay=replay, interventions=interventions, limits=limits, normalise=ADAPTER.normalise)
    result, error = None, None

    async def play() -> Any:
        with ADAPTER.attach(app, run):
            return await use(app)

    try:
        result = asyncio.run(play())
    except Exception as raised:
        if not raises:
            raise
        error = raised
    assert run.trouble == ""
    trajectory = run.trajectory()
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory
    return Ran(run, result, error, app)


def target(
    agent: str, strategy: Strategy, scope: Scope, *, turn: int = 1, branch: str = "", mode: str = "FM-2.6"
) -> Target:
    return Target(moment=Moment(agent=agent, branch=branch, turn=turn), mode=mode, strategy=strategy, scope=scope)


def altered(
    build: Build,
    *targets: Target,
    clean: Ran | None = None,
    injector: Injector | None = None,
    arm: ArmKind = "fault",
    use: Callable[[Any], Any] = started,
    raises: bool = False,
) -> Ran:
    """Alter a run; with `clean` it is served from that one's tape up to the first target."""
    interventions = Interventions(Plan(targets=targets, seed=1), injector or Appends(), arm=arm)
    replay = Replay(clean.canonical[1], interventions.targets, "call", clean.trajectory) if clean is not None else None
    done = ran(build(), replay=replay, interventions=interventions, use=use, raises=raises)
    assert done.run.void == ""
    assert [entry.reason for entry in done.run.ledger().interventions if not entry.fired] == []
    return done


def served(build: Build, clean: Ran, *, use: Callable[[Any], Any] = started) -> Ran:
    """Serve a clean run to its end."""
    done = ran(build(), replay=Replay(clean.canonical[1], (), "call"), use=use)
    assert done.run.void == ""
    return done
