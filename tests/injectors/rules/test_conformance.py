"""The kit for injectors."""

from __future__ import annotations

from dataclasses import replace

from aegis_core.injector import InjectionContext, Realisation
from aegis_core.testing import InjectorConformance

ASKS = "Which of the depots has the largest number of crates? North has 12 crates, South has 9 crates. Name the depot."


class TestRules(InjectorConformance):
    name = "rules"

    def context(self, way: Realisation) -> InjectionContext:
        context = super().context(way)
        if way.name != "goal_altered":
            return context
        return replace(context, task=ASKS, parts=(context.parts[0].model_copy(update={"text": ASKS}),))
