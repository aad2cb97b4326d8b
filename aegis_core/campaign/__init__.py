"""Campaigns: proven, labelled failures of a system, made by injecting faults into its right runs.

    from aegis_core.campaign import Campaign

    Campaign(system="mypackage.team:build", tasks="tasks.jsonl", out="runs/").run()

`Campaign` is imported when first used: tasks and checkers stand alone, so that the embedded world can import them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aegis_core.campaign.campaign import Campaign

__all__ = ["Campaign"]


def __getattr__(name: str) -> Any:  # Any: PEP 562
    if name == "Campaign":
        from importlib import import_module

        return import_module("aegis_core.campaign.campaign").Campaign
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
