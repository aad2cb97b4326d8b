"""The predicate that says whether a mode happened in a turn: the core's for MAST, a plugin's for its own modes.

Fails closed: a plugin's predicate that raises, or answers with something else than evidence of its mode, proves
nothing, with the reason in words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from aegis_core.errors import PluginError
from aegis_core.faults import Evidence
from aegis_core.taxonomy import ErrorMode

if TYPE_CHECKING:
    from aegis_core.taxonomy.evidence import TurnContext

__all__ = ["EvidencePredicate", "predicate"]

EvidencePredicate = Callable[["TurnContext"], Evidence]


def predicate(mode: ErrorMode) -> EvidencePredicate:
    """The predicate of a mode.

    Raises:
        PluginError: the mode has none, or one that can't be imported.
    """
    if mode.id.startswith("FM-"):
        from aegis_core.taxonomy.evidence import judge, modes_with_evidence

        if mode.id not in modes_with_evidence():
            raise PluginError(
                f"error mode {mode.id!r} has no evidence predicate, so no label of it can be proven; of MAST's modes "
                f"these have one: {', '.join(modes_with_evidence())}"
            )
        return partial(judge, mode.id)
    if not mode.evidence:
        raise PluginError(
            f"error mode {mode.id!r} names no evidence predicate, so no label of it can be proven; its plugin has to "
            "set `evidence='module:function'`"
        )
    module_name, _, name = mode.evidence.partition(":")
    try:
        function = getattr(import_module(module_name), name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # plugin boundary: load
        raise PluginError(
            f"evidence of error mode {mode.id!r} can't be loaded: importing {mode.evidence} raised "
            f"{type(error).__name__}: {error}"
        ) from error
    return partial(_guarded, mode, function)


def _guarded(mode: ErrorMode, function: Callable[[TurnContext], object], context: TurnContext) -> Evidence:
    try:
        verdict = function(context)
    except Exception as error:  # plugin boundary: a broken predicate proves nothing, and must not stop a campaign
        return Evidence(mode=mode.id, holds=False, because=f"{mode.evidence} raised {type(error).__name__}: {error}")
    if not isinstance(verdict, Evidence):
        return Evidence(
            mode=mode.id, holds=False, because=f"{mode.evidence} returned a {type(verdict).__name__}, not Evidence"
        )
    if verdict.mode != mode.id:
        return Evidence(
            mode=mode.id, holds=False, because=f"{mode.evidence} returned evidence of {verdict.mode!r} instead"
        )
    return verdict
