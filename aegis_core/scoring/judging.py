"""Having an attributor judge labelled runs, and keeping the runs at which it fails."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pydantic import JsonValue

from aegis_core.attribution import Attribution
from aegis_core.format import LabelledRun
from aegis_core.learner import Attributor
from aegis_core.scoring.runs import ScoredRun, scored_run
from aegis_core.trajectory import Step, Trajectory

__all__ = ["judge", "unshared"]


def judge(
    attributor: Attributor,
    runs: Iterable[LabelledRun],
    *,
    origin: str | None = None,
    groups: Mapping[str, str] | None = None,
) -> Iterator[ScoredRun]:
    """Truth and prediction of every run, one at a time and in order. The attributor sees the trajectories alone.

    `attribute_many` is used. Where it breaks off, or answers for another run than the next, the runs that it had taken
    and not answered are given to `attribute` one by one, so that only those fail which can't be judged themselves;
    with the rest it goes on as before.

    Args:
        attributor: whom to ask. What it raises is its answer: the run counts as not judged, with the error as reason.
        runs: trajectories with their labels.
        origin: whose labels count, where there are several.
        groups: the source task by run id, as `source_tasks` finds it; else each run's own group.

    Raises:
        RecordError: a run has no labels, or several label sets and no `origin` says which counts.
    """

    def score(run: LabelledRun, prediction: Attribution | None, not_judged: str = "") -> ScoredRun:
        group = (groups or {}).get(run.trajectory.run_id, "")
        return scored_run(run, prediction, group=group, origin=origin, not_judged=not_judged)

    feed = _Feed(runs)
    while True:
        for answer in _many(attributor, feed):
            if not _answers(answer, feed.waiting):
                break
            yield score(feed.waiting.popleft(), answer)
        if feed.error is not None:
            raise feed.error
        if not feed.waiting and next(feed, None) is None:
            return
        while feed.waiting:
            run = feed.waiting.popleft()
            yield score(run, *_one(attributor, run.trajectory))


class _Feed(Iterator[Trajectory]):
    """The trajectories of runs. Those that were taken wait for their answer.

    `error` is what the source of the runs raised: it is no fault of the attributor that asked for the next one.
    """

    def __init__(self, runs: Iterable[LabelledRun]) -> None:
        self._runs = iter(runs)
        self.waiting: deque[LabelledRun] = deque()
        self.error: Exception | None = None

    def __next__(self) -> Trajectory:
        try:
            run = next(self._runs)
        except StopIteration:
            raise
        except Exception as error:
            self.error = error
            raise
        run = unshared(run)
        self.waiting.append(run)
        return run.trajectory


def unshared(run: LabelledRun) -> LabelledRun:
    """The run with structured content of its own: the one thing in a trajectory that a plugin could write into."""
    steps = tuple(map(_unshared, run.trajectory.steps))
    if all(one is other for one, other in zip(steps, run.trajectory.steps, strict=True)):
        return run
    return replace(run, trajectory=run.trajectory.model_copy(update={"steps": steps}))


def _unshared(step: Step) -> Step:
    if not any(isinstance(one.data, dict | list) for one in step.content):
        return step
    content = tuple(one.model_copy(update={"data": _copied(one.data)}) for one in step.content)
    return step.model_copy(update={"content": content})


def _copied(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _answers(answer: object, waiting: deque[LabelledRun]) -> bool:
    return isinstance(answer, Attribution) and bool(waiting) and answer.run_id == waiting[0].trajectory.run_id


def _many(attributor: Attributor, trajectories: Iterator[Trajectory]) -> Iterator[Attribution]:
    try:
        yield from attributor.attribute_many(trajectories)
    except (
        Exception,
        SystemExit,
    ):  # boundary to a plugin: what broke it shows again when the runs are judged one by one
        return


def _one(attributor: Attributor, trajectory: Trajectory) -> tuple[Attribution | None, str]:
    """The answer; or None and the reason why there is none."""
    try:
        answer: object = attributor.attribute(trajectory)
    except (
        Exception,
        SystemExit,
    ) as error:  # boundary to a plugin: what it can't judge counts as wrong, and the rest goes on
        return None, f"{type(error).__name__}: {error}"
    if not isinstance(answer, Attribution):
        return None, f"the answer is no Attribution but {type(answer).__name__}"
    if answer.run_id != trajectory.run_id:
        return None, "the answer is for another run"
    return answer, ""
