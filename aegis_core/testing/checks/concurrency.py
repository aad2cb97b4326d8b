"""Does the adapter keep runs apart that happen at the same time, in every way that it declares?"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from contextlib import aclosing, closing, suppress
from typing import Any

import pytest

from aegis_core.adapter import Capabilities, System
from aegis_core.testing.attributes import Attributes
from aegis_core.testing.script import Delay, Script
from aegis_core.testing.stage import TASK, Played, Stage, Way

__all__ = ["ConcurrencyChecks"]

_RUNS = 50
_PATIENCE_S = 20.0
_MEETING_S = 5.0
_AGAIN_S = 1.0


def _meets(others: threading.Barrier) -> Delay:
    """The first reply of a run waits for those of the others, so that all runs are under way at once."""
    waiting = [others]

    def delay(_agent: str, _texts: Sequence[str]) -> float:
        if waiting:
            with suppress(threading.BrokenBarrierError):  # one that never comes is found by what is recorded
                waiting.pop().wait()
        return 0.0

    return delay


class ConcurrencyChecks(Stage):
    """Ways to run, many runs at once, cancellation, streams that are left early, retries."""

    def _capabilities(self, way: Way) -> Capabilities:
        return self.adapter().capabilities(self.built(self.conversation, Script(), way).app)

    def test_systems_run_in_the_ways_that_are_declared(self) -> None:
        """`capabilities` says sync, asynchronous, streaming of exactly what can be run so; each way is recorded alike.

        Repair: judge the object, not the framework: a graph with an asynchronous node can't be called synchronously.
        """
        records = []
        declared: set[Way] = set()
        for way in self.ways:
            found = self._capabilities(way)
            declared |= _ways(found)
            assert way in _ways(found), f"the system runs as {way}, but its capabilities don't say so: {found}"
            played = self.recorded(self.conversation, way=way)
            assert played.error is None, f"({way}) it failed while it was recorded: {played.error!r}"
            assert played.said == played.script.said(), f"({way}) recorded and said differ"
            assert played.trajectory.final_output == played.script.said()[-1][1], f"({way}) not the last reply"
            records.append((way, [(step.agent, step.branch, step.turn) for step in played.spoken]))
        assert declared == set(self.ways), f"declared {sorted(declared)}, shown {sorted(self.ways)}: set `ways`"
        assert all(turns == records[0][1] for _, turns in records), f"the ways are recorded differently: {records}"

    def test_many_runs_in_threads_do_not_mix(self) -> None:
        """Fifty runs in fifty threads: each record holds its own task and its own texts alone.

        Repair: find the run by context variables or by the tapped object, never by a global.
        """
        way: Way = "sync" if "sync" in self.ways else self.way  # a coroutine runs in an event loop of its thread
        done: dict[int, Played] = {}
        all_are_in = threading.Barrier(_RUNS, timeout=_MEETING_S)

        def play(number: int) -> None:
            script = Script(delay=_meets(all_are_in))
            system = self.built(self.conversation, script, way)
            with self.recording(system) as recording:
                result, error = self.outcome(system, recording.app, way, f"{TASK} ({number})")
            done[number] = Played(recording.run, script, result, error)

        threads = [threading.Thread(target=play, args=(number,), daemon=True) for number in range(_RUNS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_PATIENCE_S)
        assert len(done) == _RUNS, f"only {len(done)} of {_RUNS} runs ended"
        _assert_apart(done)

    def test_many_runs_in_tasks_do_not_mix(self) -> None:
        """Fifty runs in fifty tasks of one event loop: each record holds its own task and its own texts alone.

        Repair: as with threads; and hold no run in an attribute of a class or a module while something is awaited.
        """
        if "async" not in self.ways:
            pytest.skip("the framework has no asynchronous runs")
        done: dict[int, Played] = {}

        async def play(number: int) -> None:
            script = Script(delay=lambda _, __: 0.001 * (number % 7))
            system = self.built(self.conversation, script, "async")
            with self.recording(system) as recording:
                result = await self.aoutcome(system, recording.app, "async", f"{TASK} ({number})")
            done[number] = Played(recording.run, script, result)

        async def play_all() -> None:
            await asyncio.gather(*map(play, range(_RUNS)))

        asyncio.run(play_all())
        _assert_apart(done)

    def test_a_cancelled_run_is_let_go(self) -> None:
        """Cancelling a run cancels it, leaves nothing patched, and keeps what was recorded until then.

        Repair: let `CancelledError` through (it is no `Exception`), and undo in `detach`.
        """
        if "async" not in self.ways:
            pytest.skip("the framework has no asynchronous runs")
        plain, script = Script(holds="Critic"), Script(holds="Critic")
        other, before = self._watched(plain, "async")
        asyncio.run(self._cut_off(other, plain))
        usual = before.changed(callables_only=False)
        system, before = self._watched(script, "async")

        async def play() -> Any:
            with self.recording(system) as recording:
                running = await self._cancelled(system, recording.app, script)
            return recording, running

        recording, running = asyncio.run(play())
        assert not (left := before.left(usual)), f"after a cancellation still patched: {left}"
        assert script.held, "the run never came to Critic"
        assert running.cancelled(), f"the cancelled run did not end as cancelled: {running}"
        said = [(step.agent, step.text) for step in recording.trajectory.steps if step.kind == "message"]
        assert said == script.said(), "what was said before the cancellation is not recorded as it was"
        assert not recording.run.trouble, recording.run.trouble
        self._assert_usable("async")

    def _watched(self, script: Script, way: Way) -> tuple[System, Attributes]:
        system = self.built(self.conversation, script, way)
        return system, Attributes(system.app, self.framework_modules)

    async def _cancelled(
        self, system: System, app: Any, script: Script, *, patience: float = _PATIENCE_S
    ) -> asyncio.Future[Any]:
        """Run a system until its model holds back a reply, and cancel it then."""
        running = asyncio.ensure_future(self.aoutcome(system, app, "async"))
        began = time.monotonic()
        # Looked at again and again, since the script knows no event loop.
        while not script.held and not running.done() and time.monotonic() < began + _PATIENCE_S:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        running.cancel()
        await asyncio.wait([running], timeout=patience)
        return running

    async def _cut_off(self, system: System, script: Script) -> None:
        """Cancel a run without Aegis; what goes on behind a framework's back is not held up any longer."""
        await self._cancelled(system, system.app, script, patience=_AGAIN_S)
        script.holds = ""

    def test_a_stream_that_is_left_early_is_let_go(self) -> None:
        """A consumer may stop in the middle: nothing fails, nothing stays attached, what it was given is recorded.

        Each turn that had ended stands in the record with all its words; of the turn in which the consumer stops, no
        more than what was said.

        Repair: set context variables around each step of a generator, not across its `yield`; treat `GeneratorExit` as
        an end, not as an error; record a turn when it ends, not when the stream does.
        """
        streams = [way for way in self.ways if way in ("stream", "astream")]
        if not streams:
            pytest.skip("the framework has no streams")
        for way in streams:
            plain, script = Script(), Script()
            other, before = self._watched(plain, way)
            self._left_early(other, other.app, way, plain)
            usual = before.changed(callables_only=False)
            system, before = self._watched(script, way)
            with self.recording(system) as recording:
                whole = self._left_early(system, recording.app, way, script)
            assert not whole, f"({way}) the stream gave its first chunk after the run had ended"
            assert not recording.run.trouble, f"({way}) {recording.run.trouble}"
            recorded = [(step.agent, step.text) for step in recording.trajectory.steps if step.kind == "message"]
            assert not (left := before.left(usual)), f"({way}) left early, still patched: {left}"
            ended = script.said()[:-1]
            assert recorded[: len(ended)] == ended, f"({way}) the turns before the one that was left are not recorded"
            for agent, text in recorded:
                assert any(agent == who and said.startswith(text) for who, said in script.said()), (
                    f"({way}) recorded, but never said by {agent}: {text!r}"
                )
            self._assert_goes_on(other, system, way)
            self._assert_usable(way)

    def _left_early(self, system: System, app: Any, way: Way, script: Script) -> bool:
        """Leave a stream as soon as it gives something after the second reply; whether it had to be read to its end."""

        async def from_astream() -> bool:
            async with aclosing(self.started(system, app, way)) as stream:
                async for _ in stream:
                    if len(script.said()) > 1:
                        return False
            return True

        if way == "astream":
            return asyncio.run(from_astream())
        with closing(self.started(system, app, way)) as stream:
            for _ in stream:
                if len(script.said()) > 1:
                    return False
        return True

    def _assert_goes_on(self, other: System, system: System, way: Way) -> None:
        """The object itself, run once more without Aegis, does what one does that was never recorded."""
        expected, found = (self.outcome(each, each.app, way) for each in (other, system))
        assert found[0] == expected[0], f"({way}) run once more, the object gives another result"
        assert type(found[1]) is type(expected[1]), f"({way}) run once more: {found[1]!r}, instead of {expected[1]!r}"

    def _assert_usable(self, way: Way) -> None:
        after = self.recorded(self.conversation, way=way)
        assert after.error is None, f"({way}) the next run fails: {after.error!r}"
        assert after.said == after.script.said(), f"({way}) the next run is not recorded as it was"

    def test_what_is_tried_again_is_recorded_as_such(self) -> None:
        """A failed attempt shows: as a turn that ends with an error, or in the `attempts` of the step in the end.

        Repair: where the system tries again, `run.failed(error, agent, moment=...)` and a new `begin_turn`; where the
        framework does so inside one activation, `data={"attempts": n}` in the part of its output.
        """
        if self.retrying(Script(), self.way) is None:
            pytest.skip("the framework tries nothing again")
        script = Script(fails="Critic", failures=1)
        played = self.recorded(self.retrying, script)
        assert played.error is None, f"the system does not try Critic again: {played.error!r}"
        steps = [step for step in played.trajectory.steps if step.agent == "Critic"]
        turns = [(step.kind, step.turn) for step in steps]
        if turns == [("message", 1)]:
            data = [content.data for content in steps[0].content]
            assert {"attempts": 2} in data, f"one step for two attempts, which it does not tell of: {data}"
        else:
            assert turns == [("error", 1), ("message", 2)], "not an error in turn 1 and a message in turn 2"
        assert played.said == script.said()


def _ways(found: Capabilities) -> set[Way]:
    ways: set[Way] = set()
    streams = found.streaming_as if found.streaming else ()
    if found.sync:
        ways |= {"sync", "stream"} if "sync" in streams else {"sync"}
    if found.asynchronous:
        ways |= {"async", "astream"} if "asynchronous" in streams else {"async"}
    return ways


def _assert_apart(done: dict[int, Played]) -> None:
    for number, played in sorted(done.items()):
        assert played.error is None, f"run {number} failed: {played.error!r}"
        assert played.trajectory.task.endswith(f"({number})"), f"run {number} has the task {played.trajectory.task!r}"
        assert played.said == played.script.said(), f"run {number} holds other texts than were said in it"
