"""What `aegis plugins` tells: every plugin that was found, what it offers, and what is wrong with it."""

from __future__ import annotations

from typing import Literal

from aegis_core.records import Record

__all__ = ["PluginInfo", "PluginReport", "Provided"]


class Provided(Record):
    """One thing that a plugin offers. `kind` is adapter, injector, learner, attributor, format or mode.

    `missing` is what has to be installed before it can be used, `install` the command for it; "" if it can be used.
    """

    kind: str
    name: str
    summary: str = ""
    target: str = ""
    missing: str = ""
    install: str = ""


class PluginInfo(Record):
    """One entry point of group `aegis`.

    `loaded`: it works. `partly`: some of its names are taken by another plugin. `skipped`: it is broken.
    `disabled`: the environment's allow or deny list keeps it out. `reason` says why, unless it is loaded.
    """

    name: str
    distribution: str
    version: str
    module: str
    status: Literal["loaded", "partly", "skipped", "disabled"]
    reason: str = ""
    provides: tuple[Provided, ...] = ()
    observes: tuple[str, ...] = ()


class PluginReport(Record):
    """All plugins, sorted by name and distribution, and what else is wrong with this installation."""

    plugins: tuple[PluginInfo, ...]
    problems: tuple[str, ...] = ()
    """Of the installation, not of one plugin: another distribution's `aegis_core`, names in the lists that are
    unknown."""

    @property
    def ok(self) -> bool:
        """Nothing is broken. What is disabled, or waits for its framework, is not broken."""
        return not self.problems and all(plugin.status in {"loaded", "disabled"} for plugin in self.plugins)
