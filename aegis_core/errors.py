"""Every error Aegis raises. Each message says what failed, where, and what to do.

    AegisError
    ├── RecordError            a record breaks the schema (unknown agent, gap in the step index, ...)
    │   ├── UnknownModeError   an error mode that no taxonomy knows
    │   └── UnknownAgentError  an agent that the run does not have
    ├── StoreError             a file of records can't be read or written
    │   └── SchemaVersionError the file was written by a newer Aegis
    ├── PluginError            a plugin is unknown, broken, or ambiguous
    │   └── MissingDependencyError  the plugin is fine, its framework is not installed
    ├── AdapterError           an adapter can't handle the object, or can't do what is asked of it
    ├── ReplayError            a run can't be served from its tape
    │   └── ReplayDrift        the live run left the recorded prefix before the target's moment
    ├── RunLimitReached        a run took more turns, calls or seconds than it was allowed
    ├── InjectionError         a plan can't be carried out
    ├── CampaignError          a campaign is misconfigured
    └── LearnerError           nothing can be learnt from these runs, or with this configuration

Warnings derive from `AegisWarning` and are given once per cause.
"""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "AegisError",
    "AegisWarning",
    "CampaignError",
    "InjectionError",
    "LearnerError",
    "MissingDependencyError",
    "PluginError",
    "PluginWarning",
    "RecordError",
    "RecorderWarning",
    "ReplayDrift",
    "ReplayError",
    "RunLimitReached",
    "SchemaVersionError",
    "StoreError",
    "StoreWarning",
    "UnknownAgentError",
    "UnknownModeError",
]


class AegisError(Exception):
    """Root of all errors raised by Aegis."""


class RecordError(AegisError, ValueError):
    """A record breaks the schema. A `ValueError` too, so that pydantic reports the field it stands in."""


class UnknownModeError(RecordError):
    """An error mode that no taxonomy knows; the message names the known ones."""


class UnknownAgentError(RecordError):
    """An agent that the run does not have; the message names those it has."""


class StoreError(AegisError):
    """A file of records can't be read or written; the message names file, line and field."""


class SchemaVersionError(StoreError):
    """The file was written with a newer schema than this version of Aegis knows."""


class PluginError(AegisError):
    """A plugin is unknown, broken, or ambiguous; `__cause__` holds the plugin's own exception."""


class MissingDependencyError(PluginError):
    """A plugin is fine but its framework is not installed; the message holds the command that installs it."""


class AdapterError(AegisError):
    """An adapter can't handle the object, or can't do what is asked of it."""


class ReplayError(AegisError):
    """A run can't be served from its tape."""


class ReplayDrift(ReplayError):
    """The run left the recorded prefix before the target's moment: another request, or another speaker."""


class RunLimitReached(AegisError):
    """A run took more turns, calls or seconds than it was allowed; it ends as `no_end`."""


class InjectionError(AegisError):
    """A plan can't be carried out on this run."""


class CampaignError(AegisError):
    """A campaign is misconfigured."""


class LearnerError(AegisError):
    """Nothing can be learnt from these runs, or with this configuration."""


class AegisWarning(UserWarning):
    """Root of all warnings given by Aegis."""


class PluginWarning(AegisWarning):
    """A plugin was skipped, wholly or in part."""


class RecorderWarning(AegisWarning):
    """Recording failed; the user's run was not touched."""


class StoreWarning(AegisWarning):
    """A file was repaired while it was read."""
