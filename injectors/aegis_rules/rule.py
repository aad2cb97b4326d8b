"""What a rule is: one named way to cause a mode by a strategy."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from aegis_core.faults import Strategy
from aegis_core.injector import InjectionContext, Realisation, Refused

__all__ = ["Change", "Rule", "rule"]


@dataclass(frozen=True)
class Change:
    """New texts by part id; `notes` say for the ledger what was done."""

    texts: Mapping[str, str]
    notes: Mapping[str, JsonValue] = field(default_factory=dict)


Apply = Callable[[InjectionContext, random.Random], Change | Refused]


@dataclass(frozen=True)
class Rule:
    """A realisation with the function that carries it out. The function makes every choice from its `Random`."""

    realisation: Realisation
    apply: Apply


def rule(mode: str, strategy: Strategy, name: str, summary: str, apply: Apply) -> Rule:
    """A rule, from what `Realisation` holds and the function."""
    return Rule(Realisation(name=name, mode=mode, strategy=strategy, summary=summary), apply)
