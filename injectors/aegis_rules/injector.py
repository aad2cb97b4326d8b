"""The injector `rules`: picks a rule for the target, and keeps its edits within bounds."""

from __future__ import annotations

import json
import random
from itertools import chain

from aegis_core.faults import Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_rules import fm_1_1, fm_2_4, fm_2_6
from aegis_rules.rule import Change, Rule

__all__ = ["Rules"]

_RULES: tuple[Rule, ...] = tuple(chain(fm_1_1.RULES, fm_2_4.RULES, fm_2_6.RULES))


class Rules(Injector):
    """Alters texts by rules. The same context gives the same texts, in any process.

    Where the target names no realisation, those of its mode and strategy are tried in an order drawn from the
    context's seed until one finds something to alter.
    """

    name = "rules"

    def realisations(self) -> tuple[Realisation, ...]:
        """All ways of this injector, by mode and strategy."""
        return tuple(rule.realisation for rule in _RULES)

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:  # noqa: ARG002
        """New texts for the parts at the target's site, or why there are none. Attempts differ by the seed alone."""
        cell = [rule for rule in _RULES if _serves(rule, target)]
        if not cell:
            return Refused(f"there is no rule for {target.mode} by {target.strategy}")
        named = [rule for rule in cell if target.realisation in (None, rule.realisation.name)]
        if not named:
            known = ", ".join(rule.realisation.name for rule in cell)
            return Refused(
                f"{target.mode} by {target.strategy} has no realisation {target.realisation!r}; known: {known}"
            )
        random.Random(f"{context.seed}/order").shuffle(named)
        reasons = []
        for rule in named:
            name = rule.realisation.name
            change = rule.apply(context, random.Random(f"{context.seed}/{name}"))
            checked = _checked(context, change) if isinstance(change, Change) else change
            if isinstance(checked, Change):
                return Edits(texts=checked.texts, realisation=name, notes=checked.notes)
            reasons.append(f"{name}: {checked.reason}" if len(named) > 1 else checked.reason)
        return Refused("; ".join(reasons))


def _serves(rule: Rule, target: Target) -> bool:
    return (rule.realisation.mode, rule.realisation.strategy) == (target.mode, target.strategy)


def _checked(context: InjectionContext, change: Change) -> Change | Refused:
    """The change without texts that stayed as they were; refused if nothing is left or a text was damaged."""
    parts = {part.id: part for part in context.parts if part.editable}
    texts = {part_id: text for part_id, text in change.texts.items() if text != parts[part_id].text}
    if not texts:
        return Refused("the rule left the text as it was")
    for part_id, text in texts.items():
        if not text.strip():
            return Refused("nothing would be left of the text")
        if _is_json(parts[part_id].text) and not _is_json(text):
            return Refused("the text would no longer be valid JSON")
    return Change(texts, change.notes)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
