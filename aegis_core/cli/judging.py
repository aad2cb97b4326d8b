"""`aegis attribute` and `aegis evaluate`: asking attributors, and scoring them."""

from __future__ import annotations

import contextlib
import enum
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from aegis_core.attributing import DEFAULT
from aegis_core.cli.answers import Answer, AsJson, ExitCode, command
from aegis_core.cli.harmless import HarmlessConsole
from aegis_core.errors import AegisError

if TYPE_CHECKING:
    from aegis_core.format import LabelledRun
    from aegis_core.learner import Attributor
    from aegis_core.plugins import Plugins
    from aegis_core.report.attribution import Finding
    from aegis_core.scoring.rules import Rules
    from aegis_core.scoring.trial import Contestant, RunSet, Trial
    from aegis_core.trajectory import Trajectory

__all__ = ["Names", "attribute", "evaluate"]

BASELINES = "baselines"
"""The plugin whose attributors and learners stand beside those that were asked for."""
Train = Annotated[
    list[Path] | None,
    typer.Option(help="Labelled runs to train learners on first; may be given again.", metavar="DATA"),
]
TrainLabels = Annotated[
    list[Path] | None,
    typer.Option(help="Labels of the runs to train on, in files of their own; one for each --train.", metavar="FILE"),
]
FormatName = Annotated[
    str | None, typer.Option("--format", help="Of the runs; by default what they look like. See `aegis plugins`.")
]

Environment = Annotated[
    bool, typer.Option("--environment", help="Faults of the environment count where modes alone are compared.")
]
Full = Annotated[
    bool, typer.Option("--full", help="More tables: mean reciprocal ranks, class sets, one and several faults.")
]
Published = Annotated[bool, typer.Option("--published", help="Also print what published scorers say.")]


class Names(enum.StrEnum):
    """How the names of agents are compared in the tables."""

    STRICT = "strict"
    FOLDED = "folded"


@command
def attribute(
    path: Annotated[Path, typer.Argument(help="Runs of any known format: a file or a folder.", metavar="PATH")],
    run: Annotated[
        str, typer.Option(help="Id of one run, or a beginning of it that only one run has. By default all runs.")
    ] = "",
    attributor: Annotated[
        str | None, typer.Option(help=f"Who judges: an attributor, or with --train a learner. By default {DEFAULT}.")
    ] = None,
    train: Train = None,
    train_labels: TrainLabels = None,
    format_name: FormatName = None,
    top: Annotated[int | None, typer.Option(help="Suspects told of a run: 5 in words, all in JSON.", min=1)] = None,
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Say who made which error in each run, the surest first, and why. Labels are neither used nor shown.

    Exit code 1 if not a single run could be judged.
    """
    from aegis_core.plugins import default_plugins
    from aegis_core.report.attribution import SHOWN, attribution_text
    from aegis_core.report.lookup import no_runs

    plugins = default_plugins()
    runs = list(_runs(path, format_name, run))
    trained_on = _sources(train, train_labels, "--train-labels", "--train")
    judge = _trained(attributor, trained_on, {one.task for one, _ in runs}, plugins)
    findings = [
        _finding(judge, one, attributor or DEFAULT, plugins).model_copy(update={"doubts": doubts})
        for one, doubts in runs
    ]
    lines: list[str] = []
    for found in findings:
        lines += [*([""] if lines else []), *attribution_text(found, top or SHOWN)]
    data = [found.model_copy(update={"suspects": found.suspects[:top]}) for found in findings]
    judged = any(not found.not_judged for found in findings)
    return Answer(
        data=data,
        text=["\n".join(lines)] if findings else [f"{no_runs(path)}."],
        code=ExitCode.OK if judged else ExitCode.NEGATIVE,
    )


def _trained(
    name: str | None, train: Sequence[tuple[Path, Path | None]], judged: AbstractSet[str], plugins: Plugins
) -> Attributor:
    """Who judges, trained if it must be; never on runs of a task that is judged, whose labels it would repeat."""
    from aegis_core.attributing import find_attributor, find_judge
    from aegis_core.learner import Attributor
    from aegis_core.scoring.crossfitting import fitted

    if not train:
        return find_attributor(name, plugins)
    judge = find_judge(name, plugins)
    if isinstance(judge, Attributor):
        raise AegisError(f"attributor {name or DEFAULT!r} is not trained; leave out --train, or name a learner")
    runs = [one for path, labels in train for one in _read(path, labels=labels)]
    others = [one for one in runs if one.trajectory.task not in judged]
    if runs and not others:
        raise AegisError(
            f"none of {len(runs)} runs is left to train on: all are of tasks that are judged; give --train other runs"
        )
    return fitted(judge, others)


def _runs(path: Path, format_name: str | None, run_id: str) -> Iterator[tuple[Trajectory, tuple[str, ...]]]:
    """The runs at a path with what is doubtful about them, or the one that was chosen."""
    from aegis_core.formats import open_runs

    found: dict[str, tuple[Trajectory, tuple[str, ...]]] = {}
    others = 0
    for run, doubts in open_runs(path, format_name).doubted_trajectories():
        if not run_id:
            yield run, doubts
        elif run.run_id.startswith(run_id):
            found[run.run_id] = run, doubts
        else:
            others += 1
    if not run_id:
        return
    chosen = [found[run_id]] if run_id in found else list(found.values())
    if len(chosen) != 1:
        shown = f": {', '.join(list(found)[:5])}{', …' * (len(found) > 5)}" if found else ""
        raise AegisError(f"{path}: {len(found) or 'none'} of {len(found) + others} runs begin with {run_id!r}{shown}")
    yield chosen[0]


def _read(path: Path, format_name: str | None = None, labels: Path | None = None) -> Iterator[LabelledRun]:
    from aegis_core.formats import open_runs

    return open_runs(path, format_name, labels).labelled_runs()


def _sources(
    data: Sequence[Path] | None, labels: Sequence[Path] | None, option: str, of: str
) -> list[tuple[Path, Path | None]]:
    """Each path of runs with the file of its labels, None where they stand with the runs."""
    data = data or ()
    if labels and len(labels) != len(data):
        raise AegisError(
            f"{option} was given {len(labels)} times and {of} {len(data)} times; give one file for each, in the same "
            "order, and DATA whose labels stand with the runs in a command of their own"
        )
    if not labels:
        return [(path, None) for path in data]
    return list(zip(data, labels, strict=True))


def _finding(judge: Attributor, run: Trajectory, name: str, plugins: Plugins) -> Finding:
    from aegis_core.attribution import Attribution
    from aegis_core.report.attribution import finding

    try:
        answer: object = judge.attribute(run)
    except (Exception, SystemExit) as error:  # boundary to a plugin: a run that it can't judge must not hide the others
        return finding(run, name, None, {}, not_judged=f"{type(error).__name__}: {error}")
    if not isinstance(answer, Attribution) or answer.run_id != run.run_id:
        return finding(run, name, None, {}, not_judged="the answer is no attribution of this run")
    return finding(run, name, answer, plugins.error_modes())


@command
def evaluate(
    data: Annotated[list[Path], typer.Argument(help="Labelled runs of any known format.", metavar="DATA...")],
    attributor: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Attributor or learner to score; may be given again, the first is compared with the others. "
            f"By default {DEFAULT}."
        ),
    ] = None,
    baselines: Annotated[bool, typer.Option(help="Score the trivial attributors beside them.")] = True,
    labels: Annotated[
        list[Path] | None,
        typer.Option(help="Labels in a file of their own; one for each DATA, in the same order.", metavar="FILE"),
    ] = None,
    train: Train = None,
    train_labels: TrainLabels = None,
    pooled: Annotated[
        bool, typer.Option("--pooled", help="Train learners on all DATA together, not on each by itself.")
    ] = False,
    folds: Annotated[int | None, typer.Option(help="Folds by source task for learners; by default 5.", min=2)] = None,
    seed: Annotated[int, typer.Option(help="Of folds and resamples.", min=0)] = 0,
    resamples: Annotated[int, typer.Option(help="Of the source tasks; 0 for no intervals.", min=0)] = 1000,
    origin: Annotated[str | None, typer.Option(help="Whose labels count, where several annotated.")] = None,
    names: Annotated[Names, typer.Option(help="How names of agents are compared in the tables.")] = Names.FOLDED,
    fault_roles: Annotated[
        str, typer.Option(help="Which faults are to be found: cause, carrier, missed, with commas between.")
    ] = "cause",
    k: Annotated[str, typer.Option("--k", help="How many steps a hit may be off, with commas between.")] = "0,1,3",
    environment: Environment = False,
    full: Full = False,
    published: Published = False,
    format_name: FormatName = None,
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Score attributors on labelled runs: a table for each DATA, with intervals, beside the trivial attributors.

    A learner is trained on the other folds of the same DATA, or with --train on runs of their own; a question that
    occurs in several DATA is in one fold. Exit code 1 if somebody who was asked for could not judge a single run.
    """
    from aegis_core.report.scores import trial_text
    from aegis_core.scoring.standings import Conditions
    from aegis_core.scoring.trial import hold_trial

    contestants = list(_contestants(attributor or [], with_baselines=baselines))
    conditions = Conditions(
        origin=origin, folds=folds, pooled=pooled, seed=seed, resamples=resamples,
        rules=_rules(fault_roles, k, environment=environment),
        published=published,
    )  # fmt: skip
    judged = _sources(data, labels, "--labels", "DATA")
    trained_on = _sources(train, train_labels, "--train-labels", "--train")
    with _telling() as tell, _rare_collections():
        tell("reading")
        training = [one for path, own in trained_on for one in _read(path, labels=own)]
        trial = hold_trial(_sets(judged, format_name), contestants, conditions, training=training, tell=tell)
    return Answer(
        data=trial,
        text=["\n".join(trial_text(trial, names.value, full=full))],
        code=ExitCode.NEGATIVE if _is_somebody_silent(trial, contestants) else ExitCode.OK,
    )


def _is_somebody_silent(trial: Trial, contestants: Sequence[Contestant]) -> bool:
    """Whether somebody who was asked for could not judge a single run of a set, or was left out."""
    asked = {who.name for who in contestants if not who.is_optional}
    if any(asked & set(result.left_out) for result in trial.sets):
        return True
    return any(
        not (counted := one.evaluation.part("all").coverage).answered and not counted.abstained
        for result in trial.sets
        for one in result.standings
        if one.name in asked
    )


def _contestants(asked: Sequence[str], *, with_baselines: bool) -> Iterator[Contestant]:
    """Those that were asked for, or the default one, and then the trivial ones that are not among them."""
    from aegis_core.attributing import find_judge
    from aegis_core.plugins import default_plugins
    from aegis_core.scoring.trial import Contestant

    plugins = default_plugins()
    named = dict.fromkeys(asked) or {DEFAULT: None}
    for name in named:
        yield Contestant(name, find_judge(name if asked else None, plugins))
    trivial = [plugin for plugin in plugins.report().plugins if with_baselines and plugin.name == BASELINES]
    for item in (item for plugin in trivial for item in plugin.provides):
        if item.kind in ("attributor", "learner") and item.name not in named:
            yield Contestant(item.name, find_judge(item.name, plugins), is_optional=True)


def _sets(data: Sequence[tuple[Path, Path | None]], format_name: str | None) -> list[RunSet]:
    """The runs of each path, under its last name, or under all of it where two have the same."""
    from aegis_core.report.lookup import no_runs
    from aegis_core.scoring.trial import RunSet

    short = [path.resolve().name for path, _ in data]
    sets = [
        RunSet(name if short.count(name) == 1 else str(path), tuple(_read(path, format_name, labels)))
        for (path, labels), name in zip(data, short, strict=True)
    ]
    for one, (path, _) in zip(sets, data, strict=True):
        if not one.runs:
            raise AegisError(no_runs(path))
    return sets


def _rules(fault_roles: str, within: str, *, environment: bool) -> Rules:
    from aegis_core.faults import FaultRole
    from aegis_core.scoring.rules import Rules

    roles = [role.strip() for role in fault_roles.split(",")]
    known = get_args(FaultRole)
    if unknown := [role for role in roles if role not in known]:
        raise AegisError(f"--fault-roles {fault_roles!r}: {unknown[0]!r} is none of {', '.join(known)}")
    distances = [word.strip() for word in within.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in distances):
        raise AegisError(f"--k {within!r}: give numbers of steps with commas between them, for example 0,1,3")
    return Rules.model_validate(
        {
            "roles": tuple(dict.fromkeys(roles)),
            "within": tuple(map(int, distances)),
            "environment": environment,
        }
    )


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Garbage is looked for more rarely: all runs stay in memory, and going through them again and again takes long."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextlib.contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """What is done is told on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with HarmlessConsole(stderr=True).status("") as status:
        yield status.update
