"""Telling the plugins that observe runs. Discovery happens here at the earliest, never at import."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aegis_core.run import RunInfo
    from aegis_core.trajectory import Trajectory

__all__ = ["tell_finished", "tell_started"]


def tell_started(info: RunInfo) -> None:
    """Call every plugin's `aegis_run_started`; one that raises is warned of, once."""
    from aegis_core.plugins import default_plugins

    default_plugins().run_started(info)


def tell_finished(info: RunInfo, trajectory: Trajectory) -> None:
    """Call every plugin's `aegis_run_finished`; one that raises is warned of, once."""
    from aegis_core.plugins import default_plugins

    default_plugins().run_finished(info, trajectory)
