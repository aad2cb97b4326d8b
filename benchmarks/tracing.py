"""What recording a run costs, by framework: against no tracing, and against others' instrumentors with equal content.

The overhead of a tracer is the processor time of a traced run less that of an untraced one of the same round. Nothing
in these runs waits, so processor time is what a user would wait for; on a machine that does other things it can be
told, and the clock can't. An event is a turn, a model call or a tool call; all tracers record all of them, and before
anything is timed it is checked that they hold the same texts (`benchmarks.spans`).

untraced       the team alone
aegis          `aegis.record`, attached and taken off, with trajectory and tape read
openinference  its instrumentor, switched on before, with spans to an in-memory exporter; what Aegis does not record
               (parameters of the invocation, schemas of tools) is hidden
openllmetry    the same of OpenLLMetry, where it has an instrumentor; it can hide its content only as a whole
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aegis_core.run import Tape
from aegis_core.trace import record
from aegis_core.trajectory import Trajectory
from benchmarks.instrumentors import INSTRUMENTORS, Instrumented, Instrumentor
from benchmarks.measuring import Contender, Rounds, Sample, measure, quartiles, ratio, timed
from benchmarks.reporting import Figure, Goal, Report, machine
from benchmarks.spans import READERS, check_equal
from benchmarks.workloads import WORKLOADS, Workload

__all__ = ["COMPARED", "count_events", "recorded", "run"]

_GOAL = Goal(at_most=0.25)
COMPARED = ("langgraph", "langgraph team", "autogen", "smolagents")
"""The workloads for whose frameworks there are instrumentors."""


def run(
    rounds: int = 60,
    workloads: Mapping[str, Callable[[], Workload]] | None = None,
    families: Sequence[str] = ("openinference", "openllmetry"),
) -> Report:
    """Trace runs of each workload in turn with each contender.

    Args:
        rounds: how often each contender runs each workload.
        workloads: make them, by name; by default those of `COMPARED`.
        families: of instrumentors to compare with, where they have one.

    Raises:
        AegisError: the tracers don't hold the same content.
    """
    where = machine()
    figures: list[Figure] = []
    notes: list[str] = []
    for name, make in (workloads or {name: WORKLOADS[name] for name in COMPARED}).items():
        work = make()
        trajectory, tape = recorded(work)
        events = count_events(trajectory, tape)
        note = f"{name}: {events} events; Aegis keeps {len(trajectory.steps)} steps, {len(tape.entries)} tape entries"
        contenders = {"untraced": _untraced(work), "aegis": _aegis(work)}
        for instrumentor in INSTRUMENTORS.get(work.framework, ()):
            if instrumentor.family in families:
                count = _compared(work, trajectory, tape, instrumentor)
                note += f", {instrumentor.family} {count} spans with the same texts"
                contenders[instrumentor.family] = _instrumented(work, instrumentor)
        notes.append(note)
        figures += _figures(name, measure(contenders, rounds=rounds, warmups=3), events)
    return Report(
        benchmark="tracing",
        title="overhead of tracing a run, by recorded event",
        machine=where,
        figures=tuple(figures),
        notes=tuple(notes),
    )


def _figures(name: str, taken: Rounds, events: int) -> list[Figure]:
    untraced = taken.cpu("untraced")
    overheads = {
        tracer: [traced - plain for traced, plain in zip(taken.cpu(tracer), untraced, strict=True)]
        for tracer in taken.samples
        if tracer != "untraced"
    }
    by_event = {tracer: quartiles([1e6 * one / events for one in spent]) for tracer, spent in overheads.items()}
    others = [tracer for tracer in overheads if tracer != "aegis"]
    better = min(others, key=lambda tracer: by_event[tracer].value, default="")
    return [
        Figure(name=f"{name}: untraced run, CPU", estimate=quartiles([1000 * one for one in untraced]), unit="ms"),
        *(
            Figure(name=f"{name}: {tracer}, overhead an event", estimate=by_event[tracer], unit="us")
            for tracer in overheads
        ),
        *(
            Figure(
                name=f"{name}: aegis / {tracer}",
                estimate=ratio(overheads["aegis"], overheads[tracer]),
                goal=_GOAL if tracer == better else None,
            )
            for tracer in others
        ),
        Figure(name=f"{name}: aegis / untraced run", estimate=ratio(overheads["aegis"], untraced)),
    ]


def recorded(work: Workload) -> tuple[Trajectory, Tape]:
    """Record one run, and read what was recorded."""
    return _record(work, work.make())


def _record(work: Workload, app: object) -> tuple[Trajectory, Tape]:
    with record(app) as recording:
        work.start(recording.app)
    return recording.trajectory, recording.tape


def count_events(trajectory: Trajectory, tape: Tape) -> int:
    """Turns, model calls and tool calls of a run."""
    turns_and_models = sum(entry.key.kind in ("input", "model") for entry in tape.entries)
    return turns_and_models + sum(step.kind == "tool_call" for step in trajectory.steps)


def _compared(work: Workload, trajectory: Trajectory, tape: Tape, instrumentor: Instrumentor) -> int:
    """How many spans an instrumentor makes of a run.

    Raises:
        AegisError: they hold other content than Aegis.
    """
    instrumented = Instrumented(instrumentor)
    app = work.make()
    with instrumented:
        work.start(app)
    spans = instrumented.attributes()
    check_equal(trajectory, tape, READERS[instrumentor.family](spans), instrumentor.family)
    return len(spans)


def _untraced(work: Workload) -> Contender:
    def once() -> Sample:
        app = work.make()
        return timed(lambda: work.start(app))

    return once


def _aegis(work: Workload) -> Contender:
    def once() -> Sample:
        app = work.make()
        return timed(lambda: _record(work, app))

    return once


def _instrumented(work: Workload, instrumentor: Instrumentor) -> Contender:
    instrumented = Instrumented(instrumentor)

    def once() -> Sample:
        app = work.make()
        with instrumented:
            return timed(lambda: work.start(app))

    return once
