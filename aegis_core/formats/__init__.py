"""The formats that come with Aegis, as an ordinary plugin, and `open_runs`, by which any input is opened.

from aegis_core.formats import open_runs

for run in open_runs("runs/mine").labelled_runs():
    print(run.trajectory.run_id, run.labels)
"""

from collections.abc import Iterable

from aegis_core.formats.opening import Source, open_runs
from aegis_core.hookspecs import Provider, hookimpl

__all__ = ["Source", "open_runs"]


@hookimpl
def aegis_formats() -> Iterable[Provider]:
    """Offer Aegis's own files and Who&When."""
    return [
        Provider(
            name="aegis",
            target="aegis_core.formats.own:AegisFiles",
            summary="Aegis's own: a dataset, the folder of a campaign, or a JSONL file of trajectories",
        ),
        Provider(
            name="whowhen",
            target="aegis_core.formats.whowhen.reader:WhoWhen",
            summary="Who&When, both subsets: one JSON file a run, a folder of them, or rows of a copy as JSON or JSONL",
        ),
    ]
