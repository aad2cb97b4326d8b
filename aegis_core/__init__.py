"""Aegis: find out which agent of a multi-agent LLM system made which error, and train models that can tell.

    import aegis_core as aegis

    @aegis.trace                      # the entry of your system
    @aegis.agent("Critic")            # its members
    with aegis.record(app) as run:    # any supported framework's object
    aegis.attribute(run.trajectory)   # who made which error in it
    aegis.Campaign(...)               # labelled faulty runs from successful ones

Importing this module imports no framework, discovers no plugin, and writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aegis_core.adapter import Adapter, Attachment, Capabilities, Part, Site, System
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import AegisError, AegisWarning
from aegis_core.faults import Case, Fault, Labels, Outcome, Plan, Target
from aegis_core.hookspecs import Provider, hookimpl
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.learner import Attributor, Learner
from aegis_core.taxonomy import MAST, ErrorMode
from aegis_core.trace import Recording, agent, bind, branch, model, record, tool, trace
from aegis_core.trajectory import Agent, Step, Trajectory

if TYPE_CHECKING:
    from aegis_core.attributing import attribute
    from aegis_core.campaign import Campaign
    from aegis_core.dataset import Dataset

__version__ = "0.1.0"

__all__ = [
    "MAST",
    "Adapter",
    "AegisError",
    "AegisWarning",
    "Agent",
    "Attachment",
    "Attribution",
    "Attributor",
    "Blame",
    "Campaign",
    "Capabilities",
    "Case",
    "Dataset",
    "Edits",
    "ErrorMode",
    "Fault",
    "InjectionContext",
    "Injector",
    "Labels",
    "Learner",
    "Outcome",
    "Part",
    "Plan",
    "Provider",
    "Realisation",
    "Recording",
    "Refused",
    "Site",
    "Step",
    "System",
    "Target",
    "Trajectory",
    "agent",
    "attribute",
    "bind",
    "branch",
    "hookimpl",
    "model",
    "record",
    "tool",
    "trace",
]

_LATE = {
    "Campaign": "aegis_core.campaign",
    "Dataset": "aegis_core.dataset",
    "attribute": "aegis_core.attributing",
}
"""Names that are imported when first used: they bring in what recording alone does not need."""


def __getattr__(name: str) -> Any:  # Any: PEP 562
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
