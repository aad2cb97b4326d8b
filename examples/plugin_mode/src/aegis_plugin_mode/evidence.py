"""Whether an agent rounded falsely: judged by what it said in the clean and in the faulty run, and what it saw."""

from __future__ import annotations

from decimal import Decimal

from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence import TurnContext
from aegis_plugin_mode.figures import figures, rounded

__all__ = ["false_rounding"]

MODE = "acme:false-rounding"
STEPS = (1, 10, 100, 1000)


def false_rounding(context: TurnContext) -> Evidence:
    """Holds if an exact figure of the clean turn is gone and its rounded value stands in the faulty turn instead.

    A rounded figure that the agent was given is not of its making: it only repeats it.
    """
    exact, said = _all(context.clean), _all(context.faulty)
    new = said - exact - _all(context.faulty_seen)
    for figure in sorted(exact - said):
        for step in STEPS:
            near = rounded(figure, step)
            if near != figure and near in new:
                return Evidence(
                    mode=MODE,
                    holds=True,
                    because=f"the clean turn says {figure}, the faulty turn says {near} in its place",
                    spans=(str(figure), str(near)),
                )
    return Evidence(mode=MODE, holds=False, because="no figure of the clean turn was replaced by its rounded value")


def _all(texts: tuple[str, ...]) -> frozenset[Decimal]:
    return frozenset(number for text in texts for number in figures(text))
