"""Putting runs and their labels together, one run at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from aegis_core.errors import StoreError
from aegis_core.faults import Labels
from aegis_core.format import LabelledRun
from aegis_core.trajectory import Trajectory

__all__ = ["check_faults", "labelled"]


def labelled(
    trajectories: Iterable[Trajectory], labels: Iterable[Labels], tasks: Mapping[str, str], where: str
) -> Iterator[LabelledRun]:
    """Runs with all labels there are of them, in the order of the trajectories; all labels are in memory at once.

    The group of a run is the task of its case; without a known case, what its labels give as their case; without
    labels, the text of its task.

    Args:
        trajectories: the runs.
        labels: their labels, several records of one run where several annotators labelled it.
        tasks: id of the task by id of the case.
        where: where the labels stand, for messages.

    Raises:
        StoreError: there are labels of a run that is not among the trajectories, or of a step that its run does not
            have, or proven ones of an agent that it does not have.
    """
    waiting: dict[str, list[Labels]] = {}
    for record in labels:
        waiting.setdefault(record.run_id, []).append(record)
    for trajectory in trajectories:
        own = tuple(waiting.pop(trajectory.run_id, ()))
        for record in own:
            check_faults(record, trajectory, where)
        case = own[0].case_id if own else trajectory.task
        yield LabelledRun(trajectory, own, group=tasks.get(case, case))
    if waiting:
        raise StoreError(
            f"{where}: run {next(iter(waiting))!r} is not in the trajectories; a labelled run needs its trajectory, "
            "so give runs and labels of one dataset"
        )


def check_faults(labels: Labels, trajectory: Trajectory, where: str) -> None:
    """Make sure that the faults of a run are of what there is in it; an annotator may call an agent what he likes.

    Raises:
        StoreError: a fault names a step that the run does not have, or a proven one an agent; says which there are.
    """
    for fault in (*labels.faults, *labels.redundant):
        known = [agent.path for agent in trajectory.agents]
        if fault.origin == "proof" and fault.agent not in known:
            raise StoreError(
                f"{where}: run {labels.run_id!r} has no agent {fault.agent!r}; known: {', '.join(known) or 'none'}. "
                "A proven label names an agent as its run does; one that somebody wrote names him in `origin`"
            )
        if fault.step is not None and fault.step >= len(trajectory.steps):
            last = len(trajectory.steps) - 1
            known_steps = f"0 to {last}" if trajectory.steps else "none"
            raise StoreError(
                f"{where}: run {labels.run_id!r} has no step {fault.step}; known: {known_steps}; correct the label"
            )
