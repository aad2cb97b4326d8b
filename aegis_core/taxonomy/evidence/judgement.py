"""Which predicate judges which mode."""

from __future__ import annotations

from collections.abc import Mapping

from aegis_core.errors import PluginError, UnknownModeError
from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence import fm_1_1, fm_2_4, fm_2_6
from aegis_core.taxonomy.evidence.context import Predicate, TurnContext
from aegis_core.taxonomy.modes import check_mode_id

__all__ = ["judge", "modes_with_evidence"]

_PREDICATES: Mapping[str, Predicate] = {
    fm_1_1.MODE: fm_1_1.disobeyed,
    fm_2_4.MODE: fm_2_4.withheld,
    fm_2_6.MODE: fm_2_6.mismatched,
}


def modes_with_evidence() -> tuple[str, ...]:
    """Ids of the MAST modes that have a predicate, sorted."""
    return tuple(sorted(_PREDICATES))


def judge(mode: str, context: TurnContext, *, predicate: Predicate | None = None) -> Evidence:
    """Whether a mode happened in the faulty turn and not in the clean one, in words, with the spans that it rests on.

    The same context always gets the same answer. "Holds" is said only where the texts show the mode; where they leave
    a doubt, it does not hold.

    Args:
        mode: id of an error mode.
        context: both turns and what the agent was given.
        predicate: what judges a mode of a third party; given for one of MAST's, it takes the place of the core's own.

    Raises:
        UnknownModeError: there is no such mode, or nothing that judges it; the message names the modes with evidence.
        PluginError: the given predicate answered with something else than evidence of this mode.
    """
    check_mode_id(mode)
    if predicate is None:
        predicate = _PREDICATES.get(mode)
    if predicate is None:
        raise UnknownModeError(
            f"error mode {mode!r} has no evidence predicate, so it can't be proven; modes with evidence: "
            f"{', '.join(modes_with_evidence())}. For other modes pass `predicate=`"
        )
    answer: object = predicate(context)  # a plugin's predicate may answer with anything
    if not isinstance(answer, Evidence) or answer.mode != mode:
        given = f"evidence of {answer.mode!r}" if isinstance(answer, Evidence) else type(answer).__name__
        raise PluginError(f"the predicate of {mode!r} answered with {given}; it must return Evidence of {mode!r}")
    return answer
