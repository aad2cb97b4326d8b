"""What the core hands to an adapter: the only way in which a run is recorded, served and altered.

    turn = run.begin_turn(agent, parts)            # what the agent sees; may come back altered
    result = run.call(turn, "model", parts, live, codec)     # served from the tape, or live; may be altered
    delivery = run.end_turn(turn, parts)           # what leaves the agent; may come back altered

Each has an `a…` form for asynchronous frameworks; calls have streaming forms as well (`run.streams`). There is
one implementation, written as coroutines; the synchronous forms drive them without an event loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pydantic import JsonValue

from aegis_core.adapter import CallKind, Codec, Delivery, Part, Turn
from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.faults import Ledger, Moment, Scope, Strategy
from aegis_core.run.interventions import Alteration, Interventions
from aegis_core.run.recorder import OrderKey, Recorder
from aegis_core.run.replay import Replay
from aegis_core.run.tape import CallKey, Tape, TapeEntry, request_hash
from aegis_core.trajectory import Agent, RunError, StepKind, Trajectory, Usage

__all__ = ["Limits", "Run", "RunInfo"]

R = TypeVar("R")


@dataclass(frozen=True)
class Limits:
    """When a run is ended as `no_end`. None: no limit."""

    turns: int | None = None
    calls: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunInfo:
    """What is known of a run before it starts."""

    run_id: str
    task: str = ""
    system: str = ""
    adapter: str = ""
    agents: tuple[Agent, ...] = field(default=())


class Run:
    """One run of a system: records it, serves it from a tape, carries out interventions.

    Args:
        info: what is known before the start.
        replay: serve the prefix of a recorded run; None: everything is live.
        interventions: targets to carry out; None: nothing is altered.
        limits: turns, calls and seconds after which `RunLimitReached` is raised inside the system.
        normalise: the adapter's `normalise`, for the hashes of the tape.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        info: RunInfo,
        *,
        replay: Replay | None = None,
        interventions: Interventions | None = None,
        limits: Limits | None = None,
        normalise: Callable[[JsonValue], JsonValue] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.info = info
        self.replay = replay
        self.interventions = interventions
        self.limits = limits or Limits()
        self.recorder = Recorder(clock)
        self.recorder.declare(info.agents)
        self.limit_reached = ""
        self.entered = False
        """Whether the entry of the system is running now."""
        self.final_output: str | None = None
        self.trouble = ""
        """What went wrong in recording; such a run proves nothing."""
        self.error: RunError | None = None
        self._normalise = normalise
        self._live_calls = 0
        self._n_turns = 0
        self._n_calls = 0
        self._errors: dict[int, tuple[BaseException, str | None]] = {}
        """Holds the exceptions themselves, so that no later one can have the same id."""
        self._lock = threading.Lock()

    def enter(self, task: str) -> None:
        """The entry of the system was called with the text of a task."""
        self.entered = True
        if not self.info.task:
            self.info = replace(self.info, task=task)

    def leave(self, final_output: str | None) -> None:
        """The entry of the system returned, with the text of its result."""
        self.entered = False
        self.final_output = final_output

    # -- turns ----------------------------------------------------------------------------------------------

    def begin_turn(
        self,
        agent: str,
        parts: Iterable[Part],
        *,
        branch: str = "",
        order: OrderKey = (),
        parents: tuple[int, ...] = (),
        scopes: Sequence[Scope] = ("persistent",),
    ) -> Turn:
        """An activation of `agent` begins, and `parts` is what it is about to see.

        Args:
            order: where the turn stands among those that run in parallel; () leaves it to the order of arrival.
            parents: numbers (as returned by `step`) of the steps that led to it.
            scopes: how far an alteration of these parts can reach in this framework.

        Raises:
            ReplayDrift: the run left the recorded prefix.
            RunLimitReached: too many turns, or too much time.
        """
        return _drive(self._begin(agent, tuple(parts), branch, order, parents, scopes, blocking=True))

    async def abegin_turn(
        self,
        agent: str,
        parts: Iterable[Part],
        *,
        branch: str = "",
        order: OrderKey = (),
        parents: tuple[int, ...] = (),
        scopes: Sequence[Scope] = ("persistent",),
    ) -> Turn:
        """Asynchronous form of `begin_turn`."""
        return await self._begin(agent, tuple(parts), branch, order, parents, scopes, blocking=False)

    async def _begin(
        self,
        agent: str,
        parts: tuple[Part, ...],
        branch: str,
        order: OrderKey,
        parents: tuple[int, ...],
        scopes: Sequence[Scope],
        *,
        blocking: bool,
    ) -> Turn:
        with self._lock:
            self._n_turns += 1
        self._check_limits()
        moment = self.recorder.next_moment(agent, branch)
        digest = request_hash(parts, normalise=self._normalise)
        if self.replay is not None and (drift := self.replay.turn_begins(moment, digest)):
            raise ReplayDrift(f"run {self.info.run_id}: {drift}")
        turn = Turn(moment=moment, parts=parts, order=order, parents=parents, started=self.recorder.now())
        altered = await self._alter(moment, "prompt_injection", scopes, parts, (), blocking)
        if altered is not None:
            turn.parts, turn.changed, turn.scope = altered.parts, altered.changed, altered.scope
        entry = TapeEntry(key=CallKey(moment=moment, kind="input"), request_hash=digest, request=turn.parts)
        self.recorder.tape(entry, order)
        return turn

    def end_turn(
        self,
        turn: Turn,
        parts: Iterable[Part],
        *,
        route: str | None = None,
        addressed_to: tuple[str, ...] = (),
        visible_to: tuple[str, ...] = (),
        model: str | None = None,
        usage: Usage | None = None,
        scopes: Sequence[Scope] = ("outgoing",),
        record: bool = True,
    ) -> Delivery:
        """The activation ends, and `parts` is what leaves the agent; records them as steps, as delivered.

        Args:
            route: path of the agent that a hand-off goes to.
            scopes: how far an alteration of these parts can reach in this framework.
            record: False if the adapter records the steps itself (with the delivered text).
        """
        return _drive(
            self._end(turn, tuple(parts), route, addressed_to, visible_to, model, usage, scopes, record, True)
        )

    async def aend_turn(
        self,
        turn: Turn,
        parts: Iterable[Part],
        *,
        route: str | None = None,
        addressed_to: tuple[str, ...] = (),
        visible_to: tuple[str, ...] = (),
        model: str | None = None,
        usage: Usage | None = None,
        scopes: Sequence[Scope] = ("outgoing",),
        record: bool = True,
    ) -> Delivery:
        """Asynchronous form of `end_turn`."""
        return await self._end(turn, tuple(parts), route, addressed_to, visible_to, model, usage, scopes, record, False)

    async def _end(
        self,
        turn: Turn,
        parts: tuple[Part, ...],
        route: str | None,
        addressed_to: tuple[str, ...],
        visible_to: tuple[str, ...],
        model: str | None,
        usage: Usage | None,
        scopes: Sequence[Scope],
        record: bool,
        blocking: bool,
    ) -> Delivery:
        turn.ended = True
        delivery = Delivery(parts, route)
        altered = await self._alter(turn.moment, "response_corruption", scopes, parts, turn.parts, blocking)
        if altered is not None:
            delivery = Delivery(altered.parts, altered.route or route, altered.scope, altered.changed)
        if record:
            to = addressed_to or ((delivery.route,) if delivery.route else ())
            for part in delivery.parts:
                self.recorder.part_step(
                    turn.moment.agent, part, moment=turn.moment, order=turn.order, addressed_to=to,
                    visible_to=visible_to, parents=turn.parents, model=model, usage=usage, start=turn.started,
                )  # fmt: skip
        return delivery

    # -- calls ----------------------------------------------------------------------------------------------

    def call(
        self,
        turn: Turn,
        kind: CallKind,
        parts: Iterable[Part],
        live: Callable[[dict[str, str]], R],
        codec: Codec[R],
        *,
        name: str = "",
        extra: JsonValue = None,
        before: Sequence[Scope] = ("ephemeral",),
        after: Sequence[Scope] = ("belief",),
    ) -> R:
        """A call inside a turn: served from the tape where it can be, else live.

        Args:
            parts: the texts that are sent.
            live: makes the call, given the altered texts by part id (empty if none).
            codec: how the result becomes plain data and parts.
            name: of the tool, if it is one.
            extra: what else the request depends on, for its hash.
            before, after: how far an alteration of request and result can reach (model calls only).
        """

        async def alive(texts: dict[str, str]) -> R:
            return live(texts)

        return _drive(self._call(turn, kind, tuple(parts), alive, codec, name, extra, before, after, True))

    async def acall(
        self,
        turn: Turn,
        kind: CallKind,
        parts: Iterable[Part],
        live: Callable[[dict[str, str]], Awaitable[R]],
        codec: Codec[R],
        *,
        name: str = "",
        extra: JsonValue = None,
        before: Sequence[Scope] = ("ephemeral",),
        after: Sequence[Scope] = ("belief",),
    ) -> R:
        """Asynchronous form of `call`."""
        return await self._call(turn, kind, tuple(parts), live, codec, name, extra, before, after, False)

    async def _call(
        self,
        turn: Turn,
        kind: CallKind,
        parts: tuple[Part, ...],
        live: Callable[[dict[str, str]], Awaitable[R]],
        codec: Codec[R],
        name: str,
        extra: JsonValue,
        before: Sequence[Scope],
        after: Sequence[Scope],
        blocking: bool,
    ) -> R:
        with self._lock:
            counter = f"{kind}/{name}"
            turn.calls[counter] = turn.calls.get(counter, 0) + 1
            key = CallKey(moment=turn.moment, kind=kind, name=name, call=turn.calls[counter])
        digest = request_hash(parts, extra, self._normalise)
        served = self.replay.serve(key, digest) if self.replay is not None else None
        if self.replay is not None and self.replay.drift and not self.replay.fired:
            raise ReplayDrift(f"run {self.info.run_id}: {self.replay.drift}")
        if served is not None:
            result = self._served(turn, served, codec)
        else:
            result = await self._live(turn, key, digest, parts, live, codec, before, blocking)
        return await self._altered_result(turn, key, codec, result, after, blocking)

    def _served(self, turn: Turn, entry: TapeEntry, codec: Codec[R]) -> R:
        result = codec.decode(entry.payload)
        if entry.key.kind == "node" and self.replay is not None:
            for inner in self.replay.inside(entry):
                self.recorder.tape(inner, turn.order)
            self.recorder.pass_over(entry.inner_turns)
            for step in entry.inner:
                self.recorder.step(
                    step.agent, step.kind, step.text,
                    moment=Moment(agent=step.agent, branch=step.branch, turn=step.turn), order=turn.order,
                    content=step.content, addressed_to=step.addressed_to, visible_to=step.visible_to,
                    parents=turn.parents, call_id=step.call_id, model=step.model, usage=step.usage,
                )  # fmt: skip
        self.recorder.tape(entry, turn.order)
        return result

    async def _live(
        self,
        turn: Turn,
        key: CallKey,
        digest: str,
        parts: tuple[Part, ...],
        live: Callable[[dict[str, str]], Awaitable[R]],
        codec: Codec[R],
        before: Sequence[Scope],
        blocking: bool,
    ) -> R:
        with self._lock:
            self._n_calls += key.kind != "node"
            self._live_calls += key.kind == "model"
        self._check_limits()
        texts: dict[str, str] = {}
        if key.kind == "model":
            altered = await self._alter(turn.moment, "prompt_injection", before, parts, turn.parts, blocking)
            if altered is not None:
                parts = altered.parts
                texts = {part.id: part.text for part in parts if part.id in altered.changed}
        first = self.recorder.count()
        try:
            result = await live(texts)
        except Exception as error:
            failed = RunError(type=type(error).__name__, message=str(error), agent=turn.moment.agent)
            self.recorder.tape(TapeEntry(key=key, request_hash=digest, request=parts, error=failed), turn.order)
            raise
        inner = tuple(s for s in self.recorder.since(first)) if key.kind == "node" else ()
        entry = TapeEntry(
            key=key, request_hash=digest, request=parts, payload=codec.encode(result), inner=inner,
            inner_turns=tuple(dict.fromkeys(_moment(s) for s in inner if _moment(s) != turn.moment)),
        )  # fmt: skip
        self.recorder.tape(entry, turn.order)
        return result

    async def _altered_result(
        self, turn: Turn, key: CallKey, codec: Codec[R], result: R, after: Sequence[Scope], blocking: bool
    ) -> R:
        site: tuple[Strategy, Sequence[Scope]] | None = None
        if key.kind == "model" and (self.replay is None or self.replay.is_last(key)):
            site = ("response_corruption", after)
        elif key.kind == "tool":
            site = ("environment", ("call",))
        if site is None or self.interventions is None:
            return result
        altered = await self._alter(turn.moment, *site, codec.parts(result), turn.parts, blocking)
        if altered is None:
            return result
        return codec.write(result, {p.id: p.text for p in altered.parts if p.id in altered.changed})

    def holds(self, turn: Turn, kind: CallKind, *, name: str = "") -> bool:
        """Whether the next such call may be served or altered, so that a stream has to be held back."""
        if self.replay is not None and not self.replay.fired:
            return True
        if self.interventions is None:
            return False
        scopes: tuple[Scope, ...] = ("ephemeral", "belief", "call")
        strategies: tuple[Strategy, ...] = ("prompt_injection", "response_corruption", "environment")
        return any(self.interventions.due(turn.moment, strategy, scopes) for strategy in strategies)

    # -- everything else ------------------------------------------------------------------------------------

    def step(self, agent: str, kind: StepKind, text: str, **more: Any) -> int:  # Any: the keywords of Recorder.step
        """Record a step that is neither the input nor the output of a turn; returns its number for `parents`."""
        return self.recorder.step(agent, kind, text, **more)

    def failed(self, error: BaseException, agent: str | None = None, *, moment: Moment | None = None) -> None:
        """An exception of the system passed through here.

        With `agent`: it was raised in that agent's turn; recorded as a step of kind `error`, once, by the first
        (deepest) caller. Without: the run ended with it; `trajectory.error` names the agent if one is known.
        """
        if isinstance(error, RunLimitReached | ReplayDrift):
            return
        with self._lock:
            known = self._errors.get(id(error))
            if known is None:
                self._errors[id(error)] = (error, agent)
        if agent is None:
            where = known[1] if known is not None else None
            self.error = RunError(type=type(error).__name__, message=str(error), agent=where)
        elif known is None:
            self.recorder.step(agent, "error", f"{type(error).__name__}: {error}", moment=moment)

    @property
    def live_model_calls(self) -> int:
        """Model calls that were really made, not served."""
        return self._live_calls

    @property
    def void(self) -> str:
        """Why this run proves nothing (it left the recorded prefix, or recording failed), or ""."""
        return self.trouble or (self.replay.drift if self.replay is not None else "")

    def trajectory(self, final_output: str | None = None) -> Trajectory:
        """The run as far as it went; `final_output` where `leave` was not told of it."""
        return Trajectory(
            run_id=self.info.run_id,
            task=self.info.task,
            agents=self.recorder.agents,
            steps=self.recorder.steps(),
            final_output=self.final_output if final_output is None else final_output,
            error=self.error,
            system=self.info.system,
            adapter=self.info.adapter,
        )

    def tape(self) -> Tape:
        """The tape of the run as far as it went."""
        return Tape(run_id=self.info.run_id, adapter=self.info.adapter, entries=self.recorder.entries())

    def ledger(self) -> Ledger:
        """What was done to the run; `observed_by` is filled in by `run.observation`."""
        entries = self.interventions.ledger() if self.interventions is not None else ()
        return Ledger(run_id=self.info.run_id, interventions=entries)

    async def _alter(
        self,
        moment: Moment,
        strategy: Strategy,
        scopes: Sequence[Scope],
        parts: tuple[Part, ...],
        seen: tuple[Part, ...],
        blocking: bool,
    ) -> Alteration | None:
        if self.interventions is None:
            return None
        index = self.interventions.claim(moment, strategy, scopes)
        if index is None:
            return None
        if self.replay is not None:
            self.replay.target_reached()
        coroutine = self.interventions.alter(
            index, parts, task=self.info.task, agents=self.recorder.agents, seen=seen,
            history=self.recorder.history(),
        )  # fmt: skip
        return _finish(coroutine) if blocking else await coroutine

    def _check_limits(self) -> None:
        limits, spent = self.limits, self.recorder.now()
        reached = ""
        if limits.turns is not None and self._n_turns > limits.turns:
            reached = f"more than {limits.turns} turns"
        elif limits.calls is not None and self._n_calls > limits.calls:
            reached = f"more than {limits.calls} calls"
        elif limits.seconds is not None and spent > limits.seconds:
            reached = f"more than {limits.seconds} s"
        if reached:
            self.limit_reached = reached
            raise RunLimitReached(f"run {self.info.run_id} took {reached}; raise the limit if that is too few")


def _moment(step: Any) -> Moment:  # Any: a Step
    return Moment(agent=step.agent, branch=step.branch, turn=step.turn)


def _drive(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never suspends: in the synchronous forms all that could is done in `_finish`."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: R = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a synchronous run was suspended; use the asynchronous form of this call")


def _finish(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run an injector's coroutine to its end on a loop of its own, in a thread: one may be running in this one."""
    box: list[R] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            box.append(asyncio.run(coroutine))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, name="aegis-injector")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return box[0]
