"""Turns: an agent is about to see something, and something leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pydantic import JsonValue

from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.errors import ReplayDrift
from aegis_core.faults import Moment, Scope
from aegis_core.run.driving import drive
from aegis_core.run.observation import first_difference
from aegis_core.run.recorder import OrderKey, after
from aegis_core.run.state import RunState
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Usage

__all__ = ["Turns"]


class Turns(RunState):
    """The part of `Run` that begins and ends turns."""

    def begin_turn(
        self,
        agent: str,
        parts: Iterable[Part],
        *,
        branch: str = "",
        order: OrderKey = (),
        parents: tuple[int, ...] = (),
        scopes: Sequence[Scope] = ("persistent",),
        nested: bool = False,
    ) -> Turn:
        """An activation of `agent` begins, and `parts` is what it is about to see.

        Args:
            order: where the turn stands among those that run in parallel; () leaves it to the order of arrival.
            parents: numbers (as returned by `step`) of the steps that led to it.
            scopes: how far an alteration of these parts can reach in this framework.
            nested: the agent was called inside a turn of its own, so that the two do not run side by side.

        Raises:
            ReplayDrift: the run left the recorded prefix.
            RunLimitReached: too many turns, or too much time.
        """
        turn, digest = self._opened(agent, tuple(parts), branch, order, parents, nested)
        if self.interventions is not None:
            drive(self._shown(turn, scopes, blocking=True))
        self._tape_input(turn, digest)
        return turn

    async def abegin_turn(
        self,
        agent: str,
        parts: Iterable[Part],
        *,
        branch: str = "",
        order: OrderKey = (),
        parents: tuple[int, ...] = (),
        scopes: Sequence[Scope] = ("persistent",),
        nested: bool = False,
    ) -> Turn:
        """Asynchronous form of `begin_turn`."""
        turn, digest = self._opened(agent, tuple(parts), branch, order, parents, nested)
        if self.interventions is not None:
            await self._shown(turn, scopes, blocking=False)
        self._tape_input(turn, digest)
        return turn

    def _opened(
        self,
        agent: str,
        parts: tuple[Part, ...],
        branch: str,
        order: OrderKey,
        parents: tuple[int, ...],
        nested: bool,
    ) -> tuple[Turn, str | None]:
        """The turn as it begins, and the hash of what it was to be shown, if that is needed now."""
        with self._lock:
            self._n_turns += 1
            if self._open.get((agent, branch)) and not nested:
                self._overlapping[agent] = None
            self._open[agent, branch] = self._open.get((agent, branch), 0) + 1
        self._check_limits()
        moment = self.recorder.next_moment(agent, branch)
        digest = None if self._is_plain else self._requests.hash(parts)
        if self.replay is not None and digest is not None and (drift := self.replay.turn_begins(moment, digest)):
            raise ReplayDrift(f"run {self.info.run_id}: {drift}")
        started, since = self.recorder.now(), len(self.recorder)
        turn = Turn(moment=moment, parts=parts, order=order, parents=parents, started=started, since=since)
        return turn, digest

    async def _shown(self, turn: Turn, scopes: Sequence[Scope], *, blocking: bool) -> None:
        altered = await self._alter(turn.moment, "prompt_injection", scopes, turn.parts, (), blocking)
        if altered is not None:
            turn.parts, turn.changed, turn.scope = altered.parts, altered.changed, altered.scope

    def _tape_input(self, turn: Turn, digest: str | None) -> None:
        self._tape(turn.order, turn.moment, "input", digest=digest, sent=turn.parts, request=turn.parts)

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
        steps: Callable[[Delivery], Iterable[Part]] | None = None,
    ) -> Delivery:
        """The activation ends, and `parts` is what leaves the agent; records them as steps, as delivered.

        Args:
            route: path of the agent that a hand-off goes to.
            scopes: how far an alteration of these parts can reach in this framework.
            steps: makes the steps out of what is delivered; None: each part is one.
        """
        return drive(self._end(turn, tuple(parts), route, addressed_to, visible_to, model, usage, scopes, steps, True))

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
        steps: Callable[[Delivery], Iterable[Part]] | None = None,
    ) -> Delivery:
        """Asynchronous form of `end_turn`."""
        return await self._end(turn, tuple(parts), route, addressed_to, visible_to, model, usage, scopes, steps, False)

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
        steps: Callable[[Delivery], Iterable[Part]] | None,
        blocking: bool,
    ) -> Delivery:
        turn.ended = True
        self._close(turn.moment)
        if model is None and self.replay is not None and (known := self.replay.produced(turn.moment)) is not None:
            model, usage = _producer(known, usage)
        self._tape_output(turn, parts, model, usage)
        delivery = Delivery(parts, route)
        if self.interventions is not None:
            altered = await self._alter(turn.moment, "response_corruption", scopes, parts, turn.parts, blocking)
            if altered is not None:
                delivery = Delivery(altered.parts, altered.route or route, altered.scope, altered.changed)
        to = addressed_to or ((delivery.route,) if delivery.route else ())
        numbers = [
            self.recorder.part_step(
                turn.moment.agent, part, moment=turn.moment, order=after(turn.order), addressed_to=to,
                visible_to=visible_to, parents=turn.parents, model=model,
                usage=usage if number == 0 else None,  # once, however many steps the output is
                start=turn.started,
            )
            for number, part in enumerate(delivery.parts if steps is None else steps(delivery))
        ]  # fmt: skip
        self._spare_the_rest(turn.moment)
        return Delivery(delivery.parts, delivery.route, delivery.scope, delivery.changed, tuple(numbers))

    def _spare_the_rest(self, moment: Moment) -> None:
        """Have the rest of the run served as far as it can be, if the injection that it was made for had no effect."""
        replay, twin = self.replay, self.replay.twin if self.replay is not None else None
        if replay is None or twin is None or self.interventions is None or not self.interventions.hangs_on(moment):
            return
        so_far = self.trajectory()
        said = so_far.turn(moment.agent, moment.turn, moment.branch)
        if said and first_difference(twin, so_far, moment) is None:
            replay.serve_what_followed(moment)

    def _tape_output(self, turn: Turn, parts: tuple[Part, ...], model: str | None, usage: Usage | None) -> None:
        payload: JsonValue = {"model": model, "usage": usage.model_dump(mode="json") if usage else None}
        self._tape(after(turn.order), turn.moment, "output", sent=parts, request=parts, payload=payload)


def _producer(output: TapeEntry, usage: Usage | None) -> tuple[str | None, Usage | None]:
    """Model and usage as recorded, for a turn that was served and so has none of its own."""
    if not isinstance(output.payload, dict):
        return None, usage
    model, known = output.payload.get("model"), output.payload.get("usage")
    return (
        model if isinstance(model, str) else None,
        usage or (Usage.model_validate(known) if known is not None else None),
    )
