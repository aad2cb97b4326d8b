"""Running graphs under the adapter, as the campaign does it.

Each run is checked: the graph is left as it was, by identity; the record is the same when it is written and read; and,
where a run is only recorded, its result is that of the bare graph.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel

import aegis_core as aegis
from aegis_core.faults import ArmKind, Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Limits, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.trajectory import Trajectory
from aegis_langgraph.adapter import LangGraphAdapter
from aegis_langgraph.watching.callbacks import current_watcher
from tests.adapters.langgraph.models import unseen

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
    again: Build | None = None,
) -> Ran:
    """Run a graph under the adapter; nothing may be left over.

    Args:
        again: makes a bare graph whose result has to be the same; by default it is the same graph. None of it where
            what it does can't be done twice: give `lambda: None`.
    """
    info = RunInfo(run_id="run", adapter="langgraph", agents=ADAPTER.agents(app))
    run = Run(info, replay=replay, interventions=interventions, limits=limits, normalise=ADAPTER.normalise)
    with left_as_it_was(app), ADAPTER.attach(app, run) as attachment:
        result = use(attachment.app, given)
    assert run.trouble == ""
    assert attachment.watcher.is_idle()  # type: ignore[attr-defined]
    assert_kept(run.trajectory())
    if replay is None and interventions is None and limits is None:
        assert_same_result(again() if again is not None else app, given, use, result)
    return Ran(run, result)


@contextmanager
def recorded(app: Any) -> Iterator[aegis.Recording]:
    """`aegis.record`, checked in the same way."""
    recording = aegis.record(app, adapter=ADAPTER)
    with left_as_it_was(app), recording:
        yield recording
    assert_kept(recording.trajectory)


@contextmanager
def left_as_it_was(app: Any) -> Iterator[None]:
    """Afterwards everything stands where it stood, by identity."""
    outer = current_watcher.get()
    before = [(owner, type(owner), dict(vars(owner))) for owner in _owners(app)]
    yield
    for owner, cls, space in before:
        now = {name: value for name, value in vars(owner).items() if not _is_cached(owner, name)}
        assert type(owner) is cls
        assert now.keys() <= space.keys()
        assert all(now[name] is space[name] for name in now)
    assert current_watcher.get() is outer


def assert_kept(trajectory: Trajectory) -> None:
    """The record is the same when it is written and read."""
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


def assert_same_result(app: Any, given: Any, use: Callable[[Any, Any], Any], result: Any) -> None:
    """The bare graph gives the same result, on a thread of its own."""
    if app is None:
        return
    if isinstance(app, Pregel) and app.checkpointer is not None:
        app = app.copy({"checkpointer": InMemorySaver()})
    with unseen():
        assert _without_ids(use(app, given)) == _without_ids(result)


def _owners(app: Any) -> Iterator[Any]:
    """The graph, the graphs inside, their nodes, and what these run."""
    if not isinstance(app, Pregel):
        return
    yield app
    for node in app.nodes.values():
        yield from (node, *(thing for thing in (node.bound,) if hasattr(thing, "__dict__")))
        yield from _owners(node.bound)


def _is_cached(owner: Any, name: str) -> bool:
    """Whether this is a property that the framework itself keeps once it was asked for."""
    return hasattr(getattr(type(owner), name, None), "attrname")


_DRAWN = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|0x[0-9a-f]+"
    r"|\d{4}-\d\d-\d\d[T ][\d:.]+(?:\+00:00|Z)?"
)


def _without_ids(result: Any) -> str:
    """A result without what is drawn at random, addresses and times."""
    return _DRAWN.sub("*", repr(result))


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
