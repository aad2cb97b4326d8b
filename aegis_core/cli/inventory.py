"""`aegis plugins` and `aegis modes`: what is installed. Neither needs any framework."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from aegis_core.cli.answers import Answer, AsJson, ExitCode, command
from aegis_core.plugins import PluginInfo, PluginReport, default_plugins
from aegis_core.report.modes import ModeInfo, mode_infos

__all__ = ["modes", "plugins"]


@command
def plugins(as_json: AsJson = False) -> Answer:  # noqa: ARG001  read by `command`
    """List the plugins, what each offers, and why a plugin was skipped. Exit code 1 if any is broken."""
    report = default_plugins().report()
    return Answer(
        data={**report.model_dump(mode="json"), "ok": report.ok},
        text=list(_report_text(report)),
        code=ExitCode.OK if report.ok else ExitCode.NEGATIVE,
    )


def _report_text(report: PluginReport) -> Iterator[RenderableType]:
    if not report.plugins:
        yield "No plugins are installed, not even those of aegis-mas itself: is aegis-mas installed with pip?"
    else:
        table = Table("plugin", "distribution", "status", "offers", box=None, pad_edge=False)
        for info in report.plugins:
            offers = ", ".join(f"{item.kind} {item.name}" for item in info.provides)
            observes = ["observes runs"] if info.observes else []
            cells = (info.name, f"{info.distribution} {info.version}", info.status, ", ".join([offers, *observes]))
            table.add_row(*(escape(cell.strip(", ")) for cell in cells))
        yield table
    for info in report.plugins:
        yield from _plugin_notes(info)
    yield from (f"\nproblem: {problem}" for problem in report.problems)


def _plugin_notes(info: PluginInfo) -> Iterator[str]:
    if info.reason:
        yield f"\n{info.name} ({info.distribution} {info.version}, {info.module}) {info.status}: {info.reason}"
    for item in info.provides:
        if item.missing:
            yield f"\n{item.kind} {item.name} can't be used yet: needs {item.missing}; install with: {item.install}"


@command
def modes(
    mode: Annotated[str, typer.Argument(help="Id of one mode, to see all of it.", metavar="[MODE]")] = "",
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """List the error modes, what can cause each, and whether a label of it can be proven."""
    infos, silent = mode_infos(default_plugins())
    if mode:
        wanted = default_plugins().error_mode(mode).id
        chosen = next(info for info in infos if info.mode.id == wanted)
        return Answer(data=_mode_data(chosen), text=["\n".join(_mode_text(chosen))])
    return Answer(data=[_mode_data(info) for info in infos], text=[_modes_table(infos), *silent])


def _mode_data(info: ModeInfo) -> dict[str, object]:
    return {
        **info.mode.model_dump(mode="json"),
        "caused_by": [{"injector": cause.injector, **cause.realisation.model_dump(exclude={"mode"})}
                      for cause in info.causes],
        "unprovable": info.unprovable,
    }  # fmt: skip


def _modes_table(infos: tuple[ModeInfo, ...]) -> Table:
    table = Table("mode", "name", "caused by", "provable", box=None, pad_edge=False)
    for info in infos:
        causes = sorted({f"{cause.injector} ({cause.realisation.strategy})" for cause in info.causes})
        cells = (info.mode.id, info.mode.name, ", ".join(causes) or "-", "no" if info.unprovable else "yes")
        table.add_row(*map(escape, cells))
    return table


def _mode_text(info: ModeInfo) -> Iterator[str]:
    mode = info.mode
    yield f"{mode.id}  {mode.name}"
    yield f"  {mode.definition}"
    for label, value in (("category", mode.category), ("source", mode.source), ("also", ", ".join(mode.aliases))):
        if value:
            yield f"  {label}: {value}"
    for cause in info.causes:
        way = cause.realisation
        summary = f": {way.summary}" if way.summary else ""
        yield f"  caused by {cause.injector}, {way.strategy.replace('_', ' ')}, {way.name!r}{summary}"
    if not info.causes:
        yield "  no installed injector causes it"
    yield f"  no label can be proven: {info.unprovable}" if info.unprovable else "  labels can be proven"
