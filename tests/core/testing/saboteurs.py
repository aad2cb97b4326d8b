"""Adapters that break one thing each: the one for plain functions, with something put between it and the run."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from aegis_callables.adapter import CallablesAdapter
from aegis_callables.testing import CallablesConformance
from aegis_core.adapter import Attachment, Delivery, Part
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.testing import ScriptedError, Way
from aegis_core.trace.active import active_run

SABOTEURS: dict[str, Saboteur] = {}
SYNC: tuple[Way, ...] = ("sync",)


@dataclass(frozen=True)
class Saboteur:
    """A broken adapter: which check must find it, and which others can't help finding it too."""

    check: str
    adapter: type[CallablesAdapter]
    also: frozenset[str]
    ways: tuple[Way, ...]
    perhaps: frozenset[str]
    """Checks that find it only if threads happen to run so."""

    @property
    def kit(self) -> type[CallablesConformance]:
        """The kit of this adapter."""
        made = self.adapter()
        return type("Kit", (CallablesConformance,), {"ways": self.ways, "adapter": lambda _: made})


def saboteur(
    check: str, *also: str, ways: tuple[Way, ...] = SYNC, perhaps: tuple[str, ...] = ()
) -> Callable[[Any], Any]:
    """Enter an adapter, or a function that spoils a run, under the name of the check that is to find it."""

    def entered(made: Any) -> Any:
        adapter = made if inspect.isclass(made) else spoiling(made)
        named, maybe = (frozenset(f"test_{name}" for name in names) for names in (also, perhaps))
        SABOTEURS[made.__name__] = Saboteur(f"test_{check}", adapter, named, ways, maybe)
        return made

    return entered


def spoiling(spoil: Callable[[Run], None]) -> type[CallablesAdapter]:
    class Spoiling(CallablesAdapter):
        def attach(self, app: Any, run: Run) -> Attachment:
            attachment = super().attach(app, run)
            spoil(run)
            return attachment

    return Spoiling


def around(run: Run, name: str) -> Callable[[Any], None]:
    """Puts a function around a method of this run; of turns and calls the synchronous form is meant."""

    def put(wrapper: Callable[..., Any]) -> None:
        setattr(run, name, functools.partial(wrapper, getattr(run, name)))

    return put


def with_steps(run: Run, change: Callable[[Any, Part], Part]) -> None:
    """Changes what is recorded as steps, not what is delivered."""

    @around(run, "end_turn")
    def end_turn(real: Any, turn: Any, parts: Any, *, steps: Any, **more: Any) -> Delivery:
        changed = lambda delivery: [change(turn, part) for part in steps(delivery)]  # noqa: E731
        return real(turn, parts, steps=changed, **more)


# -- agents, steps, contents ----------------------------------------------------------------------------------------


@saboteur("agents_declared_are_agents_seen")
class ForgetsAnAgent(CallablesAdapter):
    def agents(self, app: Any) -> Any:
        return tuple(agent for agent in super().agents(app) if agent.path != "Critic")


@saboteur("agents_declared_are_agents_seen")
class DeclaresOneThatNeverActs(CallablesAdapter):
    def agents(self, app: Any) -> Any:
        found = super().agents(app)
        return (*found, found[0].model_copy(update={"path": "Phantom"}))


@saboteur("steps_hold_what_was_said_in_order_and_complete")
def cuts_texts(run: Run) -> None:
    def cut(turn: Any, part: Part) -> Part:
        return part.model_copy(update={"text": part.text[:9]}) if turn.moment.agent == "Office/Typist" else part

    with_steps(run, cut)


@saboteur("turns_are_counted")
def counts_tools_as_turns(run: Run) -> None:
    @around(run, "step")
    def step(real: Any, *args: Any, moment: Any, **more: Any) -> Any:
        return real(*args, moment=moment.model_copy(update={"turn": 7}), **more)


@saboteur("what_agents_were_shown_is_on_the_tape", "the_prefix_is_served_without_live_calls")
def hides_inputs(run: Run) -> None:
    @around(run, "begin_turn")
    def begin_turn(real: Any, agent: str, parts: Any, **more: Any) -> Any:
        return real(agent, () if agent == "Editor" else parts, **more)

    @around(run, "call")
    def call(real: Any, turn: Any, kind: str, parts: Any, *args: Any, **more: Any) -> Any:
        return real(turn, kind, () if turn.moment.agent == "Editor" else parts, *args, **more)


def with_trajectory(run: Run, change: Callable[[Any, Any], dict[str, Any]]) -> None:
    """Changes fields of the steps of the whole trajectory."""
    real = run.trajectory

    def trajectory(*args: Any) -> Any:
        whole = real(*args)
        steps = tuple(step.model_copy(update=change(whole, step)) for step in whole.steps)
        return whole.model_copy(update={"steps": steps})

    run.trajectory = trajectory  # type: ignore[method-assign]


@saboteur("no_step_has_parents_or_readers_that_it_had_not")
def takes_all_for_readers(run: Run) -> None:
    with_trajectory(run, lambda whole, step: {"visible_to": _others(whole, step)} if step.turn == 1 else {})


def _others(whole: Any, step: Any) -> tuple[str, ...]:
    return tuple(agent.path for agent in whole.agents if agent.path != step.agent)


@saboteur("no_step_has_parents_or_readers_that_it_had_not")
def takes_all_before_for_parents(run: Run) -> None:
    with_trajectory(run, lambda _, step: {"parents": tuple(range(step.index))})


@saboteur("each_reader_is_told_in_every_system")
def forgets_who_joins(run: Run) -> None:
    with_trajectory(
        run, lambda _, step: {"visible_to": tuple(name for name in step.visible_to if name not in ("Joiner", "Editor"))}
    )


@saboteur("steps_know_what_led_to_them_and_who_read_them", "each_reader_is_told_in_every_system")
def forgets_sources(run: Run) -> None:
    run.recorder.sources = lambda parts, *_, **__: (tuple(parts), ())  # type: ignore[method-assign]


@saboteur("parallel_turns_are_kept_apart")
def ignores_branches(run: Run) -> None:
    @around(run, "begin_turn")
    def begin_turn(real: Any, *args: Any, branch: str, **more: Any) -> Any:
        return real(*args, **more)


@saboteur("tool_calls_and_results_are_paired")
def loses_call_ids(run: Run) -> None:
    @around(run, "step")
    def step(real: Any, agent: str, kind: Any, text: str, *, call_id: Any, **more: Any) -> Any:
        return real(agent, kind, text, call_id=None if kind == "tool_result" else call_id, **more)


@saboteur("the_final_output_is_the_answer")
class FindsNoAnswer(CallablesAdapter):
    def output(self, result: Any) -> str | None:
        return None


@saboteur("the_task_is_recorded", "an_object_is_recorded_again_and_again")
def folds_the_task(run: Run) -> None:
    around(run, "enter")(lambda real, task, **more: real(task.lower(), **more))


# -- lifecycle --------------------------------------------------------------------------------------------------------


class Wrapping(CallablesAdapter):
    """Puts something around the entry."""

    def wrapped(self, entry: Any, run: Run) -> Any:
        raise NotImplementedError

    def attach(self, app: Any, run: Run) -> Attachment:
        attachment = super().attach(app, run)
        attachment.app = self.wrapped(attachment.app, run)
        return attachment


@saboteur(
    "the_result_is_the_same_with_and_without_recording",
    "an_object_is_recorded_again_and_again",
    ways=("sync", "async"),
)
class EmbellishesResults(Wrapping):
    def wrapped(self, entry: Any, run: Run) -> Any:
        if not inspect.iscoroutinefunction(inspect.unwrap(entry)):
            return entry

        async def call(task: str) -> str:
            return f"{await entry(task)}!"

        return call


@saboteur("an_exception_is_recorded_once_and_raised_unchanged")
class ReplacesExceptions(Wrapping):
    def wrapped(self, entry: Any, run: Run) -> Any:
        def call(task: str) -> Any:
            try:
                return entry(task)
            except ScriptedError as error:
                raise RuntimeError(str(error)) from error

        return call


@saboteur("an_exception_is_recorded_once_and_raised_unchanged", "what_is_tried_again_is_recorded_as_such")
def records_errors_twice(run: Run) -> None:
    @around(run, "failed")
    def failed(real: Any, error: Any, agent: Any = None, **more: Any) -> None:
        real(error, agent, **more)
        if agent is not None:
            run.step(agent, "error", f"{type(error).__name__}: {error}", **more)


class Leaving(CallablesAdapter):
    """Does something after letting go."""

    def after(self, attachment: Any, app: Any) -> None:
        raise NotImplementedError

    def attach(self, app: Any, run: Run) -> Attachment:
        attachment = super().attach(app, run)
        real = attachment.detach

        def detach() -> None:
            real()
            self.after(attachment, app)

        attachment.detach = detach  # type: ignore[method-assign]
        return attachment


@saboteur("detaching_restores_every_attribute")
class LeavesANote(Leaving):
    def after(self, attachment: Any, app: Any) -> None:
        for owner, _ in getattr(app, "members", {}).values():
            owner.seen_by_aegis = True


@saboteur("a_run_leaves_nothing_patched", "detaching_restores_every_attribute")
class LeavesAWrapper(Leaving):
    def after(self, attachment: Any, app: Any) -> None:
        for owner, name in getattr(app, "members", {}).values():
            setattr(owner, name, functools.partial(getattr(owner, name)))
            real = getattr(owner, name)
            setattr(owner, name, lambda *args, real=real: real(*args))


@saboteur("a_run_leaves_nothing_patched")
class ForgetsToRestoreAfterAnException(CallablesAdapter):
    def attach(self, app: Any, run: Run) -> Attachment:
        attachment: Any = super().attach(app, run)
        real = attachment._patches.restore

        def restore() -> None:
            if not run.error:
                real()

        attachment._patches.restore = restore
        return attachment


class LeavingStandIns(Leaving):
    """Leaves something that is no routine in the place of one."""

    def after(self, attachment: Any, app: Any) -> None:
        for owner, name in getattr(app, "members", {}).values():
            if self.seen(attachment._run):
                setattr(owner, name, functools.partial(getattr(owner, name)))

    def seen(self, run: Run) -> bool:
        raise NotImplementedError


@saboteur("a_run_leaves_nothing_patched")
class LeavesAStandInAfterARun(LeavingStandIns):
    def seen(self, run: Run) -> bool:
        return bool(run.recorder.steps()) and run.error is None


@saboteur("a_run_leaves_nothing_patched")
class LeavesAStandInAfterAnException(LeavingStandIns):
    def seen(self, run: Run) -> bool:
        return run.error is not None


@saboteur("an_object_is_recorded_again_and_again")
class CountsTurnsFromTheLastRun(CallablesAdapter):
    """Keeps counts by the object that it recorded."""

    def __init__(self) -> None:
        self.counts: dict[int, Any] = {}

    def attach(self, app: Any, run: Run) -> Attachment:
        attachment = super().attach(app, run)
        run.recorder._turns = self.counts.setdefault(id(app), (app, run.recorder._turns))[1]
        return attachment


@saboteur("attaching_twice_is_refused")
class AllowsTwo(CallablesAdapter):
    def attach(self, app: Any, run: Run) -> Attachment:
        token = active_run.set(None)
        try:
            return super().attach(app, run)
        finally:
            if active_run.get() is None:
                active_run.reset(token)


@saboteur("strangers_can_not_be_attached")
class AttachesAnything(CallablesAdapter):
    def attach(self, app: Any, run: Run) -> Attachment:
        return super().attach(app if self.can_handle(app) else repr, run)


@saboteur("strangers_are_refused_without_an_error")
class ChokesOnStrangers(CallablesAdapter):
    def can_handle(self, app: Any) -> bool:
        if app is None:
            raise AdapterError("None is no system")
        return super().can_handle(app)


@saboteur("runs_after_each_other_are_apart", "the_record_does_not_depend_on_who_is_faster")
class CountsRuns(CallablesAdapter):
    runs = 0

    def attach(self, app: Any, run: Run) -> Attachment:
        self.runs += 1
        run.info = replace(run.info, system=f"run {self.runs}")
        return super().attach(app, run)


# -- concurrency ------------------------------------------------------------------------------------------------------


@saboteur("systems_run_in_the_ways_that_are_declared")
class PromisesStreams(CallablesAdapter):
    def capabilities(self, app: Any) -> Any:
        return super().capabilities(app).model_copy(update={"streaming": True})


class Holding(CallablesAdapter):
    """Keeps the run where several find it, and records into whichever is there."""

    form = "end_turn"

    def __init__(self) -> None:
        self.place: Any = type("Place", (), {})()

    def attach(self, app: Any, run: Run) -> Attachment:
        attachment = super().attach(app, run)
        self.place.run = run
        real = getattr(Run, self.form)
        setattr(run, self.form, lambda *args, **more: real(self.place.run, *args, **more))
        return attachment


@saboteur("many_runs_in_threads_do_not_mix", ways=("sync",))
class HoldsTheRunGlobally(Holding):
    pass


@saboteur("many_runs_in_tasks_do_not_mix", ways=("sync", "async"))
class HoldsTheRunByThread(Holding):
    form = "aend_turn"

    def __init__(self) -> None:
        self.place = threading.local()


@saboteur("a_cancelled_run_is_let_go", ways=("sync", "async"))
class SwallowsCancellation(Wrapping):
    def wrapped(self, entry: Any, run: Run) -> Any:
        if not inspect.iscoroutinefunction(inspect.unwrap(entry)):
            return entry

        async def call(task: str) -> Any:
            try:
                return await entry(task)
            except asyncio.CancelledError:
                return None

        return call


class Staying(CallablesAdapter):
    """Puts nothing back once the run has gone."""

    def attach(self, app: Any, run: Run) -> Attachment:
        self.gone = False
        attachment: Any = super().attach(app, run)
        real = attachment._patches.restore
        attachment._patches.restore = lambda: None if self.gone else real()
        return attachment


@saboteur("a_cancelled_run_is_let_go", ways=("sync", "async"))
class StaysAfterACancellation(Staying, Wrapping):
    def wrapped(self, entry: Any, run: Run) -> Any:
        if not inspect.iscoroutinefunction(inspect.unwrap(entry)):
            return entry

        async def call(task: str) -> Any:
            try:
                return await entry(task)
            except asyncio.CancelledError:
                self.gone = True
                raise

        return call


class Left(Wrapping):
    """Does something where a stream is left early."""

    def left(self, run: Run) -> None:
        raise NotImplementedError

    def wrapped(self, entry: Any, run: Run) -> Any:
        if not inspect.isgeneratorfunction(inspect.unwrap(entry)):
            return entry

        def call(task: str) -> Any:
            try:
                yield from entry(task)
            except GeneratorExit:
                self.left(run)
                raise

        return call


@saboteur("a_stream_that_is_left_early_is_let_go", ways=("sync", "stream"))
class StaysAfterAStreamIsLeft(Staying, Left):
    def left(self, run: Run) -> None:
        self.gone = True


@saboteur("a_stream_that_is_left_early_is_let_go", ways=("sync", "stream"))
class LosesWhatAStreamGave(Left):
    def left(self, run: Run) -> None:
        run.recorder._rows.clear()
        run.recorder._rows.ordered().clear()


@saboteur("a_stream_that_is_left_early_is_let_go", ways=("sync", "stream"))
class TakesLeavingForTrouble(Wrapping):
    def wrapped(self, entry: Any, run: Run) -> Any:
        if not inspect.isgeneratorfunction(inspect.unwrap(entry)):
            return entry

        def call(task: str) -> Any:
            try:
                yield from entry(task)
            except GeneratorExit:
                run.trouble = "the consumer is gone"
                raise

        return call


@saboteur("what_is_tried_again_is_recorded_as_such", "an_exception_is_recorded_once_and_raised_unchanged")
def hides_failed_attempts(run: Run) -> None:
    @around(run, "failed")
    def failed(real: Any, error: Any, agent: Any = None, **more: Any) -> None:
        if agent is None:
            real(error)


# -- acting -----------------------------------------------------------------------------------------------------------


@saboteur(
    "altered_inputs_reach_as_far_as_declared", "alterations_are_observed_downstream", "nobody_overhears_an_injection"
)
def keeps_inputs(run: Run) -> None:
    @around(run, "begin_turn")
    def begin_turn(real: Any, *args: Any, **more: Any) -> Any:
        turn = real(*args, **more)
        turn.changed = frozenset()
        return turn


@saboteur("altered_outputs_reach_as_far_as_declared")
def mistakes_scopes(run: Run) -> None:
    @around(run, "end_turn")
    def end_turn(real: Any, *args: Any, **more: Any) -> Any:
        return real(*args, scopes=("belief",), **more)

    @around(run, "call")
    def call(real: Any, *args: Any, **more: Any) -> Any:
        return real(*args, after=("outgoing",), **more)


@saboteur("altered_tool_results_reach_the_caller")
def keeps_tool_results(run: Run) -> None:
    @around(run, "call")
    def call(real: Any, turn: Any, kind: str, parts: Any, live: Any, codec: Any, **more: Any) -> Any:
        results: list[Any] = []

        def kept(texts: Any) -> Any:
            results.append(live(texts))
            return results[-1]

        result = real(turn, kind, parts, kept, codec, **more)
        return results[-1] if kind == "tool" and results else result


@saboteur("alterations_are_observed_downstream", "parallel_turns_beside_the_target_are_untouched")
def writes_no_tape_when_altered(run: Run) -> None:
    if run.interventions is not None:
        real = run.recorder.tape
        run.recorder.tape = lambda entry, *args: real(entry.model_copy(update={"request": ()}), *args)  # type: ignore[method-assign]


@saboteur(
    "what_comes_before_the_target_is_untouched",
    "a_target_that_never_comes_is_not_fired",
    "a_null_control_is_the_clean_run",
)
def touches_the_prefix(run: Run) -> None:
    def touched(turn: Any, part: Part) -> Part:
        first = str(turn.moment) == "Writer turn 1" and run.interventions is not None
        return part.model_copy(update={"call_id": "x"}) if first else part

    with_steps(run, touched)


@saboteur("parallel_turns_beside_the_target_are_untouched")
def shares_objects_between_branches(run: Run) -> None:
    @around(run, "begin_turn")
    def begin_turn(real: Any, agent: str, *args: Any, **more: Any) -> Any:
        turn = real(agent, *args, **more)
        if agent == "Worker" and run.interventions is not None and run.replay is None:
            turn.parts = tuple(part.model_copy(update={"text": f"{part.text} ..."}) for part in turn.parts)
            turn.changed = frozenset(part.id for part in turn.parts)
        return turn


@saboteur("a_target_that_never_comes_is_not_fired")
def fires_in_any_turn(run: Run) -> None:
    if run.interventions is None or run.replay is not None:
        return
    plan = run.interventions
    real = plan.claim
    plan.claim = lambda moment, *args: real(  # type: ignore[method-assign]
        plan.targets[0].moment if moment.agent == plan.targets[0].moment.agent else moment, *args
    )


@saboteur("sites_that_are_not_declared_do_not_fire")
class DeclaresTooLittle(CallablesAdapter):
    def capabilities(self, app: Any) -> Any:
        found = super().capabilities(app)
        return found.model_copy(update={"sites": tuple(site for site in found.sites if site.scope != "belief")})
