"""Calls inside a turn: served from the tape or live, and altered where a target is due."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import JsonValue, TypeAdapter

from aegis_core.adapter import CallKind, Codec, Part, Turn
from aegis_core.errors import RecorderWarning, ReplayDrift
from aegis_core.faults import Scope, Strategy
from aegis_core.run.driving import drive
from aegis_core.run.ids import ids_of_this_run
from aegis_core.run.recorder import OrderKey, inside_calls
from aegis_core.run.recorder import after as after_turn
from aegis_core.run.state import RunState, moment_of
from aegis_core.run.tape import CallKey, TapeEntry, TapeKind
from aegis_core.trajectory import RunError, Step

__all__ = ["Calls"]

R = TypeVar("R")

_HOLDING = ("node", "tool")
"""Kinds of calls inside of which other agents may act: they bring back those turns when they are served."""


_snapshot: Callable[[JsonValue], JsonValue] = TypeAdapter(JsonValue).validate_python
"""A copy of plain data, so that nothing can change what is on the tape."""


@dataclass(slots=True)
class _Asked:
    """A call that is being made."""

    turn: Turn
    kind: CallKind
    name: str
    number: int
    parts: tuple[Part, ...]
    extra: JsonValue
    place: OrderKey
    request: Callable[[], Iterable[Part]] | None = None
    digest: str | None = None

    def key(self) -> CallKey:
        """Which call it is."""
        return CallKey(moment=self.turn.moment, kind=self.kind, name=self.name, call=self.number)


class Calls(RunState):
    """The part of `Run` that makes calls."""

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
        order: OrderKey = (),
        request: Callable[[], Iterable[Part]] | None = None,
    ) -> R:
        """A call inside a turn: served from the tape where it can be, else live.

        Args:
            parts: the texts that are sent.
            live: makes the call, given the altered texts by part id (empty if none).
            codec: how the result becomes plain data and parts.
            name: of the tool, if it is one.
            extra: what else the request depends on, for its hash.
            before, after: how far an alteration of request and result can reach; () where there is to be none. For a
                tool only `after` counts, and whatever it holds means the one scope `call`.
            order: where the call stands among what happens inside the turn (the turn's own order key goes on in it); ()
                leaves it to the order of arrival.
            request: what was really sent, where it is seen only while the call is made. It goes on the tape then, and
                `parts` count for the hash alone.
        """

        async def alive(texts: dict[str, str]) -> R:
            return live(texts)

        return drive(
            self._call(turn, kind, tuple(parts), alive, codec, name, extra, before, after, order, request, True)
        )

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
        order: OrderKey = (),
        request: Callable[[], Iterable[Part]] | None = None,
    ) -> R:
        """Asynchronous form of `call`."""
        return await self._call(
            turn, kind, tuple(parts), live, codec, name, extra, before, after, order, request, False
        )

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
        order: OrderKey,
        request: Callable[[], Iterable[Part]] | None,
        blocking: bool,
    ) -> R:
        asked = _Asked(turn, kind, name, self._count(turn, kind, name), parts, extra, order or turn.order, request)
        if self._is_plain:
            return await self._live(asked, live, codec, before, blocking)
        asked.digest = self._requests.hash(parts, extra)
        served = self.replay.serve(asked.key(), asked.digest) if self.replay is not None else None
        if self.replay is not None and self.replay.drift and not self.replay.fired:
            raise ReplayDrift(f"run {self.info.run_id}: {self.replay.drift}")
        if served is not None:
            result = self._served(turn, served, parts, codec, asked.place)
        else:
            result = await self._live(asked, live, codec, before, blocking)
        return await self._altered_result(turn, asked.key(), codec, result, after, blocking)

    def _count(self, turn: Turn, kind: CallKind, name: str) -> int:
        """The how manieth call of this kind and name it is in its turn."""
        counter = f"{kind}/{name}"
        with self._lock:
            turn.calls[counter] = number = turn.calls.get(counter, 0) + 1
        return number

    def _served(self, turn: Turn, entry: TapeEntry, parts: tuple[Part, ...], codec: Codec[R], place: OrderKey) -> R:
        ids = ids_of_this_run(entry.request, parts)
        if ids is not None:
            entry = ids.entry(entry)
        result = codec.decode(entry.payload)
        if entry.key.kind in _HOLDING and self.replay is not None:
            for inner in self.replay.inside(entry):
                self.recorder.tape(inner if ids is None else ids.entry(inner), place)
            self.recorder.pass_over(entry.inner_turns)
            self._repeat(turn, entry.inner, place)
        self.recorder.tape(entry, _order(place, entry.key.kind))
        return result

    def _repeat(self, turn: Turn, steps: tuple[Step, ...], place: OrderKey) -> None:
        """Record the steps inside a served node again. Parents outside of it become those of the turn."""
        numbers: dict[int, int] = {}
        for step in steps:
            inside = tuple(numbers[parent] for parent in step.parents if parent in numbers)
            outside = turn.parents if len(inside) < len(step.parents) else ()
            numbers[step.index] = self.recorder.step(
                step.agent,
                step.kind,
                step.text,
                moment=moment_of(step),
                order=place,
                content=step.content,
                addressed_to=step.addressed_to,
                visible_to=step.visible_to,
                parents=(*outside, *inside),
                call_id=step.call_id,
                model=step.model,
                usage=step.usage,
            )

    async def _live(
        self,
        asked: _Asked,
        live: Callable[[dict[str, str]], Awaitable[R]],
        codec: Codec[R],
        before: Sequence[Scope],
        blocking: bool,
    ) -> R:
        turn, kind, place = asked.turn, asked.kind, asked.place
        with self._lock:
            self._n_calls += kind != "node"
            self._live_calls += kind == "model"
        self._check_limits()
        texts: dict[str, str] = {}
        shown = asked.parts
        if kind == "model" and self.interventions is not None:
            altered = await self._alter(
                turn.moment, "prompt_injection", before, shown, turn.parts, blocking, asked.number
            )
            if altered is not None:
                shown = altered.parts
                texts = {part.id: part.text for part in shown if part.id in altered.changed}
        token = next(self._tokens)
        outer = inside_calls.set((*inside_calls.get(), token)) if kind in _HOLDING else None
        try:
            result = await live(texts)
        except Exception as error:
            failed = RunError(type=type(error).__name__, message=str(error), agent=turn.moment.agent)
            self._tape_call(place, asked, shown, error=failed)
            raise
        finally:
            if outer is not None:
                inside_calls.reset(outer)
        own = turn.moment if kind == "node" else None
        inner = self.recorder.inside(token, own, place, since=turn.since) if kind in _HOLDING else ()
        payload, unkept = self._kept(asked, codec, result)
        self._tape_call(_order(place, kind), asked, shown, payload=payload, inner=inner, error=unkept)
        return result

    def _tape_call(self, order: OrderKey, asked: _Asked, shown: tuple[Part, ...], **more: Any) -> None:
        """Put a live call on the tape. Any: the remaining keywords of `_tape`."""
        request = shown if asked.request is None else tuple(asked.request())
        self._tape(
            order, asked.turn.moment, asked.kind, name=asked.name, call=asked.number, digest=asked.digest,
            sent=asked.parts, request=request, extra=asked.extra, **more,
        )  # fmt: skip

    def _kept(self, asked: _Asked, codec: Codec[R], result: R) -> tuple[JsonValue, RunError | None]:
        """A result as plain data; where it has no such form, the run goes on, and proves nothing."""
        try:
            return _snapshot(codec.encode(result)), None
        except Exception as error:  # recorder boundary: the result is the system's all the same
            self.trouble = f"{asked.key()}: its result can't be put on the tape: {error}"
            warnings.warn(
                f"aegis: {self.trouble}. The run itself is not affected, but can't be served", RecorderWarning,
                stacklevel=2,
            )  # fmt: skip
            return None, RunError(type=type(error).__name__, message=str(error), agent=asked.turn.moment.agent)

    async def _altered_result(
        self, turn: Turn, key: CallKey, codec: Codec[R], result: R, after: Sequence[Scope], blocking: bool
    ) -> R:
        site: tuple[Strategy, Sequence[Scope]] | None = None
        if key.kind == "model" and (self.replay is None or self.replay.is_last(key)):
            site = ("response_corruption", after)
        elif key.kind == "tool" and after:
            site = ("environment", ("call",))
        if site is None or self.interventions is None:
            return result
        altered = await self._alter(turn.moment, *site, codec.parts(result), turn.parts, blocking, key.call)
        if altered is None:
            return result
        return codec.write(result, {p.id: p.text for p in altered.parts if p.id in altered.changed})

    def record_call(
        self,
        turn: Turn,
        kind: CallKind,
        parts: Iterable[Part],
        payload: JsonValue,
        *,
        name: str = "",
        extra: JsonValue = None,
    ) -> None:
        """Put on the tape a call that the adapter could only watch; it is never served and never altered.

        Args:
            parts: the texts that were sent.
            payload: the result as plain data.
            name: of the tool, if it is one.
            extra: what else the request depends on, for its hash.

        Raises:
            ReplayDrift: the recorded run made no such call before the target's moment.
            RunLimitReached: too many calls, or too much time.
        """
        sent = tuple(parts)
        asked = _Asked(turn, kind, name, self._count(turn, kind, name), sent, extra, turn.order)
        with self._lock:
            self._n_calls += kind != "node"
            self._live_calls += kind == "model"
        self._tape_call(turn.order, asked, sent, payload=_snapshot(payload))
        if self.replay is not None and (drift := self.replay.made_anew(asked.key())):
            raise ReplayDrift(f"run {self.info.run_id}: {drift}")
        self._check_limits()

    def holds(self, turn: Turn) -> bool:
        """Whether the next call may be served or altered, so that a stream has to be held back."""
        if self.replay is not None and not self.replay.fired:
            return True
        if self.interventions is None:
            return False
        scopes: tuple[Scope, ...] = ("ephemeral", "belief", "call")
        strategies: tuple[Strategy, ...] = ("prompt_injection", "response_corruption", "environment")
        return any(self.interventions.due(turn.moment, strategy, scopes) for strategy in strategies)


def _order(place: OrderKey, kind: TapeKind) -> OrderKey:
    """What may hold turns stands on the tape after them, so that a target in there is not served with it."""
    return after_turn(place) if kind in _HOLDING else place
