"""The kinds of things that plugins provide: which hook offers them, and which class they must derive from."""

from __future__ import annotations

from typing import Literal

from aegis_core.adapter import Adapter
from aegis_core.format import Format
from aegis_core.injector import Injector
from aegis_core.learner import Attributor, Learner

__all__ = ["CONTRACTS", "DESCRIBING_HOOKS", "MODE_HOOK", "Kind"]

Kind = Literal["adapter", "injector", "learner", "attributor", "format"]

DESCRIBING_HOOKS: dict[Kind, str] = {
    "adapter": "aegis_adapters",
    "injector": "aegis_injectors",
    "learner": "aegis_learners",
    "attributor": "aegis_attributors",
    "format": "aegis_formats",
}
CONTRACTS: dict[Kind, type] = {
    "adapter": Adapter,
    "injector": Injector,
    "learner": Learner,
    "attributor": Attributor,
    "format": Format,
}
MODE_HOOK = "aegis_error_modes"
