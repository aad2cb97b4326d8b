"""What recording a LangGraph run costs, against no tracing and against openinference with equal content.

The overhead of a tracer is the processor time of a traced run less that of an untraced one of the same round. Nothing
in these runs waits, so processor time is what a user would wait for; on a machine that does other things it can be
told, and the clock can't. An event is a turn, a model call or a tool call; both tracers record all of them.

untraced             the graph alone
bare handler         a LangChain callback handler that does nothing
aegis                `aegis.record`, with trajectory and tape read
openinference        spans to an in-memory exporter; what Aegis does not record is hidden
openinference, all   the same with nothing hidden
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aegis_core.run import Tape
from aegis_core.trace import record
from aegis_core.trajectory import Trajectory
from benchmarks.graphs import Workload, bare_handler, scripted
from benchmarks.measuring import Contender, Rounds, Sample, measure, quartiles, ratio, timed
from benchmarks.reporting import Figure, Goal, Report, machine
from benchmarks.spans import Spans, check_equal

__all__ = ["CONTENDERS", "recorded", "run"]

_GOAL = Goal(at_most=0.25)
CONTENDERS = ("untraced", "bare handler", "aegis", "openinference", "openinference, all")


_GRAPHS: Mapping[str, Callable[[], Workload]] = {"scripted": scripted}
"""Not the demo's team: of what its Analyst's middleware shows the model, Aegis records the state it is made from."""


def run(
    rounds: int = 60, graphs: Mapping[str, Callable[[], Workload]] = _GRAPHS, names: Sequence[str] = CONTENDERS
) -> Report:
    """Trace runs of each graph in turn with each contender.

    Args:
        rounds: how often each contender runs each graph.
        graphs: make the workloads, by name.
        names: of `CONTENDERS`, beginning with `untraced` and `aegis` among them.

    Raises:
        AegisError: the tracers don't hold the same content.
    """
    where = machine()
    figures: list[Figure] = []
    notes: list[str] = []
    for graph, make in graphs.items():
        work = make()
        trajectory, tape = recorded(work)
        events = _events(trajectory, tape)
        note = f"{graph}: {events} events; Aegis keeps {len(trajectory.steps)} steps, {len(tape.entries)} tape entries"
        if "openinference" in names:
            spans = Spans(trim=True)
            with spans:
                work.start(work.graph)
            check_equal(trajectory, tape, spans.attributes())
            note += f", openinference {len(spans.attributes())} spans; the same texts stand in both"
        notes.append(note)
        taken = measure({name: _contender(name, work) for name in names}, rounds=rounds, warmups=3)
        figures += _figures(graph, taken, events, names)
    return Report(
        benchmark="tracing",
        title="overhead of tracing a LangGraph run, by recorded event",
        machine=where,
        figures=tuple(figures),
        notes=tuple(notes),
    )


def _figures(graph: str, taken: Rounds, events: int, names: Sequence[str]) -> list[Figure]:
    overheads = {
        name: [traced - plain for traced, plain in zip(taken.cpu(name), taken.cpu("untraced"), strict=True)]
        for name in names[1:]
    }
    untraced = quartiles([1000 * spent for spent in taken.cpu("untraced")])
    figures = [Figure(name=f"{graph}: untraced run, CPU", estimate=untraced, unit="ms")]
    figures += [
        Figure(
            name=f"{graph}: {name}, overhead an event",
            estimate=quartiles([1e6 * spent / events for spent in overheads[name]]),
            unit="us",
        )
        for name in overheads
    ]
    for other in names:
        if not other.startswith("openinference"):
            continue
        for name in ("bare handler", "aegis"):
            goal = _GOAL if (name, other) == ("aegis", "openinference") else None
            figures.append(
                Figure(name=f"{graph}: {name} / {other}", estimate=ratio(overheads[name], overheads[other]), goal=goal)
            )
    return figures


def recorded(work: Workload) -> tuple[Trajectory, Tape]:
    """Record one run, and read what was recorded."""
    with record(work.graph) as recording:
        work.start(recording.app)
    return recording.trajectory, recording.tape


def _events(trajectory: Trajectory, tape: Tape) -> int:
    """Turns, model calls and tool calls of a run."""
    turns_and_models = sum(entry.key.kind in ("input", "model") for entry in tape.entries)
    return turns_and_models + sum(step.kind == "tool_call" for step in trajectory.steps)


def _contender(name: str, work: Workload) -> Contender:
    if name == "untraced":
        return lambda: timed(lambda: work.start(work.graph))
    if name == "bare handler":
        watched = work.graph.with_config(callbacks=[bare_handler()])
        return lambda: timed(lambda: work.start(watched))
    if name == "aegis":
        return lambda: timed(lambda: recorded(work))
    spans = Spans(trim=name == "openinference")

    def once() -> Sample:
        with spans:
            return timed(lambda: work.start(work.graph))

    return once
