"""`AdapterConformance`: the contract of adapters as checks that pytest runs."""

from __future__ import annotations

from aegis_core.testing.checks.acting import ActingChecks
from aegis_core.testing.checks.concurrency import ConcurrencyChecks
from aegis_core.testing.checks.lifecycle import LifecycleChecks
from aegis_core.testing.checks.plugin import PluginChecks
from aegis_core.testing.checks.record import RecordChecks
from aegis_core.testing.checks.replaying import ReplayChecks
from aegis_core.testing.checks.wall import WallChecks
from aegis_core.testing.kits.kit import Kit

__all__ = ["AdapterConformance"]


class AdapterConformance(
    Kit, WallChecks, ReplayChecks, ActingChecks, ConcurrencyChecks, LifecycleChecks, RecordChecks, PluginChecks
):
    """What every adapter has to keep to. Fill in what `Stage` asks for; each check says how to repair what it finds.

    Put a subclass with the name `...Conformance` into the module `testing.conformance` of your plugin's package (or
    `testing`), where `aegis adapters test` finds it, and one of it with the name `Test...` into your tests. Add cases
    of your own as other methods; a check of the kit can't be overridden. What your adapter can't do yet goes into
    `expected_failures`, by the name of the check, with the reason: the certificate tells it, and it is a failure once
    it works.
    """
