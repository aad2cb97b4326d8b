"""What the author of an adapter fills in, and how the kit runs systems: plainly, recorded, served, altered."""

from __future__ import annotations

import asyncio
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from aegis_core.adapter import Adapter, ReplayLevel, System
from aegis_core.campaign.controls import NullInjector
from aegis_core.errors import RecorderWarning
from aegis_core.faults import ArmKind, Moment, Plan, Target
from aegis_core.injector import Injector
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.testing.marking import Marks
from aegis_core.testing.script import Script
from aegis_core.trace import Recording, record
from aegis_core.trajectory import Step, Trajectory

__all__ = ["TASK", "Build", "Played", "Stage", "Way"]

Way = Literal["sync", "async", "stream", "astream"]
"""How a system is run: by a call, a coroutine, an iterator, or an asynchronous iterator."""
Build = Callable[[Script, Way], Any]
"""Makes a fresh system: a framework's own object, or a `System` around one."""

TASK = "How many crates does hall 27 hold?"
_RUN_ID = "0123456789abcdef01234567"
_SPOKEN = frozenset({"message", "handoff", "plan"})


@dataclass(frozen=True)
class Played:
    """One run of a system under the adapter, with what came out of it.

    `result` is in the form of `Stage.plain`; `error` is the exception that left the system.
    """

    run: Run
    script: Script
    result: Any = None
    error: BaseException | None = None
    warned: tuple[str, ...] = ()
    built: Any = field(default=None, repr=False)
    """The system, which must live as long as what is said of its attributes."""

    @property
    def trajectory(self) -> Trajectory:
        """The run as an observer may see it."""
        return self.run.trajectory()

    @property
    def canonical(self) -> tuple[Trajectory, Tape]:
        """Trajectory and tape in the form of a dataset."""
        trajectory, tape, _ = canonical(self.run.trajectory(), self.run.tape(), self.run.ledger())
        return trajectory, tape

    @property
    def delivered(self) -> tuple[object, ...]:
        """What an observer is told of the run itself, in the form of a dataset: agents, steps, answer, error."""
        whole = self.canonical[0]
        return whole.agents, whole.steps, whole.final_output, whole.error

    @property
    def spoken(self) -> list[Step]:
        """The steps in which an agent said something, in order."""
        return [step for step in self.trajectory.steps if step.kind in _SPOKEN]

    @property
    def said(self) -> list[tuple[str, str]]:
        """(agent, text) of these steps."""
        return [(step.agent, step.text) for step in self.spoken]

    def turns(self) -> list[tuple[Moment, list[str]]]:
        """All steps by their turns, as JSON without what depends on their order among those of other turns."""
        found: dict[Moment, list[str]] = {}
        for step in self.canonical[0].steps:
            moment = Moment(agent=step.agent, branch=step.branch, turn=step.turn)
            text = step.model_dump_json(exclude={"index", "parents", "start", "end", "call_id"})
            found.setdefault(moment, []).append(text)
        return sorted(found.items(), key=lambda turn: str(turn[0]))

    def written(self) -> str:
        """All that is written down of the run, as JSON: trajectory and tape."""
        return self.run.trajectory().model_dump_json() + self.run.tape().model_dump_json()


class Stage:
    """What differs between adapters. Subclasses fill in the name and build a few small systems.

    A builder gets the `Script` whose replies its models give, and the way in which the system is going to be run (most
    frameworks build the same object for all). A system that the framework can't express is left out: the builder
    returns None, and the checks that need it are skipped and named in the certificate.
    """

    name: ClassVar[str] = ""
    """Of the adapter, as in its provider."""
    ways: ClassVar[tuple[Way, ...]] = ("sync",)
    """How systems can be run; the first is used where a check needs just one."""
    framework_modules: ClassVar[tuple[str, ...]] = ()
    """Top-level modules of the framework: importing the plugin must not load them, and recording must not patch them
    for good."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """Distributions of the framework, for the certificate."""
    reports_usage: ClassVar[bool] = False
    """Whether models of this framework tell their tokens; the scripted ones then have to as well."""

    # -- what authors fill in ------------------------------------------------------------------------------------

    def conversation(self, script: Script, way: Way) -> Any:
        """`Writer`, then `Critic`, then `Writer` again, whose second reply is the answer.

        Each calls its model once a turn, and remembers what it was told and what it said.
        """
        raise NotImplementedError(f"{type(self).__name__}.conversation: build Writer, Critic, Writer")

    def tool_use(self, script: Script, way: Way) -> Any:
        """`Clerk`, whose model asks for the tool `stock` and then answers; then `Writer`. None: no tools."""
        del script, way

    def side_by_side(self, script: Script, way: Way) -> Any:
        """An agent, then two or more turns at the same time, then an agent that is told of all. None: no parallel work.

        The turns in the middle are those of different agents, or of one agent on branches.
        """
        del script, way

    def nested(self, script: Script, way: Way) -> Any:
        """An agent, then a team with an agent or two inside, then an agent. None: teams don't nest."""
        del script, way

    def handing_over(self, script: Script, way: Way) -> Any:
        """`Writer`, who hands over to `Critic`, though `Clerk` could be reached too. None: there are no hand-offs."""
        del script, way

    def retrying(self, script: Script, way: Way) -> Any:
        """`Writer`, then `Critic`, who is tried again when its model fails. None: the framework tries nothing again."""
        del script, way

    def run(self, app: Any, task: str, way: Way) -> Any:
        """Run an object on a task: its result, a coroutine of it, an iterator or an asynchronous iterator of chunks."""
        del way
        return self.adapter().start(app, task)

    def plain(self, result: Any) -> Any:
        """A result (of a stream: the list of its chunks) as a value that equals that of another, equal run."""
        return result

    def message(self, error: BaseException) -> str:
        """The text of an exception, without the traceback that a framework writes into it: it shows who is around."""
        return str(error)

    def plugins(self) -> Plugins:
        """Where the adapter is looked up: by default all that is installed."""
        return default_plugins()

    # -- how the kit runs them -----------------------------------------------------------------------------------

    def adapter(self) -> Adapter:
        """The adapter under test."""
        return self.plugins().adapter(self.name)

    @property
    def way(self) -> Way:
        """The way that is used where one is enough."""
        return self.ways[0]

    def systems(self, way: Way | None = None) -> Mapping[str, Build]:
        """All builders that give a system that is run in this way, by name."""
        found: dict[str, Build] = {
            "conversation": self.conversation,
            "tool_use": self.tool_use,
            "side_by_side": self.side_by_side,
            "nested": self.nested,
            "handing_over": self.handing_over,
        }
        names = _offered(type(self), way or self.way, tuple(found))  # type: ignore[arg-type]  # a class can be hashed
        return {name: found[name] for name in names}

    def built(self, build: Build, script: Script, way: Way | None = None) -> System:
        """A fresh system, always in a `System`."""
        made = build(script, way or self.way)
        return made if isinstance(made, System) else System(made)

    def answer(self, build: Build) -> str | None:
        """The final answer as a campaign finds it, in the result of the adapter's own `start`."""
        system, adapter = self.built(build, Script()), self.adapter()
        with self.recording(system) as recording:
            result = _ended((system.start or adapter.start)(recording.app, TASK))
        return (system.output or adapter.output)(result)

    def outcome(self, system: System, app: Any, way: Way, task: str = TASK) -> tuple[Any, BaseException | None]:
        """Run an object to its end: the plain result, or the exception that left it."""
        try:
            return self.plain(_ended(self.started(system, app, way, task))), None
        except Exception as error:  # the system's own, which the check compares
            return None, error

    async def aoutcome(self, system: System, app: Any, way: Way, task: str = TASK) -> Any:
        """Asynchronous form of `outcome`; exceptions pass through."""
        return self.plain(await _aended(self.started(system, app, way, task)))

    def started(self, system: System, app: Any, way: Way, task: str = TASK) -> Any:
        """What running the object gives: a result, an awaitable or a stream."""
        return system.start(app, task) if system.start is not None else self.run(app, task, way)

    def unrecorded(self, build: Build, script: Script, way: Way | None = None) -> tuple[Any, BaseException | None]:
        """Run a system without Aegis."""
        chosen = way or self.way
        system = self.built(build, script, chosen)
        return self.outcome(system, system.app, chosen)

    def recording(self, system: System) -> Recording:
        """A recording of a system by the adapter under test."""
        return record(system, adapter=self.adapter(), run_id=_RUN_ID)

    def recorded(self, build: Build, script: Script | None = None, way: Way | None = None, task: str = TASK) -> Played:
        """Run a system inside `aegis.record`, as a user does."""
        script, chosen = script or Script(), way or self.way
        system = self.built(build, script, chosen)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RecorderWarning)
            recording = self.recording(system)
            result, error = None, None
            try:
                with recording:
                    result, error = self.outcome(system, recording.app, chosen, task)
                    if error is not None:
                        raise error
            except Exception as left:  # the system's own, which the check compares
                error = left
        return Played(recording.run, script, result, error, _said_of(caught), system)

    def acted(
        self,
        build: Build,
        *targets: Target,
        script: Script | None = None,
        served: Tape | None = None,
        level: ReplayLevel = "call",
        arm: ArmKind = "fault",
        injector: Injector | None = None,
        task: str = TASK,
    ) -> Played:
        """Run a system as a campaign does: served from a tape, if there is one, up to the first target, and altered."""
        script = script or Script()
        system = self.built(build, script)
        adapter = self.adapter()
        interventions = None
        if targets:
            chosen = injector or (NullInjector() if arm == "null" else Marks())
            interventions = Interventions(Plan(targets=targets, seed=1), chosen, arm=arm)
        run = Run(
            RunInfo(run_id=_RUN_ID, task=task, system="", adapter=adapter.name, agents=adapter.agents(system.app)),
            replay=Replay(served, targets, level) if served is not None else None,
            interventions=interventions,
            normalise=adapter.normalise,
            output=system.output,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RecorderWarning)
            with adapter.attach(system.app, run) as attachment:
                result, error = self.outcome(system, attachment.app, self.way, task)
                if error is not None:
                    run.failed(error)
        return Played(run, script, result, error, _said_of(caught), system)

    def levels(self, build: Build) -> tuple[ReplayLevel, ...]:
        """The levels at which the adapter says that it can serve a system."""
        return self.adapter().capabilities(self.built(build, Script()).app).replay


@functools.cache
def _offered(cls: type[Stage], way: Way, names: tuple[str, ...]) -> tuple[str, ...]:
    """The builders that give a system; asked once, since building may be slow."""
    return tuple(name for name in names if getattr(cls(), name)(Script(), way) is not None)


def _said_of(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    return tuple(str(item.message) for item in caught if issubclass(item.category, RecorderWarning))


def _ended(started: Any) -> Any:
    """The result of what was started; of a stream the list of its chunks."""
    if inspect.isawaitable(started) or hasattr(started, "__aiter__"):
        return asyncio.run(_aended(started))
    if hasattr(started, "__next__"):
        return list(started)
    return started


async def _aended(started: Any) -> Any:
    if hasattr(started, "__aiter__"):
        return [chunk async for chunk in started]
    if inspect.isawaitable(started):
        return await started
    return list(started) if hasattr(started, "__next__") else started
