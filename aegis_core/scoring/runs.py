"""What is scored: one run with the faults that one annotator found in it, and what an attributor said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import Field, model_validator

from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import RecordError
from aegis_core.faults import Fault
from aegis_core.format import LabelledRun
from aegis_core.records import Record
from aegis_core.scoring.names import RunNames
from aegis_core.scoring.rules import Rules

__all__ = ["Compared", "ScoredRun", "is_environment", "labelled_by", "origins", "scored_run", "truth_of"]


class ScoredRun(Record):
    """Truth and prediction of one run; all that a metric needs of it.

    `group` is the source task: runs of one group are drawn together in the bootstrap. `prediction` is None where the
    attributor could not judge the run (it raised, or its answer could not be parsed); `not_judged` then says why.
    Such a run counts as a prediction of nothing, as does an abstention: it is wrong, never left out.
    """

    run_id: str = Field(min_length=1)
    group: str
    agents: tuple[str, ...]
    """Paths of the run's agents."""
    steps: int = Field(ge=0)
    """Number of steps."""
    truth: tuple[Fault, ...] = ()
    prediction: Attribution | None = None
    not_judged: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> ScoredRun:
        if (self.prediction is None) != bool(self.not_judged):
            raise RecordError(
                f"run {self.run_id}: give a prediction, or in `not_judged` the reason why there is none; not both"
            )
        if self.prediction is not None and self.prediction.run_id != self.run_id:
            raise RecordError(f"run {self.run_id}: the attribution is of run {self.prediction.run_id!r}")
        return self

    @property
    def blames(self) -> tuple[Blame, ...]:
        """What was predicted, the surest first; empty where the attributor abstained or could not judge."""
        return self.prediction.blames if self.prediction is not None and not self.prediction.abstained else ()


def is_environment(blamed: Fault | Blame) -> bool:
    """Whether a fault is one of the environment, and so no agent's; a blame, whether it says so."""
    environment_mode = bool(blamed.mode and blamed.mode.startswith("env:"))
    return environment_mode or (isinstance(blamed, Fault) and blamed.strategy == "environment")


class Compared:
    """A run as the metrics see it under given rules: what was to be found, what was said, and who is meant by a name.

    Args:
        run: truth and prediction.
        rules: which faults are to be found.
    """

    def __init__(self, run: ScoredRun, rules: Rules) -> None:
        self.is_clean = not run.truth
        self.targets = tuple(fault for fault in run.truth if fault.role in rules.roles)
        """Faults to be found, the environment's among them."""
        self.faults = tuple(fault for fault in self.targets if not is_environment(fault))
        """Those that agents made."""
        self.prediction = run.prediction
        self.said = run.blames
        self.blames = tuple(blame for blame in run.blames if not is_environment(blame))
        """Those that blame an agent."""
        self.names = RunNames(run.agents)
        self.steps = run.steps


def origins(run: LabelledRun) -> tuple[str, ...]:
    """Who labelled a run: the origins of its faults, each once, in the order of its label sets."""
    return tuple(dict.fromkeys(fault.origin for labels in run.labels for fault in labels.faults))


def truth_of(run: LabelledRun, origin: str | None = None) -> tuple[Fault, ...]:
    """The faults of a run by one origin. None takes the only label set there is.

    A run whose label sets are all empty is a clean run, whatever the origin.

    Raises:
        RecordError: the run has no labels, none by this origin, or several label sets to choose from.
    """
    where, known = f"run {run.trajectory.run_id}", origins(run)
    if not run.labels:
        raise RecordError(f"{where} has no labels, so nothing can be scored; leave it out with `labelled_by`")
    if not known:
        return ()
    if origin is None and len(known) > 1:
        raise RecordError(f"{where} has labels by {', '.join(map(repr, known))}; say whose count with `origin`")
    if origin is not None and origin not in known:
        raise RecordError(
            f"{where} has no labels by {origin!r}; it has those of {', '.join(map(repr, known))}. "
            "Leave such runs out with `labelled_by`"
        )
    chosen = known[0] if origin is None else origin
    return tuple(fault for labels in run.labels for fault in labels.faults if fault.origin == chosen)


def labelled_by(runs: Iterable[LabelledRun], origin: str | None = None) -> Iterator[LabelledRun]:
    """The runs that have labels, and by this origin if one is given. Clean runs stay: all who looked found nothing."""
    for run in runs:
        known = origins(run)
        if run.labels and (origin is None or not known or origin in known):
            yield run


def scored_run(
    run: LabelledRun,
    prediction: Attribution | None,
    *,
    group: str = "",
    origin: str | None = None,
    not_judged: str = "",
) -> ScoredRun:
    """Put a labelled run and an attributor's answer together.

    Args:
        run: the trajectory with its labels.
        prediction: the answer; None with a reason in `not_judged`.
        group: the source task, as `source_tasks` finds it; "" takes that of the run, or its task's text if it has none.
        origin: whose labels count, where there are several.
        not_judged: why there is no answer.

    Raises:
        RecordError: as `truth_of`; and if the answer is of another run, or not one of answer and reason is given.
    """
    trajectory = run.trajectory
    return ScoredRun(
        run_id=trajectory.run_id,
        group=group or run.group or trajectory.task,
        agents=tuple(agent.path for agent in trajectory.agents),
        steps=len(trajectory.steps),
        truth=truth_of(run, origin),
        prediction=prediction,
        not_judged=not_judged,
    )
