"""Does the adapter take hold of a system and let it go without a trace, and disturb nothing in between?"""

from __future__ import annotations

import contextlib
import warnings

import pytest

from aegis_core.adapter import System
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_core.run import Run, RunInfo
from aegis_core.testing.attributes import Attributes
from aegis_core.testing.script import Script, ScriptedError
from aegis_core.testing.stage import Stage, Way

__all__ = ["LifecycleChecks"]

_TASKS = tuple(f"How many crates does hall {number} hold?" for number in (31, 32, 33))


class LifecycleChecks(Stage):
    """Attaching, detaching, exceptions, results."""

    def _run(self) -> Run:
        return Run(RunInfo(run_id="run", adapter=self.name), normalise=self.adapter().normalise)

    def test_the_result_is_the_same_with_and_without_recording(self) -> None:
        """Whoever records a system gets the same result from it, and its models are shown the same.

        Repair: hand on what the framework made, not a copy or a text of it; add nothing to messages. If only ids and
        times differ, leave them out in the kit's `plain`.
        """
        for way in self.ways:
            for name, build in self.systems(way).items():
                plain, script = Script(), Script()
                expected = self.unrecorded(build, plain, way)
                played = self.recorded(build, script, way)
                assert expected[1] is None, f"`{name}` fails without Aegis already ({way}): {expected[1]!r}"
                assert played.error is None, f"`{name}` fails only when it is recorded ({way}): {played.error!r}"
                assert played.result == expected[0], f"`{name}` ({way}): recording changes the result"
                assert _accounts(script) == _accounts(plain), f"`{name}` ({way}): models were shown something else"

    def test_an_exception_is_recorded_once_and_raised_unchanged(self) -> None:
        """What a model raises leaves the system as without Aegis, and is one step of kind `error` with its true type.

        Repair: `run.failed(error, agent, moment=...)` where it passes the agent, then a bare `raise`; where the run
        ends with it, `run.failed(error)`.
        """
        for way in self.ways:
            plain, script = Script(fails="Critic"), Script(fails="Critic")
            _, expected = self.unrecorded(self.conversation, plain, way)
            played = self.recorded(self.conversation, script, way)
            assert expected is not None, f"({way}) the system does not fail when the model of Critic does"
            assert played.error is not None, f"({way}) the exception is swallowed when the run is recorded"
            assert type(played.error) is type(expected), f"({way}) another error"
            assert self.message(played.error) == self.message(expected), f"({way}) another error"
            if expected is plain.raised[-1]:
                assert played.error is script.raised[-1], f"({way}) the exception is replaced by another one like it"
            errors = [step for step in played.trajectory.steps if step.kind == "error"]
            assert len(errors) == 1, f"({way}) one exception, but {len(errors)} steps of kind error"
            assert errors[0].agent == "Critic", f"({way}) the error is recorded for {errors[0].agent}"
            assert ScriptedError.__name__ in errors[0].text, f"({way}) its type is lost: {errors[0].text!r}"
            ended = played.trajectory.error
            assert ended is not None, f"({way}) the trajectory does not say that the run ended with an error"
            assert ended.type == type(expected).__name__
            assert played.said == script.said(), f"({way}) what was said before the error is not recorded"

    def test_detaching_restores_every_attribute(self) -> None:
        """After `detach` every attribute of the system, its classes and its framework is what it was, by identity.

        Repair: patch through one table of (owner, attribute, what the owner's own namespace held), and undo it through
        the same table in reverse; `delattr` what was not there.
        """
        for name, build in self.systems().items():
            system = self.built(build, Script())
            before = Attributes(system.app, self.framework_modules)
            attachment = self.adapter().attach(system.app, self._run())
            attachment.detach()
            attachment.detach()  # more than once is allowed
            left = before.changed(callables_only=False)
            assert not left, f"`{name}`: still changed after detach: {left}"

    def test_a_run_leaves_nothing_patched(self) -> None:
        """The same after a whole run, and after one that failed.

        Repair: undo in `detach`, which is called in either case, and nowhere else.
        """
        for fails in ("", "Critic"):
            for way in self.ways:
                usual = self._usual(fails, way)
                system, before = self._warm(fails, way)
                with contextlib.suppress(Exception), self.recording(system) as recording:
                    _, error = self.outcome(system, recording.app, way)
                    if error is not None:
                        raise error
                left = before.left(usual)
                assert not left, f"({way}{', after an exception' if fails else ''}) still patched: {left}"

    def _usual(self, fails: str, way: Way) -> set[str]:
        """What the framework itself changes in a run like it."""
        system, before = self._warm(fails, way)
        self.outcome(system, system.app, way)
        return set(before.changed(callables_only=False))

    def _warm(self, fails: str, way: Way) -> tuple[System, Attributes]:
        """A system that has run once, so that what loads lazily is loaded."""
        system = self.built(self.conversation, Script(fails=fails), way)
        self.outcome(system, system.app, way)
        return system, Attributes(system.app, self.framework_modules)

    def test_attaching_twice_is_refused(self) -> None:
        """A system that is attached can't be attached again before it is let go; the first hold is not disturbed.

        Repair: raise `AdapterError` in `attach`, before anything is patched.
        """
        script = Script()
        system = self.built(self.conversation, script)
        with self.recording(system) as recording:
            with pytest.raises(AdapterError) as refused:
                self.adapter().attach(system.app, self._run()).detach()
            assert str(refused.value).strip(), "the error does not say what to do"
            _, error = self.outcome(system, recording.app, self.way)
        assert error is None, f"after the refusal the first recording is broken: {error!r}"
        said = [(step.agent, step.text) for step in recording.trajectory.steps if step.kind == "message"]
        assert said == script.said(), "after the refusal the first recording is not whole"
        self.adapter().attach(system.app, self._run()).detach()

    def test_strangers_can_not_be_attached(self) -> None:
        """`attach` of what `can_handle` refuses is an `AdapterError` that says what it takes instead.

        Repair: ask `can_handle` first.
        """
        with pytest.raises(AdapterError, match=r"\w"):
            self.adapter().attach(object(), self._run()).detach()

    def test_runs_after_each_other_are_apart(self) -> None:
        """A second recording of the same object begins anew: no turn, step or call of the first is in it.

        Repair: keep what belongs to a run in the attachment, nothing in the adapter or the object.
        """
        one, other = (self.recorded(self.conversation) for _ in range(2))
        assert other.canonical == one.canonical, "two runs of equal systems give different records"

    def test_an_object_is_recorded_again_and_again(self) -> None:
        """Two tasks in one recording, and two recordings of one object: as without Aegis, and each record is whole.

        In one recording turns are counted on; a second recording counts from 1 and holds nothing of the first.

        Repair: keep what belongs to a run in the attachment; wrap the entry so that it can be called more than once.
        """
        for way in self.ways:
            plain, script = Script(), Script()
            other, system = self.built(self.conversation, plain, way), self.built(self.conversation, script, way)
            expected = [self.outcome(other, other.app, way, task) for task in _TASKS]
            found = []
            for tasks in (_TASKS[:2], _TASKS[2:]):
                before = len(script.said())
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RecorderWarning)  # two tasks in one recording: said to the user
                    with self.recording(system) as recording:
                        found += [self.outcome(system, recording.app, way, task) for task in tasks]
                steps = [step for step in recording.trajectory.steps if step.kind in ("message", "handoff", "plan")]
                own = [(step.agent, step.text) for step in steps if step.agent != "user"]
                where = f"({way}) with {len(tasks)} tasks"
                assert own == script.said()[before:], f"{where}: recorded and said differ"
                assert recording.trajectory.task == tasks[0], f"{where}: the task is {recording.trajectory.task!r}"
                for agent in {agent for agent, _ in own}:
                    turns = [step.turn for step in steps if step.agent == agent]
                    assert turns == list(range(1, len(turns) + 1)), f"{where}: turns of {agent} are {turns}"
            for one, another in zip(found, expected, strict=True):
                assert one[0] == another[0], f"({way}) an object that is recorded again gives another result"
                assert type(one[1]) is type(another[1]), f"({way}) {one[1]!r}, instead of {another[1]!r}"


def _accounts(script: Script) -> tuple[object, ...]:
    """What models and tools were asked, in whatever order."""
    heard = sorted((heard.agent, heard.texts, heard.said) for heard in script.heard)
    used = sorted((use.name, use.argument, use.result) for use in script.tools_used)
    return heard, used
