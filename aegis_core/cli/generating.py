"""`aegis generate` and `aegis demo`: campaigns."""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from aegis_core.cli.answers import Answer, AsJson, ExitCode, command
from aegis_core.errors import MissingDependencyError

if TYPE_CHECKING:
    from aegis_core.campaign import Campaign
    from aegis_core.campaign.summary import Progress as Tidings
    from aegis_core.campaign.summary import Summary

__all__ = ["Level", "demo", "generate"]

Seed = Annotated[int, typer.Option(help="Of everything random; the same seed gives the same bytes.", min=0)]
DEMO_SYSTEM = "aegis_langgraph.testing.systems:analysis_team"
_DEMO_WORKERS = 4
"""At most: each is a process that has loaded LangGraph."""
_TASKS_A_WORKER = 10
"""With fewer, starting one more takes as long as it saves."""


class Level(enum.StrEnum):
    """How what precedes a fault is served."""

    CALL = "call"
    NODE = "node"


ReplayAt = Annotated[
    Level | None,
    typer.Option(help="Serve what precedes a fault as whole nodes or as single calls; by default the best there is."),
]


@command
def generate(
    system: Annotated[str, typer.Option(help="Factory of the system, as module:attribute; may stand in this folder.")],
    tasks: Annotated[Path, typer.Option(help="JSONL file of tasks: task_id, text, answer, checker.")],
    out: Annotated[Path, typer.Option(help="Folder of the campaign; one that is there already is gone on with.")],
    injector: Annotated[str, typer.Option(help="What writes the altered texts; see `aegis plugins`.")] = "rules",
    checker: Annotated[
        str | None,
        typer.Option(help="exact, numeric, sequence, choice or module:function; by default each task's own."),
    ] = None,
    adapter: Annotated[str | None, typer.Option(help="By default the one that can handle the system.")] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="Error mode to cause; may be given again. By default all that can be proven."),
    ] = None,
    seed: Seed = 0,
    plans_per_run: Annotated[int, typer.Option(help="Faults tried in each right clean run, at most.", min=1)] = 4,
    pair_share: Annotated[float, typer.Option(help="Share of plans with two targets.", min=0, max=1)] = 0.15,
    limit: Annotated[int | None, typer.Option(help="Stop when so many faulty runs are kept.", min=1)] = None,
    max_turns: Annotated[int, typer.Option(help="Turns after which a run counts as endless.", min=1)] = 200,
    max_calls: Annotated[int, typer.Option(help="Calls after which a run counts as endless.", min=1)] = 400,
    replay: ReplayAt = None,
    workers: Annotated[int, typer.Option(help="Processes that make runs at the same time; same result.", min=1)] = 1,
    *,
    context: typer.Context,
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Make proven, labelled faulty runs of a system: record, check, plan, inject, prove.

    Stopped at any moment, it goes on when the same command is given again. Exit code 1 if no faulty run was kept.
    """
    from aegis_core.campaign import Campaign
    from aegis_core.run import Limits

    # Last, so that nothing in the user's folder hides an installed module.
    sys.path.append(os.getcwd())  # noqa: PTH109  sys.path holds strings
    with _progress() as told:
        return _answer(
            Campaign(
                system=system,
                tasks=tasks,
                out=out,
                checker=checker,
                injector=injector,
                adapter=adapter,
                modes=mode or None,
                seed=seed,
                plans_per_run=plans_per_run,
                pair_share=pair_share,
                limit=limit,
                limits=Limits(turns=max_turns, calls=max_calls),
                replay=replay.value if replay is not None else None,
                workers=workers,
                command=_given(context),
                progress=told,
            )
        )


@command
def demo(
    out: Annotated[Path, typer.Option(help="Folder of the campaign.")] = Path("runs/demo"),
    tasks: Annotated[int, typer.Option(help="How many tasks to generate.", min=1)] = 40,
    seed: Seed = 7,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that make runs at the same time; by default one a core, at most 4, and one for 10 tasks.",
            min=1,
        ),
    ] = None,
    *,
    context: typer.Context,
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Run a whole campaign on a small LangGraph team with a simulated model: no keys, no network.

    Needs langgraph. Exit code 1 if no faulty run was kept.
    """
    from aegis_core.campaign import Campaign
    from aegis_core.plugins import default_plugins
    from aegis_core.world import generate_tasks

    offered = [one for plugin in default_plugins().report().plugins for one in plugin.provides]
    if not any((one.kind, one.name, one.missing) == ("adapter", "langgraph", "") for one in offered):
        default_plugins().adapter("langgraph")  # raises, and says how to install what is missing
    if importlib.util.find_spec("langchain") is None:
        raise MissingDependencyError(
            "the demo's team has an agent made by langchain, which is not installed; "
            "install it with: pip install 'aegis-mas[demo]'"
        )
    with _progress() as told:
        return _answer(
            Campaign(
                system=DEMO_SYSTEM,
                tasks=generate_tasks(tasks, seed),
                out=out,
                seed=seed,
                workers=workers or _demo_workers(tasks),
                command=_given(context),
                progress=told,
            )
        )


def _demo_workers(tasks: int) -> int:
    """As many as there are cores for this process and work for."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(cores, _DEMO_WORKERS, tasks // _TASKS_A_WORKER))


def _given(context: typer.Context) -> str:
    """The command line that was given, but the folder and what only says how to answer: it is kept in the folder."""
    words = [context.info_name or ""]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is None or source.name != "COMMANDLINE" or parameter.name in ("out", "as_json"):
            continue
        value = context.params[parameter.name or ""]
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [parameter.opts[0], str(one)]
    return shlex.join(words)


def _answer(campaign: Campaign) -> Answer:
    from aegis_core.report.counts import summary_text
    from aegis_core.report.lookup import labelled_runs, open_dataset

    summary = _run(campaign)
    dataset = open_dataset(campaign.out)
    # The simplest label makes the best first example.
    labelled = sorted(labelled_runs(dataset), key=lambda labels: len(labels.faults) + len(labels.redundant))
    example = labelled[0].run_id if labelled else None
    lines = [*summary_text(summary), "", f"dataset: {dataset.path}"]
    if summary.planned > summary.kept:
        lines += ["", f"why runs were discarded: aegis explain {campaign.out} --discarded"]
    failed = next((case for case in dataset.cases() if not case.clean_outcome.right), None)
    reason = (failed.clean_outcome.detail or failed.clean_outcome.failure) if failed is not None else None
    if failed is not None:
        lines += ["", f"first clean run that failed: {failed.clean_run_id} ({reason})"]
        lines.append(f"all of it: aegis explain {campaign.out} {failed.clean_run_id}")
    if example is not None:
        lines.append(f"why a label is true: aegis explain {campaign.out} {example}")
    return Answer(
        data={
            "out": str(campaign.out),
            "dataset": str(dataset.path),
            "summary": summary.model_dump(mode="json"),
            "explain": example,
            "failed_clean_run": failed.clean_run_id if failed is not None else None,
            "failed_clean_reason": reason,
        },
        text=["\n".join(lines)],
        code=ExitCode.OK if summary.kept else ExitCode.NEGATIVE,
    )


def _run(campaign: Campaign) -> Summary:
    from aegis_core.report.unfinished import campaign_folder

    try:
        return campaign.run()
    except KeyboardInterrupt as stopped:
        if campaign_folder(campaign.out) is not None:
            stopped.add_note("a campaign goes on from here if its command is given again")
        raise


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[Tidings], None] | None]:
    """What a campaign tells of its progress becomes a bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("tasks", total=None)

        def show(told: Tidings) -> None:
            found = f", {told.runs_found} looked up" if told.runs_found else ""
            bar.update(
                task,
                total=told.tasks,
                completed=told.task if told.event == "done" else told.task - 1,
                description=f"tasks: {told.clean_right} right, {told.planned} faults tried, {told.kept} kept, "
                f"{told.runs_made} runs made{found}",
            )

        yield show
