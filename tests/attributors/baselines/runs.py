"""Small runs with labels, for tests of rules that look at speakers, names and words only."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.faults import Fault, Labels
from aegis_core.format import ChosenRuns, LabelledRun
from aegis_core.trajectory import Agent, AgentKind, Step, Trajectory

KINDS: dict[str, AgentKind] = {"Boss": "manager", "Human": "user", "Terminal": "tool"}


def trajectory(
    *speakers: str, run_id: str = "r", texts: Iterable[str] = (), silent: tuple[str, ...] = ()
) -> Trajectory:
    """A run in which these speak one after the other."""
    said = list(texts) or [f"{speaker} speaks" for speaker in speakers]
    steps = [
        Step(index=index, agent=speaker, kind="message", text=text)
        for index, (speaker, text) in enumerate(zip(speakers, said, strict=True))
    ]
    agents = [Agent(path=name, kind=KINDS.get(name, "worker")) for name in dict.fromkeys((*silent, *speakers))]
    return Trajectory(run_id=run_id, task="?", agents=tuple(agents), steps=tuple(steps))


def fault(agent: str, step: int | None = None, mode: str | None = None, **more: object) -> Fault:
    """A label of an annotator."""
    return Fault.model_validate({"agent": agent, "step": step, "mode": mode, "origin": "one", **more})


def labelled(run: Trajectory, *faults: Fault) -> LabelledRun:
    """A run with one label set."""
    return LabelledRun(run, (Labels(run_id=run.run_id, case_id="c", faults=faults),), group="c")


def chosen(*runs: LabelledRun) -> ChosenRuns:
    """Training runs."""
    return ChosenRuns(runs)
