"""The commands of `aegis`, by name."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from aegis_core import __version__
from aegis_core.cli import certifying, generating, inventory, judging, reading

__all__ = ["app"]

EPILOG = (
    "Exit codes: 0 done; 1 done, and the result is bad (a broken plugin, no faulty run kept); 2 wrong argument, file, "
    "name or configuration; 3 something needed is not installed; 4 unexpected error; 130 interrupted. "
    "Answers go to standard output, progress and warnings to standard error."
)

app = typer.Typer(
    name="aegis",
    help="Find out which agent of a multi-agent LLM system made which error.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
dataset = typer.Typer(name="dataset", help="Look into a dataset.", no_args_is_help=True)
adapters = typer.Typer(name="adapters", help="Try an adapter.", no_args_is_help=True)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"aegis-mas {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error. May stand anywhere on the line.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the whole line: `--version` acts by its callback, `--debug` is read by `main`."""


app.command("demo")(generating.demo)
app.command("generate")(generating.generate)
app.command("explain")(reading.explain)
app.command("show")(reading.show)
app.command("attribute")(judging.attribute)
app.command("evaluate")(judging.evaluate)
app.add_typer(dataset)
dataset.command("stats")(reading.stats)
app.add_typer(adapters)
adapters.command("test")(certifying.adapter)
app.command("modes")(inventory.modes)
app.command("plugins")(inventory.plugins)
