"""`aegis explain`, `show` and `dataset stats`: looking at what was generated or recorded."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from aegis_core.cli.answers import Answer, AsJson, ExitCode, command
from aegis_core.errors import AegisError, StoreWarning

if TYPE_CHECKING:
    from aegis_core.dataset import Dataset
    from aegis_core.report.cases import CaseRun

__all__ = ["explain", "show", "stats"]

DatasetPath = Annotated[Path, typer.Argument(help="A dataset, or the folder of a campaign.", metavar="PATH")]
RunId = Annotated[
    str, typer.Argument(help="Run id, or a beginning of it that only one run has; without it, a list.", metavar="[RUN]")
]


@command
def explain(
    path: DatasetPath,
    run: RunId = "",
    discarded: Annotated[bool, typer.Option("--discarded", help="List the discarded runs, with the reasons.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="List the clean runs that failed.")] = False,
    controls: Annotated[bool, typer.Option("--controls", help="List the runs made for proofs.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="List every run that was made, case by case.")] = False,
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Tell one label's whole proof in words: clean twin, alteration, who saw it, failure, controls, evidence.

    A discarded run is told with the reason, a clean one with its outcome. Without a run, the labelled ones are listed,
    or those that an option names.
    """
    from aegis_core.report import explain as gather
    from aegis_core.report import explanation_text
    from aegis_core.report.lookup import labelled_runs, open_dataset

    chosen = {"discarded": discarded, "failed": failed, "controls": controls, "all": everything}
    wanted = [name for name, given in chosen.items() if given]
    dataset = open_dataset(path)
    if run and wanted:
        raise AegisError(f"--{wanted[0]} lists runs; give it without RUN")
    if run:
        explanation = gather(dataset, run)
        return Answer(data=explanation, text=[explanation_text(explanation).rstrip("\n")])
    if wanted:
        return _list(dataset, path, wanted)
    labelled = labelled_runs(dataset)
    table = Table("run", "labels (agent, mode, step)", box=None, pad_edge=False)
    for labels in labelled:
        faults = "; ".join(f"{fault.agent}, {fault.mode}, {fault.step}" for fault in labels.faults)
        table.add_row(escape(labels.run_id), escape(faults))
    text: list[RenderableType] = [
        table,
        f"\naegis explain {path} RUN tells one label's proof; --discarded, --failed, --controls, --all list others.",
    ]
    if not labelled:
        text = [f"{dataset.path} has no labelled run."]
    return Answer(data=labelled, text=text, code=ExitCode.OK if labelled else ExitCode.NEGATIVE)


def _list(dataset: Dataset, path: Path, wanted: Collection[str]) -> Answer:
    from aegis_core.report.cases import case_runs
    from aegis_core.report.excerpts import one_line

    runs = [run for run in case_runs(dataset) if "all" in wanted or _sort(run) in wanted]
    table = Table("run", "kind", "what became of it", "made from or for", box=None, pad_edge=False)
    for run in runs:
        became = one_line(f"{run.fate}: {run.why}" if run.why else run.fate, 55)
        table.add_row(*map(escape, (run.run_id, run.kind, became, run.of)))
    text: list[RenderableType] = [
        table,
        f"\naegis explain {path} RUN tells all of one, aegis show {path} RUN its steps.",
    ]
    if not runs:
        text = [f"{dataset.path} has no such run."]
    return Answer(data=runs, text=text, code=ExitCode.OK if runs else ExitCode.NEGATIVE)


def _sort(run: CaseRun) -> str:
    """The option that lists a run."""
    if run.kind not in ("clean", "faulty"):
        return "controls"
    return {"failed": "failed", "void": "failed", "discarded": "discarded"}.get(run.fate, "")


@command
def show(
    path: Annotated[Path, typer.Argument(help="A JSONL file of trajectories, a dataset, or the folder of a campaign.")],
    run: RunId = "",
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Show one run from top to bottom: task, agents, every step, final output. Never its label."""
    from aegis_core.report import show as describe
    from aegis_core.report.excerpts import one_line
    from aegis_core.report.lookup import find_trajectory, no_runs, trajectories

    if run:
        found = find_trajectory(path, run)
        return Answer(data=found, text=[describe(found).rstrip("\n")])
    runs = list(trajectories(path))
    if len(runs) == 1:
        return Answer(data=runs[0], text=[describe(runs[0]).rstrip("\n")])
    table = Table("run", "steps", "task", "final output", box=None, pad_edge=False)
    for one in runs:
        cells = (one.run_id, str(len(one.steps)), one_line(one.task, 48), one_line(one.final_output or "", 36))
        table.add_row(*map(escape, cells))
    summaries = [
        {"run_id": one.run_id, "steps": len(one.steps), "task": one.task, "final_output": one.final_output}
        for one in runs
    ]
    text: list[RenderableType] = [table] if runs else [f"{no_runs(path)}."]
    return Answer(data=summaries, text=text, code=ExitCode.OK if runs else ExitCode.NEGATIVE)


@command
def stats(path: DatasetPath, as_json: AsJson = False) -> Answer:  # noqa: ARG001  read by `command`
    """Count a dataset: runs, labels by mode, agent, strategy and place, and what the place gives away."""
    from aegis_core.dataset import layout, statistics
    from aegis_core.report.counts import statistics_text
    from aegis_core.report.lookup import open_dataset

    dataset = open_dataset(path)
    counted = statistics(dataset)
    if not dataset.has(layout.LABELS):
        warnings.warn(
            f"{dataset.path} has no {layout.LABELS.name} ({layout.LABELS.holds}): its runs are counted, and what is "
            "said of labels says nothing",
            StoreWarning,
            stacklevel=2,
        )
    return Answer(data=counted, text=["\n".join(statistics_text(counted))])
