"""Running AutoGen systems under the adapter, as `aegis.record` and as a campaign do it."""

from __future__ import annotations

import asyncio
import copy
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_autogen.adapter import AutoGenAdapter
from aegis_autogen.taps.standing import StandIn
from aegis_core.faults import ArmKind, Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.trajectory import Step, Trajectory, Usage

ADAPTER = AutoGenAdapter()
TASK = "Count the crates."
Build = Callable[[], Any]
_OWNERS = ("autogen_agentchat", "autogen_core", "autogen_ext", "tests")
_CHANGING = ("_runtime", "_previous_speaker", "reply", "_cur_usage", "_total_usage")
"""What a team puts anew in a run itself, and a test."""


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
    alone: bool = False,
) -> Ran:
    """Run a system under the adapter, on an event loop of its own; nothing may be left over.

    A copy of it is run without the adapter first: the result has to be the same.

    Args:
        alone: there is no such copy, or its run would be another one.
    """
    plain = None if alone or replay or interventions or limits else _without(app, use)
    info = RunInfo(run_id="run", adapter="autogen", agents=ADAPTER.agents(app))
    run = Run(info, replay=replay, interventions=interventions, limits=limits, normalise=ADAPTER.normalise)
    result, error = None, None

    before = _attributes(app)

    async def play() -> Any:
        with ADAPTER.attach(app, run):
            return await use(app)

    try:
        result = asyncio.run(play())
    except Exception as raised:
        if not raises:
            raise
        error = raised
    _same(app, before)
    assert plain is None or (_plain(result), _plain(error)) == plain
    assert run.trouble == ""
    trajectory = run.trajectory()
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory
    return Ran(run, result, error, app)


_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|datetime\.datetime\([^)]*\)|0x[0-9a-f]+|duration=[0-9.]+|(?s:\nTraceback:.*)"
)


def _plain(result: Any) -> str:
    """A result or an exception as text, without what is another in each run."""
    told = repr(result) if not isinstance(result, BaseException) else f"{type(result).__name__}: {result}"
    return _RANDOM.sub("*", told)


def _without(app: Any, use: Callable[[Any], Any]) -> tuple[str, str]:
    """Result and exception of a copy that is run without the adapter."""

    async def play() -> Any:
        return await use(twin)

    twin = copy.deepcopy(app)
    try:
        return _plain(asyncio.run(play())), _plain(None)
    except Exception as error:
        return _plain(None), _plain(error)


def _parts(app: Any) -> list[Any]:
    """All objects of the framework's and the tests' own classes that an app holds: teams, agents, clients, tools."""
    found: dict[int, Any] = {}
    left: list[Any] = [app]
    while left:
        item = left.pop()
        if isinstance(item, list | tuple | dict):
            left += item.values() if isinstance(item, dict) else item
        elif id(item) not in found and type(item).__module__.split(".")[0] in _OWNERS and hasattr(item, "__dict__"):
            found[id(item)] = item
            left += [value for name, value in vars(item).items() if name not in _CHANGING]
    return list(found.values())


def _attributes(app: Any) -> list[tuple[Any, dict[str, Any]]]:
    """What each part of an app has of its own, before a run."""
    return [(item, dict(vars(item))) for item in _parts(app)]


def _same(app: Any, before: list[tuple[Any, dict[str, Any]]]) -> None:
    """Nothing of ours is left: what replaced an attribute is gone, by identity."""
    for item, known in before:
        for name, value in vars(item).items():
            if name not in known:
                assert not inspect.isroutine(value), f"{type(item).__name__}.{name} is left over"
            elif inspect.isroutine(known[name]) or type(known[name]).__module__.split(".")[0] in _OWNERS:
                assert value is known[name] or name in _CHANGING, f"{type(item).__name__}.{name} is not restored"
    held = [
        f"{type(item).__name__}.{name}" for item in _parts(app) for name, value in vars(item).items() if _ours(value)
    ]
    assert held == []


def _ours(value: Any) -> bool:
    """Whether a value, or what is in a list of it, is a tap."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(item, StandIn) or hasattr(item, "__aegis_run__") for item in inside)


def spent(done: Ran) -> tuple[Usage, Usage]:
    """What all model calls of a run told, and what its steps tell: (tokens in, tokens out) of both."""
    told = [entry.payload["usage"] for entry in done.run.tape().entries if entry.key.kind == "model"]
    steps = [step.usage for step in done.steps if step.usage is not None]
    return (
        Usage(
            input_tokens=sum(usage["prompt_tokens"] for usage in told),
            output_tokens=sum(usage["completion_tokens"] for usage in told),
        ),
        Usage(
            input_tokens=sum(usage.input_tokens for usage in steps),
            output_tokens=sum(usage.output_tokens for usage in steps),
        ),
    )


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
