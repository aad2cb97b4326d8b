"""FM-1.1, disobey task specification: a stated requirement is met by the clean turn and broken by the faulty one.

What counts is what the task or the role prompt states about the answer (unit, exactness, item, order, format, length),
whatever the value of the answer, and only in what the agent hands on: the result of a tool is no answer. A wrong value
in the asked form is not this mode.
"""

from __future__ import annotations

from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence.context import TurnContext, verdict
from aegis_core.taxonomy.evidence.reading.answers import ANSWER_CHECKS, Asked, Breach, Check
from aegis_core.taxonomy.evidence.reading.forms import FORM_CHECKS
from aegis_core.taxonomy.evidence.reading.requirements import Requirement, requirements
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["MODE", "disobeyed"]

MODE = "FM-1.1"
_CHECKS: dict[str, Check] = {**ANSWER_CHECKS, **FORM_CHECKS}


def disobeyed(context: TurnContext) -> Evidence:
    """Whether the faulty turn breaks a stated requirement that the clean turn meets."""
    clean_said, faulty_said = context.handed_on
    clean, faulty = Turn(clean_said), Turn(faulty_said)
    if clean.empty or faulty.empty:
        which = "clean" if clean.empty else "faulty"
        return verdict(MODE, False, f"the {which} turn says nothing, so it neither meets nor breaks a requirement")
    if clean.text == faulty.text:
        return verdict(MODE, False, "both turns say the same")
    asked = requirements(context.task, context.role)
    if not asked:
        return verdict(MODE, False, "neither the task nor the role states a requirement that can be checked")
    for requirement in asked:
        breach = _CHECKS[requirement.kind](Asked(requirement, asked, context.task), clean, faulty)
        if breach is not None:
            return _broken(requirement, breach)
    checked = ", ".join(dict.fromkeys(requirement.kind for requirement in asked))
    return verdict(
        MODE, False, f"no stated requirement is met by the clean turn and broken by the faulty one ({checked})"
    )


def _broken(requirement: Requirement, breach: Breach) -> Evidence:
    return verdict(
        MODE, True,
        f"{requirement.source.strip()!r} asks for {breach.wanted}; the clean turn gives it, the faulty turn gives "
        f"{breach.instead}",
        (requirement.source, breach.clean, breach.faulty),
    )  # fmt: skip
