"""The fourteen MAST error modes, and the form of an error mode.

Source of ids, names and meanings: Cemri et al., "Why Do Multi-Agent LLM Systems Fail?" (arXiv 2503.13657),
definitions in our own words. Aliases: the names of the Aegis paper (arXiv 2509.14295, appendix E).
"""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from aegis_core.errors import UnknownModeError
from aegis_core.records import Record

__all__ = ["MAST", "MAST_SOURCE", "ErrorMode", "check_mode_id", "mast_mode"]

MAST_SOURCE = "MAST, arXiv 2503.13657"
_FOREIGN = re.compile(r"[a-z0-9][a-z0-9_-]*:[a-z0-9][a-z0-9_.-]*")


class ErrorMode(Record):
    """One way in which an agent can err.

    `id` is `FM-x.y` for MAST (reserved for the core), `vendor:slug` for third parties, `env:slug` for faults of
    the environment. `aliases` are other names under which the mode is known. `evidence` is `module:function`, the
    predicate that says whether the mode happened in a turn; without one, no label of a third party's mode can be
    proven. MAST's predicates stand in `taxonomy.evidence`, so the core's own modes leave it empty.
    """

    id: str
    name: str = Field(min_length=1)
    definition: str = Field(min_length=1)
    category: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    evidence: str = Field(default="", pattern=r"^([\w.]+:\w+)?$")

    @field_validator("id")
    @classmethod
    def _id(cls, value: str) -> str:
        if not (re.fullmatch(r"FM-\d\.\d", value) or _FOREIGN.fullmatch(value)):
            raise UnknownModeError(f"error mode id {value!r}: use `vendor:slug` (lower case), for example `acme:drift`")
        return value


_SPECIFICATION = "Specification Issues"
_MISALIGNMENT = "Inter-Agent Misalignment"
_VERIFICATION = "Task Verification"


def _mast(number: str, name: str, alias: str, category: str, definition: str) -> ErrorMode:
    return ErrorMode(
        id=f"FM-{number}", name=name, definition=definition, category=category, source=MAST_SOURCE, aliases=(alias,)
    )


MAST: tuple[ErrorMode, ...] = (
    _mast("1.1", "Disobey task specification", "Task specification deviation", _SPECIFICATION,
          "The agent breaks a requirement or constraint that the task states: another unit, format, order or goal "
          "than the one that was asked for."),
    _mast("1.2", "Disobey role specification", "Role specification deviation", _SPECIFICATION,
          "The agent leaves the duties of its role and acts or decides as another member of the system should."),
    _mast("1.3", "Step repetition", "Add redundant steps", _SPECIFICATION,
          "The agent does again, without need, steps that were already finished, and makes no progress by it."),
    _mast("1.4", "Loss of conversation history", "Remove conversation history", _SPECIFICATION,
          "The agent acts as if recent parts of the conversation had not happened and falls back to an older state."),
    _mast("1.5", "Unaware of termination conditions", "Remove termination conditions", _SPECIFICATION,
          "The agent does not recognise that the conditions for stopping are met and goes on."),
    _mast("2.1", "Conversation reset", "Repeat handled tasks", _MISALIGNMENT,
          "The agent restarts the dialogue without cause and so discards the context and progress made."),
    _mast("2.2", "Fail to ask for clarification", "Make request ambiguous", _MISALIGNMENT,
          "The agent meets unclear or missing information and assumes something instead of asking."),
    _mast("2.3", "Task derailment", "Deviate from main goal", _MISALIGNMENT,
          "The agent drifts from the objective of the task to something beside it."),
    _mast("2.4", "Information withholding", "Hide important information", _MISALIGNMENT,
          "The agent has information that others need for their decisions and does not pass it on."),
    _mast("2.5", "Ignored other agent's input", "Ignore other agents", _MISALIGNMENT,
          "The agent takes no account of what another agent told or advised it."),
    _mast("2.6", "Reasoning-action mismatch", "Inconsistent reasoning", _MISALIGNMENT,
          "What the agent concludes or does contradicts the reasoning that it gives for it."),
    _mast("3.1", "Premature termination", "Premature termination", _VERIFICATION,
          "The agent ends its work or the exchange before the necessary information or objectives are reached."),
    _mast("3.2", "No or incomplete verification", "Remove verification steps", _VERIFICATION,
          "The agent leaves out, wholly or partly, the check of a result that was due."),
    _mast("3.3", "Incorrect verification", "Incorrect verification", _VERIFICATION,
          "The agent checks a result but does so wrongly, and so lets an error pass or rejects what is right."),
)  # fmt: skip

_BY_ID = {mode.id: mode for mode in MAST}


def mast_mode(mode_id: str) -> ErrorMode:
    """The MAST mode with this id.

    Raises:
        UnknownModeError: MAST has no such mode; the message lists those it has.
    """
    try:
        return _BY_ID[mode_id]
    except KeyError:
        raise UnknownModeError(f"MAST has no error mode {mode_id!r}; known: {', '.join(_BY_ID)}") from None


def check_mode_id(mode_id: str) -> str:
    """Return the id if it can be that of an error mode: one of MAST's, or `vendor:slug` (third parties, `env:`).

    Whether a third party's mode is installed is a question for the plugins, not for a record.

    Raises:
        UnknownModeError: it can't; the message lists MAST's ids and the form of the others.
    """
    if mode_id in _BY_ID or _FOREIGN.fullmatch(mode_id):
        return mode_id
    raise UnknownModeError(f"unknown error mode {mode_id!r}; known: {', '.join(_BY_ID)}, or a plugin's `vendor:slug`")
