"""Discovery of plugins, each in isolation, and look-up of what they offer by name.

Nothing happens at import. The first look-up reads all entry points of group `aegis` once, under a lock.

    from aegis_core.plugins import default_plugins

    default_plugins().adapter("langgraph")
    default_plugins().report()
"""

from aegis_core.plugins.discovery import Failure
from aegis_core.plugins.evidence import EvidencePredicate
from aegis_core.plugins.registry import Plugins, default_plugins
from aegis_core.plugins.report import PluginInfo, PluginReport, Provided

__all__ = [
    "EvidencePredicate",
    "Failure",
    "PluginInfo",
    "PluginReport",
    "Plugins",
    "Provided",
    "default_plugins",
]
