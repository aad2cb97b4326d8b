"""What `aegis evaluate` takes on as many runs as the paper has: one attributor, and beside the trivial ones."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aegis_core.attributing import DEFAULT, find_judge
from aegis_core.campaign.journal import RunRecord
from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.plugins import default_plugins
from aegis_core.scoring.standings import Conditions
from aegis_core.scoring.trial import Contestant, RunSet, hold_trial
from aegis_core.store import read
from aegis_core.trajectory import Trajectory
from benchmarks.campaigns import generate
from benchmarks.measuring import Contender, measure, quartiles, timed
from benchmarks.reporting import Figure, Report, machine

__all__ = ["contestants", "labelled", "run"]

RUNS = 9533
"""As many as the dataset of the paper."""
_RUNS_A_TASK = 3
_SEED = 1
_MODES = ("FM-1.1", "FM-1.2", "FM-1.3", "FM-2.1", "FM-2.4", "FM-2.6", "FM-3.1", "FM-3.2", "FM-3.3")


def run(rounds: int = 3, runs: int = RUNS, tasks: int = 20) -> Report:
    """Time whole trials in memory: asking, training, drawing 1,000 resamples, scoring, comparing.

    Args:
        rounds: how often each trial is held; none is held before to warm up.
        runs: how many are judged.
        tasks: of the campaign whose trajectories are used again and again.
    """
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        generate("callables", Path(folder) / "campaign", tasks)
        seen = [record.trajectory for record in read(Path(folder) / "campaign" / "journal.jsonl", RunRecord)]
    judged = RunSet("copies", tuple(labelled(seen, runs)))
    everybody = contestants()
    sides = {"one attributor": everybody[:1], f"{len(everybody)} attributors and learners": everybody}
    taken = measure({name: _trial(judged, who) for name, who in sides.items()}, rounds=rounds, warmups=0)
    steps = sum(len(one.trajectory.steps) for one in judged.runs) / runs
    return Report(
        benchmark="evaluation",
        title=f"`aegis evaluate` on {runs} runs, processor time",
        machine=where,
        figures=tuple(Figure(name=f"{name}, CPU", estimate=quartiles(taken.cpu(name)), unit="s") for name in sides),
        notes=(
            f"{len(seen)} trajectories of {steps:.1f} steps on average, copied under other ids; labels drawn by chance",
            f"the one is {DEFAULT}; 1000 resamples of {-(-runs // _RUNS_A_TASK)} source tasks, five folds",
        ),
    )


def labelled(seen: list[Trajectory], runs: int) -> Iterator[LabelledRun]:
    """Copies of trajectories, three a source task, with one to three faults at agents, modes and steps by chance."""
    rng = random.Random(_SEED)
    for number in range(runs):
        run_id, task = f"r{number}", f"t{number // _RUNS_A_TASK}"
        run = seen[number % len(seen)]
        run = run.model_copy(update={"run_id": run_id, "task": f"{run.task} {task}"})
        blamed = rng.sample([agent.path for agent in run.agents], min(len(run.agents), rng.choice([1, 1, 2, 3])))
        faults = tuple(
            Fault(agent=agent, mode=rng.choice(_MODES), step=rng.randrange(len(run.steps)), origin="chance")
            for agent in blamed
        )
        yield LabelledRun(run, (Labels(run_id=run_id, case_id=task, faults=faults),), group=task)


def contestants() -> list[Contestant]:
    """The default attributor, and the trivial ones beside which `aegis evaluate` sets it."""
    plugins = default_plugins()
    trivial = (
        item.name
        for plugin in plugins.report().plugins
        if plugin.name == "baselines"
        for item in plugin.provides
        if item.kind in {"attributor", "learner"}
    )
    return [Contestant(name, find_judge(name, plugins)) for name in (DEFAULT, *trivial)]


def _trial(judged: RunSet, who: list[Contestant]) -> Contender:
    return lambda: timed(lambda: hold_trial([judged], who, Conditions()))
