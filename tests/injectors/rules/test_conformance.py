"""The kit for injectors."""

from __future__ import annotations

from dataclasses import replace

from aegis_core.injector import InjectionContext, Realisation
from aegis_core.testing import InjectorConformance

ASKS = "Which of the depots has the largest number of crates? North has 12 crates, South has 9 crates. Name the depot."

FOUND = "I have read the list. There are 12 crates in the depot. Each crate holds 8 bottles. 9 bottles are broken."
OWN = {"goal_altered": ASKS, "key_fact_cut": FOUND}


class TestRules(InjectorConformance):
    name = "rules"

    def context(self, way: Realisation) -> InjectionContext:
        context = super().context(way)
        if way.name not in OWN:
            return context
        text = OWN[way.name]
        return replace(context, task=ASKS, parts=(context.parts[0].model_copy(update={"text": text}),), seen=())
