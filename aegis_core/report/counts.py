"""The counts of a dataset as aligned lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aegis_core.campaign.summary import Summary
from aegis_core.dataset import Statistics
from aegis_core.dataset.statistics import Spread

__all__ = ["counts_text", "statistics_text", "summary_text"]


def counts_text(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """A title and a line for each count, the numbers aligned."""
    yield title
    width = max(map(len, counts), default=0)
    for name, count in counts.items():
        yield f"  {name:<{width}}  {count:>6}"
    if not counts:
        yield "  none"


def summary_text(summary: Summary) -> Iterator[str]:
    """What a campaign has come to, one count a line."""
    failed = "".join(f", {count} {kind.replace('_', ' ')}" for kind, count in summary.clean_failures.items())
    yield f"clean runs: {summary.tasks}, of them right {summary.clean_right}{failed}"
    yield f"faulty runs: {summary.planned} tried, {summary.kept} kept, {summary.planned - summary.kept} discarded"
    if summary.without_plan:
        n = summary.without_plan
        yield f"  right runs with nothing to try, as no known agent's words are read by another: {n}"
    if summary.kept_with_two_targets:
        yield f"  of those kept, {summary.kept_with_two_targets} have two targets"
    yield f"runs in all, with controls: {summary.runs}; live model calls: {summary.live_model_calls}"
    for title, counts in (
        ("discarded, by reason", summary.discarded),
        ("labels by mode", summary.labels_by_mode),
        ("labels by agent", summary.labels_by_agent),
        ("labels by strategy and scope", summary.labels_by_strategy),
    ):
        yield ""
        yield from counts_text(title, counts)
    if summary.redundant:
        yield f"fired, but not needed for the failure: {summary.redundant}"


def statistics_text(counted: Statistics) -> Iterator[str]:
    """All counts of a dataset, one a line."""
    yield f"tasks {counted.tasks}, cases {counted.cases}"
    yield f"clean runs {counted.clean_runs}, of them right {counted.clean_runs_right}"
    yield f"faulty runs planned {counted.faulty_runs_planned}, kept {counted.faulty_runs_kept}"
    yield f"labels {counted.labels}; fired, but not needed for the failure: {counted.redundant}"
    yield ""
    yield from counts_text("discarded, by reason", counted.discarded)
    for title, counts in (
        ("labels by mode", counted.by_mode),
        ("labels by agent", counted.by_agent),
        ("labels by strategy and scope", counted.by_strategy),
        ("labels by third of the run", counted.by_third),
    ):
        yield ""
        yield from counts_text(title, counts)
    yield ""
    yield f"steps of a clean run: {_spread(counted.steps_clean)}"
    yield f"steps of a faulty run: {_spread(counted.steps_faulty)}"
    yield (
        f"mutual information of mode and agent {counted.mode_agent_bits:.3f} bits, of mode and third of the run "
        f"{counted.mode_third_bits:.3f} bits"
    )


def _spread(spread: Spread) -> str:
    if not spread.runs:
        return "no runs"
    return f"{spread.least} to {spread.most}, median {spread.median:g}, mean {spread.mean:.1f}, over {spread.runs} runs"
